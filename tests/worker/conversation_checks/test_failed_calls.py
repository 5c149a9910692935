"""Tasks for which the tools have nothing, behind those that they know."""

from __future__ import annotations

import pytest

from envyard_runner.conversation_checks.failed_calls import FailedCalls
from envyard_runner.execution.contrary_results import failed_call_findings
from envyard_runner.gateway.rollout_records import Record
from tests.worker.conversation_checks.test_contrary_results import played

KNOWN, ABSENT = ("year: 1780", "year: 1900"), ("no object has this title", "no such number")


def messages(results: list[tuple[str, ...]], answers: list[str] | None = None) -> list[str]:
    calls = FailedCalls()
    for task, each in enumerate(results):
        answer = answers[task] if answers else str(100 + task)
        calls.add(5 * task, played(5 * task, each, f"Years: {answer}", "How old are both?"))
    return [finding.message for finding in failed_call_findings(calls.late)]


def test_late_tasks_of_which_the_tools_know_nothing_are_named() -> None:
    (message,) = messages([KNOWN] * 4 + [ABSENT] * 2)
    assert message.startswith("From task 20 on all tool calls of the references fail, in 2 tasks")
    assert "returned 'no object has this title'" in message


@pytest.mark.parametrize(
    ("results", "answers"),
    [
        ([KNOWN] * 6, None),
        ([ABSENT] * 6, None),  # no call ever succeeds: the reference does not need them
        ([KNOWN] * 5 + [ABSENT], None),  # one task
        ([KNOWN, ABSENT] * 3 + [KNOWN], None),  # here and there: things that are rightly absent
        ([KNOWN] * 4 + [("no such number", "year: 1780")] * 2, None),  # one of two calls
        ([KNOWN] * 4 + [ABSENT] * 2, ["1", "2", "3", "4", "unknown", "not there"]),
        ([KNOWN] * 4 + [ABSENT] * 2, ["1", "2", "3", "4", "7", "7"]),
        ([KNOWN] * 4 + [("standard error: 0.5",), ("standard error: 7",)], None),
        ([KNOWN] * 4 + [("0 warnings, 0 errors, mean error 2",)] * 2, None),
        ([KNOWN] * 4 + [("error: code 104",), ("error: code 105",)], None),  # it is the answer
        ([KNOWN] * 4 + [("error " + "long " * 60,)] * 2, None),  # a text that has the word
    ],
)
def test_calls_that_may_rightly_fail_are_not_named(
    results: list[tuple[str, ...]], answers: list[str] | None
) -> None:
    assert messages(results, answers) == []


def test_a_call_that_is_repeated_until_it_succeeds_does_not_fail() -> None:
    calls = FailedCalls()
    for task in range(6):
        record = played(task, ("error: try again", "year: 1780"), f"Years: {task}", "How old?")
        for node in record.recorder.transcript.nodes:
            for call in node.message.get("tool_calls") or ():
                call["function"]["arguments"] = "{}"
        calls.add(task, record)
    assert set(calls.tasks.values()) == {None}


def test_records_without_calls_and_of_other_policies_are_ignored() -> None:
    calls = FailedCalls()
    calls.add(0, Record("oracle/0/0", "oracle"))
    calls.add(1, Record("silent/1/0", "silent"))
    calls.add(2, played(2, (), "Years: 7", "How old?"))
    assert calls.tasks == {}
