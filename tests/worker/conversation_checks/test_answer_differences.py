"""Tools that reveal by how much a guess misses the answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from envyard_runner.conversation_checks.answer_differences import AnswerDifferences
from envyard_runner.execution.shown_answers import difference_findings
from envyard_runner.gateway.openai import Call
from envyard_runner.gateway.reply import Reply
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.probing.submitted_answers import is_submitted, last_submission


def snooped(
    task: int,
    result: str,
    *,
    policy: str = "snoop",
    reply: str = "-",
    prompt: str = "The total?",
    name: str = "check_total",
    **arguments: Any,
) -> Record:
    """A rollout in which one call of a tool got this result."""
    record = Record(f"{policy}/{task}/0", policy)
    function = {"name": name, "arguments": json.dumps(arguments)}
    messages = [
        {"role": "user", "content": prompt},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "a", "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": "a", "content": result},
    ]
    record.add(Call(messages, [], False, False, {}), Reply(content=[reply]), 0.1)
    return record


def solved(task: int, reply: str) -> Record:
    record = Record(f"oracle/{task}/0", "oracle")
    call = Call([{"role": "user", "content": "The total?"}], [], False, False, {})
    record.add(call, Reply(content=[reply]), 0.1)
    return record


def submitted(task: int, total: Any, **other: Any) -> Record:
    """A rollout of the reference that submits the answer by a tool and ends with a sentence."""
    rollout = {"policy": "oracle", "reply": "It is done.", "cents": total} | other
    return snooped(task, "accepted", **rollout)


def findings(*records: Record, fields: tuple[str, ...] = ("", "")) -> list[str]:
    differences = AnswerDifferences()
    for record in records:
        differences.add(record, fields[int(record.rollout.split("/")[1])])
    return [finding.message for finding in difference_findings(differences.revealed)]


def test_a_tool_that_reveals_the_difference_to_the_answer_is_a_leak() -> None:
    (message,) = findings(
        snooped(0, "mismatch: 1 was given, difference to the books +12344", cents=1),
        snooped(1, "too low by 1,999", cents=1),
        solved(0, "Total: 12345"),
        solved(1, "<answer>2000</answer>"),
    )
    assert "In snoop/0/0 it returned 'mismatch: 1 was given" in message
    assert "to 1, and the answer is 12345" in message


def test_a_tool_that_names_what_it_expected_is_a_leak() -> None:
    (message,) = findings(
        snooped(0, "the total does not match: expected 143, got 1", total=1),
        snooped(1, "wrong, it should be 77", total=1),
        solved(0, "Total: 143"),
        solved(1, "Total: 77"),
    )
    assert "A tool reveals the answer to a wrong number" in message
    other = snooped(1, "expected 770 rows", total=1)
    assert not findings(snooped(0, "expected 143, got 1", total=1), other,
                        solved(0, "143"), solved(1, "77"))  # fmt: skip


def test_what_a_tool_counts_or_lists_is_none() -> None:
    answers = (solved(0, "12345"), solved(1, "2000"))
    one = snooped(0, "difference +12344", cents=1)
    assert not findings(one, snooped(1, "too low", cents=1), *answers)
    assert not findings(one, snooped(1, "1999 | 2000", page=1), *answers)
    assert not findings(one, snooped(1, "1999", a=1, b=1), *answers)
    assert not findings(one, snooped(1, "1999", text="1"), *answers)
    assert not findings(snooped(0, "8", n=1), snooped(1, "7", n=1), solved(0, "9"), solved(1, "8"))
    assert not findings(one, snooped(1, "difference 12344", cents=1), solved(0, "12345"),
                        solved(1, "12345"))  # fmt: skip


WRONG = (snooped(0, "off by -12344", cents=1), snooped(1, "off by -1999", cents=1))


@pytest.mark.parametrize("fields", [("", ""), ("12345", "2000")])
def test_an_answer_that_a_tool_gets_is_compared_with_what_that_tool_returns(
    fields: tuple[str, ...],
) -> None:
    (message,) = findings(*WRONG, submitted(0, 12345), submitted(1, 2000), fields=fields)
    assert "it returned 'off by -12344' to 1, and the answer is 12345" in message


def test_a_number_that_is_no_submitted_answer_is_not_compared() -> None:
    numbers = (12345, 2000)
    for other in (
        {"name": "open_page"},
        {"prompt": "How do 12345 and 2000 differ from the books?"},
        {"prompt": "Guess the number; I say how far you are from it."},
        {"index": 7},
    ):
        answers = [submitted(task, number, **other) for task, number in enumerate(numbers)]
        assert not findings(*WRONG, *answers)
    answers = [submitted(task, number) for task, number in enumerate(numbers)]
    assert not findings(*WRONG, *answers, fields=("9", "8"))


@pytest.mark.parametrize("calls", [7, [7], [{"function": 7}], [{"function": {"arguments": "[["}}]])
def test_conversations_of_any_shape_submit_nothing(calls: Any) -> None:
    messages = [{"role": "assistant", "content": None, "tool_calls": calls}]
    assert last_submission(messages) is None
    assert not is_submitted(messages, "7")
