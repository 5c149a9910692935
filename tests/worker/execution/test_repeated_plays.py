"""Rollouts that are shown something else once others were played."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from envyard.contract.mutants import MutantResult
from envyard.contract.replay import Replay, Replayed
from envyard_runner.execution.repeated_plays import shared_state_findings


def messages_for(*differences: str, diverged: int = 0, error: str = "") -> list[str]:
    """The messages for controls that were shown this otherwise, whose replays differed so early."""
    controls: list[Any] = [
        MutantResult(f"oracle/{task}/0", "unchanged", difference=each, error=error)
        for task, each in enumerate(differences)
    ]
    other = MutantResult("oracle/0/0", "digit", difference="never")
    replayed = [Replayed("oracle", task, 0, Replay(diverged=diverged)) for task in range(9)]
    replays: Any = SimpleNamespace(
        results=replayed, mutants=SimpleNamespace(results=[*controls, other])
    )
    return [each.message for each in shared_state_findings(replays)]


def test_two_that_were_shown_something_else_are_named() -> None:
    (message,) = messages_for("call 2: tool: 7 sacks", "", "call 3: tool: 5 drums")
    assert "2 of 3 rollouts" in message
    assert "oracle/0/0, oracle/2/0" in message
    assert "7 sacks" in message


@pytest.mark.parametrize("differences", [("", ""), ("call 2: tool: 7 sacks", "")])
def test_one_or_none_may_be_chance(differences: tuple[str, ...]) -> None:
    assert messages_for(*differences) == []


def test_what_differs_in_the_replay_too_is_no_state_and_failures_show_nothing() -> None:
    shown = ("call 2: tool: 7 sacks", "call 3: tool: 5 drums")
    assert messages_for(*shown, diverged=2) == []
    assert messages_for(*shown, error="TaskError") == []
