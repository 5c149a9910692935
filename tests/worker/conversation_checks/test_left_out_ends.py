"""Tools that leave out the last of the days that they are asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Any

import pytest

from envyard_runner.conversation_checks.left_out_ends import LeftOutEnds
from envyard_runner.execution.contrary_results import left_out_findings
from envyard_runner.gateway.openai import Call
from envyard_runner.gateway.reply import Reply
from envyard_runner.gateway.rollout_records import Record

INCLUDED = "The calls from first_day to last_day, both days included."
Rows = Callable[[int, int], Sequence[int]]


def in_march(day: int) -> str:
    return f"{day} March: Alba, {day * 10} t"


def iso(day: int) -> str:
    return str(date(2024, 3, 1) + timedelta(days=day - 1))


def played(task: int, rows: Rows, described: str, *, dates: bool) -> Record:
    """A rollout with one call of 5 days or more, whose result has these days."""
    first, last = 1 + task, 6 + 2 * task
    bounds = [iso(first), iso(last)] if dates else [first, last]
    arguments = dict(zip(("first_day", "last_day"), bounds, strict=True))
    function = {"name": "log", "arguments": json.dumps(arguments)}
    call = {"id": "call_0", "type": "function", "function": function}
    days = rows(first, last)
    text = json.dumps([{"at": iso(d)} for d in days]) if dates else "\n".join(map(in_march, days))
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "How much?"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_0", "content": text},
    ]
    tool = {"type": "function", "function": {"name": "log", "description": described}}
    record = Record(f"oracle/{task}/0", "oracle")
    record.add(Call(messages, [tool], False, False, {}), Reply(content=["Sum: 7"]), 0.1)
    return record


def findings(rows: Rows, described: str = INCLUDED, *, dates: bool = False) -> list[str]:
    ends = LeftOutEnds()
    for task in range(10):
        ends.add(played(task, rows, described, dates=dates))
    return [finding.message for finding in left_out_findings(ends.left_out)]


@pytest.mark.parametrize("dates", [False, True])
def test_a_period_without_its_included_end_is_named(dates: bool) -> None:
    (message,) = findings(lambda first, last: range(first, last), dates=dates)
    assert "The tool 'log' leaves out the end of the requested period" in message
    assert "oracle/0/0" in message


@pytest.mark.parametrize(
    ("rows", "described"),
    [
        (lambda first, last: range(first, last + 1), INCLUDED),
        (lambda first, last: range(first, last), "The calls from first_day to last_day."),
        (lambda first, last: range(first, last), "first_day included, last_day not included"),
        (lambda first, last: range(first, last - 2), INCLUDED),  # entries end before
        (lambda first, last: [d for d in range(first, last) if d % 2], INCLUDED),  # no even days
        (lambda first, last: [], INCLUDED),
    ],
)
def test_whole_open_and_sparse_periods_are_not(rows: Rows, described: str) -> None:
    assert findings(rows, described) == []


def test_days_of_the_week_without_entries_are_not_left_out() -> None:
    def open_days(first: int, last: int) -> list[int]:
        ends = {6 + 2 * task for task in range(10)}
        closed = {end % 7 for end in ends}
        return [day for day in range(first, last) if day % 7 not in closed]

    assert findings(open_days, dates=True) == []
