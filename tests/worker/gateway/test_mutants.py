"""Which paid replies are changed, and what answers in their place."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from envyard.contract.judge import JudgeExchange
from envyard.contract.mutants import MutantResult
from envyard.contract.replay import Replay
from envyard_runner.gateway.mutants import Mutants
from envyard_runner.gateway.openai import Call
from envyard_runner.gateway.reply import Reply
from envyard_runner.gateway.rollout_records import Record

TOOL_CALL = {"id": "7", "type": "function", "function": {"name": "add", "arguments": "{}"}}


def call(*texts: str) -> Call:
    roles = ("user", "assistant")
    messages = [{"role": roles[at % 2], "content": text} for at, text in enumerate(texts)]
    return Call(messages, [], False, False, {})


def played(rollout: str, *replies: str, tool_call: bool = False) -> Record:
    """A rollout of one call for each reply, the last of which may call a tool."""
    record = Record(rollout, rollout.partition("/")[0])
    texts = ["question"]
    for number, reply in enumerate(replies, start=1):
        calls = {0: TOOL_CALL} if tool_call and number == len(replies) else {}
        record.add(
            call(*texts), Reply(content=[reply], tool_calls=calls, finish_reason="stop"), 0.1
        )
        texts += [reply, f"question {number}"]
    return record


def kept(*records: tuple[Record, float], seconds: float = 0.1, repeatable: bool = True) -> Mutants:
    mutants = Mutants()
    for record, reward in records:
        mutants.keep(record, reward=reward, seconds=seconds, repeatable=repeatable)
    return mutants


def planned(mutants: Mutants, alike: Any = range(9)) -> list[str]:
    """The aliases of the mutants."""
    groups = mutants.plan(alike=alike, concurrency=4)
    assert all(len(group) == 1 for group in groups)
    return [group[0]["rollout"] for group in groups]


def ended(mutants: Mutants, aliases: list[str], reward: float = 0.0) -> list[MutantResult]:
    for alias in aliases:
        assert mutants.ended(alias, Replay(reward=reward))
    return mutants.results


ORACLE = (played("oracle/0/0", "<answer>142</answer>"), 1.0)


def test_a_paid_reference_is_changed_by_every_operator_that_fits() -> None:
    mutants = kept((played("silent/0/0", ""), 0.0), ORACLE)
    results = ended(mutants, planned(mutants))
    assert [(r.operator, r.after) for r in results] == [
        ("unchanged", "142"), ("blank", ""), ("digit", "442"), ("last_digit", "143"),
        ("exchanged", "412"), ("extension", "7142"),
        ("near", "151"),
        ("truncation", "1"), ("nan", "nan"),
        ("negation", "not 142"), ("claim", "142 or 586"), ("spaces", "142"),
        ("emphasis", "**142**"),
    ]  # fmt: skip
    assert {(r.rollout, r.recorded, r.reward, r.turns) for r in results} == {
        ("oracle/0/0", 1.0, 0.0, 1)
    }


def test_a_mutant_replies_with_the_changed_text_in_the_same_form() -> None:
    mutants = kept(ORACLE)
    replies = []
    for alias in planned(mutants)[:3]:
        record = mutants.record(alias)
        assert record is not None
        assert record.replies_to_repeat is not None
        replies.append("".join(record.replies_to_repeat.answer(call("question")).content))
    assert replies == ["<answer>142</answer>", "<answer></answer>", "<answer>442</answer>"]
    assert mutants.record("nobody") is None


def test_in_several_turns_only_the_last_reply_is_changed() -> None:
    mutants = kept((played("oracle/0/0", "one", "two", "7"), 1.0))
    _, _, _, digit, *_ = planned(mutants)  # behind control, blank and the repeated first reply
    record = mutants.record(digit)
    assert record is not None
    assert record.replies_to_repeat is not None
    texts = ["question", "one", "question 1", "two", "question 2", "1", "question 3"]
    answers = [
        "".join(record.replies_to_repeat.answer(call(*texts[:count])).content)
        for count in (1, 3, 5, 7)
    ]
    assert answers == ["one", "two", "1", "1"]  # a call more than recorded gets the changed text


@pytest.mark.parametrize(
    "record",
    [
        played("model/0/0", "142"),
        played("oracle/0/0", ""),
        played("oracle/0/0", "142", tool_call=True),
        Record("oracle/0/0", "oracle"),
    ],
    ids=["of a model", "without text", "a tool's call", "without a call"],
)
def test_what_replied_with_no_text_of_the_oracle_is_not_changed(record: Record) -> None:
    assert planned(kept((record, 1.0))) == []


def test_a_rollout_that_called_a_judge_is_not_changed() -> None:
    record = played("oracle/0/0", "142")
    record.judge = [JudgeExchange()]
    assert planned(kept((record, 1.0))) == []


def test_what_cannot_be_repeated_or_is_another_task_by_now_is_not_changed() -> None:
    assert planned(kept(ORACLE, repeatable=False)) == []
    assert planned(kept(ORACLE), alike={1}) == []


@pytest.mark.parametrize(("reward", "changed"), [(-0.1, True), (-1.0, False), (-2.0, False)])
def test_only_what_earned_more_than_no_work_is_changed(reward: float, changed: bool) -> None:
    """With step penalties every reward may be below zero."""
    mutants = kept((played("silent/0/0", ""), -1.0), (played("oracle/0/0", "142"), reward))
    assert bool(planned(mutants)) == changed


def test_a_probe_that_happened_to_be_right_is_no_floor() -> None:
    echo = played("parrot/0/0", "142")
    echo.gave_right_reply = True
    assert planned(kept((echo, 1.0), ORACLE))
    assert not planned(kept((played("parrot/0/0", "142"), 1.0), ORACLE))


def test_slow_rollouts_are_changed_less_often() -> None:
    assert len(planned(kept(ORACLE, seconds=10.0))) == 4
    assert planned(kept(ORACLE, seconds=60.0)) == []


def test_a_mutant_ends_once_and_without_a_result_where_it_took_too_long() -> None:
    mutants = kept(ORACLE)
    first, second, *_ = planned(mutants)
    assert mutants.ended(first, Replay(reward=1.0))
    assert not mutants.ended(first, Replay(reward=0.0))
    assert mutants.ended(second, Replay(left_out="too long"))
    assert not mutants.ended("nobody", Replay(reward=1.0))
    assert [result.reward for result in mutants.results] == [1.0]


def test_a_change_that_fits_few_references_is_tried_beyond_the_first() -> None:
    numbers = [(played(f"oracle/{task}/0", str(140 + task)), 1.0) for task in range(8)]
    mutants = kept(*numbers, (played("oracle/8/0", "yes"), 1.0))
    results = ended(mutants, planned(mutants))
    changed = {task: {r.operator for r in results if r.task == task} for task in range(9)}
    assert "opposite" in changed[8]
    assert {"unchanged", "blank"} <= changed[8]  # they show whether its changes count
    assert [task for task in range(8) if "digit" in changed[task]] == [0, 1, 2, 3, 4]


def test_where_few_fit_each_change_is_made_on_two_rollouts_before_any_on_more() -> None:
    oracles = [(played(f"oracle/{n}/0", f"<answer>{142 + 13 * n}</answer>"), 1.0) for n in range(5)]
    slow = kept(*oracles, seconds=1.25)  # room for 32
    results = ended(slow, planned(slow))
    counts = Counter(result.operator for result in results)
    assert len(results) == 32
    assert counts["spaces"] == counts["emphasis"] == 2
    quick = kept(*oracles)
    assert Counter(result.operator for result in ended(quick, planned(quick)))["spaces"] == 5


def repeated(mutants: Mutants, last: str) -> None:
    """Play the unchanged rollout once more, in which the second question is `last`."""
    alias = planned(mutants)[0]
    record = mutants.record(alias)
    assert record is not None
    assert record.replies_to_repeat is not None
    record.replies_to_repeat.answer(call("question"))
    record.replies_to_repeat.answer(call("question", "one", last))
    assert mutants.ended(alias, Replay(reward=1.0))


@pytest.mark.parametrize(("shown", "differs"), [("question 1", 0), ("nothing more", 2)])
def test_what_an_unchanged_rollout_is_shown_the_second_time_is_kept(
    shown: str, differs: int
) -> None:
    mutants = kept((played("oracle/0/0", "one", "7"), 1.0))
    repeated(mutants, shown)
    (replies,) = mutants.unchanged.values()
    assert replies.diverged == differs
    assert (shown in replies.difference) == bool(differs)
