"""Whether an early tool result has the answer, as the reference plays its task."""

from __future__ import annotations

import json
from typing import Any

import pytest

from envyard_runner.conversation_checks.early_answers import EarlyAnswer
from envyard_runner.execution.shown_answers import early_findings
from envyard_runner.gateway.openai import Call
from envyard_runner.gateway.reply import Reply
from envyard_runner.gateway.rollout_records import Record


def steps(
    answer: str, *results: tuple[str, str], task: int = 0, given: Any = 7, ends: str = ""
) -> Record:
    """A rollout of the reference: a call of each tool with its result, the last of which gets
    `given`, then the answer or another reply."""
    record = Record(f"oracle/{task}/0", "oracle")
    messages: list[dict[str, Any]] = [{"role": "user", "content": "What caused the fault?"}]
    for number, (name, result) in enumerate(results):
        value = given if number == len(results) - 1 else 7
        function = {"name": name, "arguments": json.dumps({"number": value})}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        reply = Reply(content=[""], tool_calls={0: call}, finish_reason="tool_calls")
        record.add(Call([*messages], [], False, False, {}), reply, 0.1)
        messages += [reply.message, {"role": "tool", "tool_call_id": call["id"], "content": result}]
    last = Reply(content=[ends or f"Cause: {answer}"], tool_calls={}, finish_reason="stop")
    record.add(Call([*messages], [], False, False, {}), last, 0.1)
    return record


def found(*records: Record) -> list[str]:
    played = {record.rollout: early for record in records if (early := EarlyAnswer.of(record))}
    return [each.message for each in early_findings(played)]


CAUSES = ("loose cable", "full disk", "wrong mask")


def tickets(result: str, last: str = "log") -> list[Record]:
    return [
        steps(cause, ("ticket", result.format(cause)), (last, "a b c"), task=task)
        for task, cause in enumerate(CAUSES)
    ]


def test_a_field_with_the_answer_in_an_early_result_is_a_warning() -> None:
    (message,) = found(*tickets('{{"device": "r7", "resolution": "{}"}}'))
    assert "3 of 3 rollouts" in message
    assert "resolution" in message


@pytest.mark.parametrize(
    ("result", "last"),
    [
        ('{{"device": "r7"}}', "log"),
        ("the {} was seen long ago", "log"),
        ("causes: loose cable, full disk, wrong mask, {}", "log"),
        ('{{"device": "r7", "resolution": "{}"}}', "ticket"),
    ],
    ids=["not there", "in a sentence", "one of a list", "of the same tool"],
)
def test_other_early_results_are_not(result: str, last: str) -> None:
    assert found(*tickets(result, last)) == []


def test_one_task_of_several_shows_nothing() -> None:
    records = tickets('{{"device": "r7"}}')
    records[0] = steps(CAUSES[0], ("ticket", "cause: loose cable"), ("log", "a b c"))
    assert found(*records) == []


def closed(result: str, *, has_field: bool = True) -> list[str]:
    """The findings where the reference submits the cause by its last call."""
    played = {}
    for task, cause in enumerate(CAUSES):
        looks = (("ticket", result.format(cause)), ("log", "a b c"), ("close", "closed"))
        record = steps(cause, *looks, task=task, given=cause, ends="It is done.")
        if early := EarlyAnswer.of(record, cause if has_field else ""):
            played[record.rollout] = early
    return [each.message for each in early_findings(played)]


def test_an_answer_that_the_last_call_submits_counts_as_the_reply() -> None:
    shows = '{{"device": "r7", "resolution": "{}"}}'
    (message,) = closed(shows)
    assert "'ticket' returned" in message
    assert not closed(shows, has_field=False)
    assert not closed('[{{"cause": "{}"}}, {{"cause": "fire"}}]')
    assert not closed('{{"device": "r7"}}')


@pytest.mark.timeout(20)
def test_long_results_are_read_in_time() -> None:
    found(*(steps("17", ("a", " " * 1_000_000), ("b", ""), task=task) for task in range(9)))
