"""What ended a sandbox before the environment began to load: never the environment's fault."""

from __future__ import annotations

from typing import Any

from envyard.contract.findings import Finding, finding
from envyard.contract.values import record, text
from envyard_runner.sandbox import Exit

LINES, CHARACTERS = 6, 1200
# By the last stage that the process reported.
STEPS = {
    "machine": "while it was checked what this machine gives to a sandbox",
    "start": "while the interpreter started (its start-up files are the venv's)",
    "framework": "while the framework was imported",
}
UNREPORTED = "in the launcher or the interpreter that it starts"
LIMITS = {
    "wall_clock": "the time limit",
    "memory": "the memory limit",
    "cpu": "the limit of processor time",
    "files": "the limit of files",
    "descriptors": "the limit of open files and sockets",
    "events_flood": "the limit of events",
}


def startup_failure(fatal: dict[str, Any] | None, end: Exit, output: bytes) -> Finding:
    """What died, how, and the last lines of what it printed; `fatal` is its own last event."""
    event = fatal or {}
    error = record(event.get("error"))
    kind, reason = text(error.get("type"), 200), text(error.get("message"), 500)
    where = STEPS.get(str(event.get("stage")), UNREPORTED)
    parts = [f"{kind}: {reason}" if kind and reason else kind or reason, describe_exit(end)]
    message = (
        f"The sandbox ended before the environment's code began to load, {where}: "
        f"{', '.join(part for part in parts if part)}."
    )
    last = _last_lines(output) or _last_lines(text(error.get("traceback"), 8000).encode())
    return finding(
        "run.runner_error",
        f"{message} Last output: {last}" if last else f"{message} It printed nothing.",
        hint="Run `hub-runner doctor` on the runner's machine; the hub tries the run again.",
        exit_code=end.code,
        signal=end.signal,
        reason=end.reason,
        output=last,
    )


def describe_exit(end: Exit) -> str:
    """The exit in words."""
    if end.reason in LIMITS:
        return f"{LIMITS[end.reason]} was reached after {end.seconds:.0f} s"
    if end.signal:
        return f"signal {end.signal}"
    return f"exit code {end.code}"


def _last_lines(output: bytes) -> str:
    lines = [line.strip() for line in output.decode("utf-8", "replace").splitlines()]
    return "\n".join([line for line in lines if line][-LINES:])[-CHARACTERS:]
