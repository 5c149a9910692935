"""The tools of the framework's default harness act in the rollout's own runtime."""

from __future__ import annotations

from typing import Any

import pytest

from tests.worker.execution.with_framework.conftest import ReplayedRun, Runner

pytestmark = [pytest.mark.sandbox, pytest.mark.adapter, pytest.mark.timeout(400)]
COPIES, EDITS, FLOODS, FAILS = range(4)


@pytest.fixture(scope="module")
def played(forking_runner: Runner) -> ReplayedRun:
    files = {"__init__.py": "shell.py"}
    return forking_runner.perform(
        "v1", files, module="shell", policies=("silent", "oracle", "swapped"), tasks=4, attempts=1
    )


def test_commands_and_edits_change_what_the_reward_reads(played: ReplayedRun) -> None:
    assert played.outcome.result[0] == "succeeded"
    paid = {task: played.first[f"oracle/{task}/0"] for task in (COPIES, EDITS, FLOODS, FAILS)}
    assert paid == dict.fromkeys(paid, 1.0)
    assert played.first[f"silent/{COPIES}/0"] == 0.0


def test_replays_run_the_commands_again_with_the_same_reward(played: ReplayedRun) -> None:
    assert played.same == dict.fromkeys(played.same, True)
    assert played.same[f"oracle/{COPIES}/0"]
    assert {replay["diverged"] for replay in played.replays.values()} == {0}


def test_the_transcript_has_the_tools_and_what_they_returned(played: ReplayedRun) -> None:
    rollouts = {
        (rollout["policy"], rollout["task"]): rollout["transcript"]
        for rollout in played.outcome.hub.rollouts
    }
    copies = rollouts["oracle", COPIES]
    names = [tool["function"]["name"] for tools in copies["tools"] for tool in tools]
    assert names == ["bash", "edit"]
    assert "You are a coding agent." in content(copies, "system")
    assert content(copies, "tool") == "QUINCEfine\n"
    flood = content(rollouts["oracle", FLOODS], "tool")
    assert flood.endswith("bytes ...]")
    assert len(flood) < 40_000


def content(transcript: dict[str, Any], role: str) -> str:
    """The text of the only message of that role."""
    (text,) = (
        node["message"]["content"]
        for node in transcript["nodes"]
        if node["message"]["role"] == role
    )
    return str(text)
