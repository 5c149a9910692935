"""Shards of an example environment, with the real framework: the same rollouts as in one run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.worker.execution.with_framework.conftest import ReplayedRun, Runner

pytestmark = [pytest.mark.sandbox, pytest.mark.adapter, pytest.mark.timeout(600)]
EXAMPLE = Path(__file__).parents[4] / "examples" / "reverse-text" / "reverse_text"
FILES = {path.name: str(path) for path in EXAMPLE.glob("*.py")}


def rows(run: ReplayedRun) -> list[tuple[Any, ...]]:
    """Task, attempt, reward, first message and seed of each rollout."""
    assert run.outcome.result[0] == "succeeded", run.outcome.result
    return sorted(
        (
            row["task"], row["attempt"], row["reward"],
            str(row["transcript"]["nodes"][0]["message"]),
            row["transcript"]["calls"][0]["sampling"]["seed"],
        )
        for row in run.outcome.hub.rollouts
    )  # fmt: skip


def test_an_example_in_shards_has_the_rollouts_of_one_run(forking_runner: Runner) -> None:
    def played(first_task: int, tasks: int) -> list[tuple[Any, ...]]:
        return rows(
            forking_runner.perform(
                "v1", FILES, module="reverse_text", policies=("model",),
                first_task=first_task, tasks=tasks, attempts=2,
            )
        )  # fmt: skip

    whole = played(0, 3)
    assert len(whole) == 6
    assert played(0, 1) + played(1, 2) == whole


@pytest.mark.extended
def test_named_tasks_have_the_rollouts_that_they_have_among_all(forking_runner: Runner) -> None:
    def played(**chosen: Any) -> list[tuple[Any, ...]]:
        return rows(
            forking_runner.perform(
                "v1", FILES, module="reverse_text", policies=("model",), attempts=1, **chosen
            )
        )

    whole = played(tasks=6)
    named = played(tasks=2, indexes=(1, 5))
    assert [row[0] for row in named] == [1, 5]
    assert named == [whole[1], whole[5]]
    assert played(tasks=1, indexes=(1, 5), first_task=5) == [whole[5]]
