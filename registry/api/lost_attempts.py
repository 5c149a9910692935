"""The attempts that a run lost, and when its next one may begin, as JSON."""

from __future__ import annotations

from typing import Any

from registry.runs import waiting
from registry.runs.models import Run


def of_run(run: Run) -> dict[str, Any]:
    """`not_before`, null unless the run waits for that time, and `lost_attempts` in order."""
    pause = waiting.paused(run)
    # A run in its first attempt has lost none, unless that was the last one too.
    rows = run.lost_attempts.all() if run.attempt > 1 or run.status == Run.Status.ERRORED else ()
    return {
        "not_before": pause.isoformat() if pause else None,
        "lost_attempts": [
            {
                "attempt": row.attempt,
                "runner": row.runner_name,
                "counted": row.counted,
                "handed_back": row.handed_back,
                "code": row.code,
                "message": row.message,
                "at": row.at.isoformat(),
            }
            for row in rows
        ],
    }
