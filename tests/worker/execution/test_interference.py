"""Rollouts that change what later rollouts are shown."""

from __future__ import annotations

import pytest

from envyard_runner.execution.interference import interference_findings

OTHER = "call 2 was 'user: nothing more'"


def test_rollouts_of_two_tasks_that_were_shown_something_else_are_named() -> None:
    shown = {"oracle/1/0": OTHER, "oracle/0/0": OTHER, "oracle/2/0": ""}
    (finding,) = interference_findings(shown)
    assert (finding.code, finding.severity) == ("env.rollouts_interfere", "warning")
    assert "2 of 3 rollouts were shown something else" in finding.message
    assert f"In oracle/0/0 {OTHER}" in finding.message


@pytest.mark.parametrize(
    "shown",
    [
        {},
        {"oracle/0/0": ""},
        {"oracle/0/0": OTHER, "oracle/0/1": OTHER},
        {f"oracle/{task}/0": OTHER if task < 2 else "" for task in range(5)},
    ],
)
def test_one_task_or_few_of_many_may_be_chance(shown: dict[str, str]) -> None:
    assert not [*interference_findings(shown)]
