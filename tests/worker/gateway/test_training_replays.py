"""Which recorded rollouts a trainer's host plays, and when another reward counts."""

from __future__ import annotations

from collections.abc import Mapping

from envyard.contract.replay import Replay
from envyard_runner.gateway.judge.records import JudgeRecords
from envyard_runner.gateway.replays import Replays
from envyard_runner.gateway.reply import Reply
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
    groups = [[name, f"{name}x"] if compared else [name] for name in NAMES]
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
    """Every rollout as often as planned, with these rewards, or nothing."""
    left = {name: [*rewards] for name, rewards in paid.items()}
    for alias, _ in replays.planned():
        record = replays.record(alias)
        assert record is not None
        assert record.replies_to_repeat is not None
        record.replies_to_repeat.answer(CALL)
        rewards = left.get(record.rollout)
        replays.ended(alias, reward=rewards.pop(0) if rewards else 0.0, error="")


def names(replays: TrainingReplays) -> list[str]:
    return [rollout.name for rollout in replays.differing]


def test_after_exact_replays_each_is_played_twice_and_one_that_differs_counts() -> None:
    replays = TrainingReplays(replayed())
    assert len(replays.planned()) == 2 * 8
    first = replays.rollouts[0].name
    play(replays, {first: [1.0, 1.0], replays.rollouts[1].name: [1.0, 0.0]})
    assert len(replays.compared) == 8
    assert names(replays) == [first]


def test_an_inexact_replay_is_left_out_and_the_others_are_compared() -> None:
    replays = TrainingReplays(replayed("parrot/0/0", "parrot/1/0"))
    assert not replays.why_none
    chosen = {rollout.name for rollout in replays.rollouts}
    assert len(chosen) == 8
    assert not {"parrot/0/0", "parrot/1/0"} & chosen
    assert len(replays.planned()) == 4 * 8


def test_beside_inexact_replays_a_single_rollout_that_differs_may_be_chance() -> None:
    replays = TrainingReplays(replayed("parrot/0/0"))
    first, second = (rollout.name for rollout in replays.rollouts[:2])
    play(replays, {first: [1.0] * 4, second: [1.0, 1.0, 0.0, 1.0]})
    assert names(replays) == []
    replays = TrainingReplays(replayed("parrot/0/0"))
    play(replays, {rollout.name: [1.0] * 4 for rollout in replays.rollouts})
    assert len(names(replays)) == 8


def test_where_many_replays_were_inexact_nothing_is_compared_and_the_reason_says_so() -> None:
    replays = TrainingReplays(replayed(*NAMES[:4]))
    assert (replays.why_none, replays.planned()) == ("only 8 of 12 replays were exact", [])


def test_rewards_that_compare_attempts_are_not_compared_and_the_reason_says_so() -> None:
    assert TrainingReplays(replayed(compared=True)).why_none == "its rewards compare attempts"
