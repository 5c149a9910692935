"""A run's findings name the likely cause of its failure and the next step."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from envyard.contract.codes import CODES
from tests.worker.scripted_sandbox import (
    EXITED,
    SPEC,
    Outcome,
    ScriptedSandbox,
    loaded,
    perform_run,
)

HOST = "data.example.org"
REACH = "Couldn't reach 'lab/sums' on the Hub (X)"
NO_NETWORK = {
    "type": "ConnectionError",
    "message": REACH,
    "traceback": "Traceback (most recent call last):\n  ...\nConnectionError: Couldn't reach\n",
    "fault": "environment",
    "raised": [
        {"types": ["builtins.ConnectionError"], "message": REACH,
         "call": 'load_dataset("lab/sums")', "at": "word_game/env.py:7"},
        {"types": ["httpx.ConnectError"], "message": f"https://{HOST}: Name or service not known"},
    ],
}  # fmt: skip


def finding(outcome: Outcome) -> dict[str, Any]:
    """The only finding of a run."""
    (only,) = findings(outcome)
    return only


def findings(outcome: Outcome) -> list[dict[str, Any]]:
    (ending,) = outcome.hub.endings
    return [row for row in ending["findings"] if row["code"] != "run.inconsistent"]


def ended(error: Any, *, stage: str = "load", end: Any = None, printed: bytes = b"") -> Outcome:
    async def broken(sandbox: ScriptedSandbox) -> AsyncIterator[dict[str, Any]]:
        yield {"event": "environment_began"}
        sandbox.on_log(printed)
        if error is not None:
            yield {"event": "fatal", "stage": stage, "error": error}

    return perform_run(broken, end=end or replace(EXITED, code=1))


def failing(errors: list[dict[str, Any] | None]) -> Outcome:
    """A run of two probes on two tasks; None is a rollout that was scored."""

    async def program(sandbox: ScriptedSandbox) -> AsyncIterator[dict[str, Any]]:
        yield {"event": "environment_began"}
        yield loaded()
        left = list(errors)
        async for (item,) in sandbox.groups():
            word = item["rollout"]
            await sandbox.complete(word, f"question {item['task']}")
            error = left.pop(0) if sandbox.starts == 1 else None
            reward = None if error else 0.5
            yield {"event": "rollout", "rollout": word, "ok": not error, "reward": reward,
                   "error": error}  # fmt: skip

    return perform_run(program, spec=replace(SPEC, policies=("silent", "parrot"), tasks=2))


def test_a_load_that_reached_for_the_network_names_host_call_and_next_step() -> None:
    first_finding = finding(ended(NO_NETWORK))
    assert first_finding["code"] == "run.load_failed"
    assert first_finding["message"] == (
        "load_dataset(\"lab/sums\") (word_game/env.py:7) tried to reach the data set 'lab/sums' on "
        f"{HOST}; a sandbox has no network (ConnectionError: Couldn't reach 'lab/sums' on the Hub "
        "(X))."
    )
    assert first_finding["hint"].startswith("Ship the data in the wheel")
    assert first_finding["details"]["cause"] == "network"
    assert (
        first_finding["details"]["error"]
        == "ConnectionError: Couldn't reach 'lab/sums' on the Hub (X)"
    )
    assert first_finding["details"]["traceback"] == NO_NETWORK["traceback"]


def test_a_cause_that_is_not_known_leaves_the_error_as_it_was() -> None:
    first_finding = finding(ended({"type": "KeyError", "message": "'x'", "traceback": "line 3"}))
    assert first_finding["message"] == "KeyError: 'x'"
    assert first_finding["hint"] == CODES["run.load_failed"].hint
    assert first_finding["details"] == {
        "cause": "unknown",
        "error": "KeyError: 'x'",
        "traceback": "line 3",
    }


def test_a_load_that_took_all_the_time_names_the_host_that_the_log_shows() -> None:
    end = replace(EXITED, reason="wall_clock", code=None, signal=9, seconds=150.0)
    printed = f"HEAD https://{HOST}/x: Name or service not known\n".encode()
    first_finding = finding(ended(None, end=end, printed=printed))
    assert first_finding["code"] == "run.wall_clock"
    assert f"The log shows a failed attempt to reach {HOST}" in first_finding["message"]
    assert first_finding["details"]["cause"] == "network"
    slow = finding(ended(None, end=end))
    assert "its tasks were not loaded after 150 s" in slow["message"]
    assert slow["details"]["cause"] == "timeout"


def test_rollouts_that_all_failed_for_one_cause_have_one_finding() -> None:
    first_finding = finding(failing([NO_NETWORK] * 4))
    assert (first_finding["code"], first_finding["severity"]) == ("run.rollouts_failed", "warning")
    assert first_finding["message"].startswith(
        "All 4 rollouts failed for the same cause: load_dataset("
    )
    assert first_finding["details"]["cause"] == "network"
    key = {"type": "KeyError", "message": "'x'", "traceback": "", "fault": "environment"}
    alike = finding(failing([key] * 4))
    assert alike["message"] == "All 4 rollouts failed with the same error: KeyError: 'x'"


def test_some_failed_rollouts_with_a_known_cause_have_one_finding() -> None:
    first_finding = finding(failing([NO_NETWORK, NO_NETWORK, None, None]))
    assert first_finding["code"] == "run.rollouts_failed"
    assert first_finding["message"].startswith(
        "2 of 4 rollouts failed for the same cause: load_dataset("
    )


def test_rollouts_with_different_errors_have_no_common_finding() -> None:
    key = {"type": "KeyError", "message": "'x'", "traceback": "", "fault": "environment"}
    for errors in ([NO_NETWORK, NO_NETWORK, key, key], [key, key, key, None]):
        assert findings(failing([*errors])) == []


def test_odd_errors_of_a_sandbox_are_reported_within_bounds() -> None:
    odd = {"type": ["x"], "message": {"a": 1}, "traceback": 7, "raised": [{"types": {}}, 3, None]}
    for error in (odd, [], "text", {"raised": [{"types": ["E" * 5000], "message": "m" * 90_000}]}):
        first_finding = finding(ended(error))
        assert first_finding["code"] == "run.load_failed"
        assert len(first_finding["message"]) < 4_000
