"""Which recorded rollouts a trainer's host plays, and when another reward counts."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from itertools import chain

import pytest

from envyard.contract.judge import JudgeExchange
from envyard.contract.replay import Replay
from envyard_runner.gateway.judge.call import JudgeCall
from envyard_runner.gateway.judge.records import JudgeRecords
from envyard_runner.gateway.judge.training import TrainingVerdicts
from envyard_runner.gateway.replays import Replays
from envyard_runner.gateway.reply import Refusal, Reply
from envyard_runner.gateway.rollout_records import RolloutRecords
from envyard_runner.gateway.training_replays import TrainingReplays
from tests.worker.execution.event_feed import CALL
from tests.worker.stub_hub import job

TASKS = 12
SPEC = job(policies=("parrot",), tasks=TASKS, attempts=1)
NAMES = [f"parrot/{task}/0" for task in range(TASKS)]


def replayed(*inexact: str, compared: bool = False) -> Replays:
    """Rollouts that were all paid nothing; the replays of some were paid."""
    replays, records = Replays(SPEC, JudgeRecords(0)), RolloutRecords(SPEC)
    groups = [NAMES[at : at + 2] for at in range(0, TASKS, 2)] if compared else [[n] for n in NAMES]
    replays.choose(groups, set(NAMES))
    for name in NAMES:
        record = records.open(name)
        record.add(CALL, Reply(content=["hello"], finish_reason="stop"), 0.1)
        replays.keep(record, reward=0.0)
    replays.start(alike=range(TASKS), late=False)
    for alias, (name, record) in replays._running.items():
        assert record.replies_to_repeat is not None
        record.replies_to_repeat.answer(CALL)
        replays.ended(alias, Replay(reward=float(name in inexact)))
    return replays


def play(replays: TrainingReplays, paid: Mapping[str, list[float]]) -> None:
    """Play the sample, and once more what differs, with these rewards, or nothing."""
    if play_plan(replays, paid):
        play_plan(replays, {name: rewards[1:] for name, rewards in paid.items()})


def play_plan(replays: TrainingReplays, paid: Mapping[str, list[float]]) -> bool:
    """Every rollout as often as planned, with these rewards, or nothing; whether those that differ
    are to be played again."""
    due = {name: [*rewards] for name, rewards in paid.items()}
    for alias, _ in chain(*replays.plan()):
        record = replays.record(alias)
        assert record is not None
        assert record.replies_to_repeat is not None
        record.replies_to_repeat.answer(CALL)
        rewards = due.get(record.rollout)
        replays.ended(alias, reward=rewards.pop(0) if rewards else 0.0, error="")
    return replays.settle()


def names(replays: TrainingReplays) -> list[str]:
    return [rollout.name for rollout in replays.differing]


def test_after_exact_replays_those_that_differ_are_played_again_and_one_counts() -> None:
    replays = TrainingReplays(replayed())
    first, second, *_ = [rollout.name for rollout in replays.rollouts]
    assert play_plan(replays, {first: [1.0], second: [1.0]})
    play_plan(replays, {first: [1.0], second: [0.0]})
    assert len(replays.compared) == 10
    again = {rollout.name for rollout in replays.rollouts if len(rollout.rewards) == 2}
    assert again == {first, second}
    assert names(replays) == [first]


def shown(elsewhere: Sequence[Sequence[str]]) -> TrainingReplays:
    """A sample that is played twice: to each of its first rollouts its replay and the later plays
    showed these texts, empty where the text was the run's."""
    ordinary = replayed()
    replays = TrainingReplays(ordinary)
    texts = dict(zip(sorted(r.name for r in replays.rollouts), elsewhere, strict=False))
    ordinary.changed |= {name: first.encode() for name, (first, *_) in texts.items()}
    for play in (1, 2):
        for alias, _ in chain(*replays.plan()):
            record = replays.record(alias)
            assert record is not None
            assert record.replies_to_repeat is not None
            record.replies_to_repeat.answer(CALL)
            if record.rollout in texts:
                record.replies_to_repeat.changed = texts[record.rollout][play].encode()
            replays.ended(alias, reward=0.0, error="")
        if not replays.settle():
            break
    return replays


SAME, ONLY_RUN, BY_CHANCE = ("", "", ""), ("b", "b", "b"), ("b", "", "")


@pytest.mark.parametrize(
    ("elsewhere", "changed", "unlike", "probability"),
    [([SAME], 0, 0, 1.0), ([BY_CHANCE] * 3, 0, 3, 1.0), ([ONLY_RUN], 1, 1, 0.25),
     ([ONLY_RUN] * 4, 4, 4, 0.25**4), ([ONLY_RUN, BY_CHANCE, BY_CHANCE], 1, 3, 1 - 0.75**3),
     ([("b", "c", "d")], 0, 1, 1.0)],
)  # fmt: skip
def test_the_number_of_changed_conversations_is_compared_with_that_of_chance(
    elsewhere: Sequence[Sequence[str]], changed: int, unlike: int, probability: float
) -> None:
    replays = shown(elsewhere)
    assert (len(replays.changed), len(replays.unlike)) == (changed, unlike)
    assert replays.changed_by_chance == pytest.approx(probability)


def test_a_sample_that_differs_nowhere_is_played_once() -> None:
    replays = TrainingReplays(replayed())
    assert not play_plan(replays, {})
    assert {len(rollout.rewards) for rollout in replays.rollouts} == {1}
    assert names(replays) == []


def test_an_inexact_replay_is_left_out_and_the_others_are_compared() -> None:
    replays = TrainingReplays(replayed("parrot/0/0", "parrot/1/0"))
    chosen = {rollout.name for rollout in replays.rollouts}
    assert not play_plan(replays, {"parrot/0/0": [1.0], "parrot/1/0": [1.0]})
    assert not replays.why_none
    compared = {rollout.name for rollout in replays.compared}
    assert compared == chosen - {"parrot/0/0", "parrot/1/0"}
    assert len(compared) >= 8
    assert names(replays) == []


def test_beside_inexact_replays_those_that_differ_are_played_again_and_may_be_chance() -> None:
    inexact = "parrot/0/0"
    replays = TrainingReplays(replayed(inexact))
    first, second, third, *_ = [r.name for r in replays.rollouts if r.name != inexact]
    assert not play_plan(replays, {first: [1.0]})  # a single one
    assert names(replays) == []
    differing = {name: [1.0, 1.0, 1.0] for name in (first, second, third)}
    replays = TrainingReplays(replayed(inexact))
    assert play_plan(replays, differing)
    assert len(replays.plan()) == 3 * 3
    play_plan(replays, differing)
    assert names(replays) == []  # the plan before was not played
    replays = TrainingReplays(replayed(inexact))
    assert play_plan(replays, differing)
    play_plan(replays, differing | {third: [1.0, 0.0, 1.0]})
    assert names(replays) == sorted([first, second])
    assert {len(r.rewards) for r in replays.rollouts if r.name in differing} == {4}


def test_where_many_replays_were_inexact_nothing_is_compared_and_the_reason_says_so() -> None:
    replays = TrainingReplays(replayed(*NAMES[:4]))
    play(replays, {NAMES[5]: [1.0, 1.0]})
    assert (replays.why_none, replays.compared) == ("only 8 of 12 replays were exact", [])


def test_rewards_that_compare_attempts_are_computed_for_whole_groups() -> None:
    replays = TrainingReplays(replayed(compared=True))
    first, second, *_ = replays.rollouts
    play(replays, {first.name: [1.0, 1.0]})
    assert len(replays.rollouts) == 2 * 4
    assert names(replays) == [first.name]
    assert second.compared


def test_a_group_of_which_one_failed_or_made_another_call_is_not_compared() -> None:
    replays = TrainingReplays(replayed(compared=True))
    first, second, *others = replays.rollouts
    play(replays, {first.name: [1.0, 1.0]})
    second.error = "ValueError: no"
    assert names(replays) == []
    assert {first.why_not_compared, second.why_not_compared} == {"ValueError: no"}
    assert replays.compared == others


def test_a_group_of_which_one_replay_was_inexact_is_left_out() -> None:
    replays = TrainingReplays(replayed(NAMES[0], compared=True))
    play(replays, {})
    assert not {NAMES[0], NAMES[1]} & {rollout.name for rollout in replays.compared}
    assert len(replays.compared) in (6, 8)


QUESTION = JudgeCall("any", [{"role": "user", "content": "Is it right?"}], {})
OTHER = JudgeCall("any", [{"role": "user", "content": "What time is it?"}], {})


def judged(verdicts: Mapping[str, Sequence[str]]) -> JudgeRecords:
    """The verdicts that rollouts, or the run, got on one question."""
    records = JudgeRecords(1 << 20)
    for name, texts in verdicts.items():
        for verdict in texts:
            exchange = JudgeExchange(messages=QUESTION.messages)
            records.add(name, QUESTION.digest, Reply(content=[verdict]), exchange)
    return records


def answering(records: JudgeRecords, *plays: list[str]) -> TrainingVerdicts:
    verdicts = TrainingVerdicts(records)
    verdicts.plays += plays
    return verdicts


def ask(verdicts: TrainingVerdicts, call: JudgeCall = QUESTION) -> str:
    return "".join(asyncio.run(verdicts.answer("", call)).content)


def test_a_question_gets_the_verdicts_of_the_group_that_called_its_policy_last() -> None:
    records = judged({"a": ["yes", "no"], "b": ["no", "yes"]})
    verdicts = answering(records, ["a"], ["b"], ["a"])
    for play, expected in enumerate((["yes", "no"], ["no", "yes"], ["yes", "no"])):
        verdicts.enter(play)
        assert [ask(verdicts), ask(verdicts)] == expected
    assert verdicts.differences == {}


def test_a_question_before_the_first_call_is_the_next_groups() -> None:
    verdicts = answering(judged({"b": ["yes"]}), ["a"], ["b"])
    assert ask(verdicts) == "yes"


def test_a_question_that_was_not_recorded_is_refused_and_noted_of_the_group_that_asked() -> None:
    verdicts = answering(judged({"b": ["yes"]}), ["a"], ["b"], ["c"], ["d"])
    verdicts.enter(1)
    with pytest.raises(Refusal):
        ask(verdicts, OTHER)
    assert verdicts.differences == {1: "What time is it?"}
    verdicts.leave(1)
    with pytest.raises(Refusal):
        ask(verdicts, OTHER)
    assert verdicts.differences == dict.fromkeys((1, 2), "What time is it?")


def test_different_verdicts_on_one_question_of_a_group_or_of_the_run_are_nobodys() -> None:
    for recorded in ({"a": ["yes"], "b": ["no"]}, {"": ["yes", "no"]}):
        verdicts = answering(judged(recorded), ["a", "b"])
        with pytest.raises(Refusal):
            ask(verdicts)
        assert verdicts.differences == {0: "Is it right?"}
    alike = answering(judged({"": ["yes", "yes"]}), ["a"], ["b"])
    assert [ask(alike) for _ in range(3)] == ["yes"] * 3


def test_a_rollout_whose_judge_was_reached_by_a_host_is_left_out_where_that_is_not_called() -> None:
    replays = TrainingReplays(replayed())
    first, *others = replays.rollouts
    first.judge_hosts = frozenset({"api.openai.com"})
    play(replays, {first.name: [1.0, 1.0]})
    replays.finish(hosts={""})
    assert first.why_not_compared == "its judge at api.openai.com was not called"
    assert replays.compared == others
