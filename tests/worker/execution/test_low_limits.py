"""Runs that end because a limit of the runner is too low for the environment blame nobody."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.worker.scripted_sandbox import BEGAN, ScriptedSandbox, loaded, perform_run

CHECK = {"type": "RuntimeError", "message": "File descriptor limit (RLIMIT_NOFILE) is set to 20000"}
OWN = {"type": "OSError", "message": "[Errno 24] Too many open files: '/tmp/rows'"}


def fails_to_load(error: dict[str, str]) -> Any:
    async def program(_: ScriptedSandbox) -> AsyncIterator[dict[str, Any]]:
        yield BEGAN
        yield {"event": "fatal", "stage": "load", "error": error}

    return program


def fails_in_rollouts(error: dict[str, str], *, spared: int = 0) -> Any:
    """The first `spared` rollouts are scored."""

    async def program(sandbox: ScriptedSandbox) -> AsyncIterator[dict[str, Any]]:
        yield BEGAN
        yield loaded()
        number = -1
        async for (item,) in sandbox.groups():
            number += 1
            word, task = item["rollout"], item["task"]
            await sandbox.complete(word, f"question {task}")
            scored = {"ok": True, "reward": 0.0} if number < spared else {"ok": False}
            yield {"event": "rollout", "rollout": word, "error": error, **scored}

    return program


@pytest.mark.parametrize("program", [fails_to_load, fails_in_rollouts])
def test_a_limit_that_the_environment_checks_is_the_platforms_fault(program: Any) -> None:
    run = perform_run(program(CHECK))
    assert run.result == ("errored", ["run.limit_too_low"])
    (problem,) = run.hub.endings[0]["findings"]
    assert "requires a higher limit than its runner has" in problem["message"]
    assert "LimitNOFILE" in problem["hint"]


def test_a_limit_that_is_reached_is_the_environments_fault() -> None:
    run = perform_run(fails_to_load(OWN))
    assert run.result == ("failed", ["run.load_failed"])


def test_a_run_of_which_rollouts_were_scored_is_decided_by_them() -> None:
    run = perform_run(fails_in_rollouts(CHECK, spared=1))
    assert run.result[0] == "succeeded"
