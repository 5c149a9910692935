"""Attempts that ended without a result: which count, the pause before the next, the last one.

Reasons: docs/decisions/0029.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from envyard.contract.findings import Finding, finding
from envyard.contract.values import text
from registry.runs import limits
from registry.runs.lost_attempt_models import LostAttempt
from registry.runs.models import Run

HANDED_BACK = "run.handed_back"
MESSAGE_CHARACTERS = 300  # of each fault, in a sentence that names several


def lost_attempt(
    run: Run, findings: Sequence[Finding], *, now: datetime, silent: bool, handed_back: bool
) -> LostAttempt:
    """The unsaved row of the current attempt; `silent` where its runner stopped reporting."""
    handed_back = handed_back or any(finding.code == HANDED_BACK for finding in findings)
    message = "; ".join(finding.message.rstrip(".") for finding in findings)
    return LostAttempt(
        run=run,
        attempt=run.attempt,
        runner=run.runner,
        runner_name=run.runner.name if run.runner else "",
        counted=not handed_back and _reached_environment(run, silent=silent),
        handed_back=handed_back,
        code=text(findings[0].code, 79)[:80] if findings else "",
        message=text(message, 490)[:500],
        at=now,
    )


def _reached_environment(run: Run, *, silent: bool) -> bool:
    """Whether environment code began to run in this attempt.

    Tasks, a load time and rollouts show it for runners that do not send `environment_began`. Where
    a runner stopped reporting after its sandbox had started, the environment may have ended it:
    that counts too.
    """
    known = ("environment_began", "load_seconds", "tasks")
    if any(run.facts.get(name) not in (None, False) for name in known) or run.done:
        return True
    return silent and run.status in (Run.Status.RUNNING, Run.Status.SCORING)


def pause(rows: Sequence[LostAttempt]) -> timedelta:
    """The time between the start of the last of these attempts and the next one.

    Doubled with every one; a first hand-back takes no pause.
    """
    count = len(rows) - any(row.handed_back for row in rows)
    if count == 0:
        return timedelta(0)
    doublings: int = min(count - 1, 20)
    return min(limits.FIRST_PAUSE * (1 << doublings), limits.MAX_PAUSE)


def not_before(run: Run, rows: Sequence[LostAttempt], *, now: datetime) -> datetime | None:
    """When the next attempt may begin; None where that is now."""
    earliest = (run.started_at or now) + pause(rows)
    return earliest if earliest > now else None


def exhausted_finding(rows: Sequence[LostAttempt], *, now: datetime) -> Finding | None:
    """The finding that ends the run after these attempts; None where another one is allowed."""
    maximum, counted = limits.max_attempts(), [row for row in rows if row.counted]
    if len(counted) >= maximum:
        message = (
            f"{len(counted)} attempts reached the environment's code and ended early; "
            f"{maximum} may (HUB_LEASE_ATTEMPTS). {by_runner(rows)}."
        )
        return finding("run.attempts_exhausted", message)
    if now - rows[0].at >= limits.MAX_UNCOUNTED:
        hours = limits.MAX_UNCOUNTED.total_seconds() / 3600
        message = (
            f"{len(rows)} attempts within more than {hours:.0f} hours ended before the "
            f"environment's code began, or were handed back. {by_runner(rows)}."
        )
        return finding("run.never_began", message)
    return None


def by_runner(rows: Sequence[LostAttempt]) -> str:
    """Each runner with the numbers of its attempts and the fault of the last one."""
    numbers: dict[str, list[int]] = {}
    for row in rows:
        numbers.setdefault(row.runner_name or "a removed runner", []).append(row.attempt)
    faults = {row.runner_name or "a removed runner": row.message for row in rows}
    return "; ".join(
        f"{name} (attempt{'s' if len(some) > 1 else ''} {', '.join(map(str, some))}): "
        f"{text(faults[name], MESSAGE_CHARACTERS)}"
        for name, some in numbers.items()
    )
