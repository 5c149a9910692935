"""The refresh interval of live pages."""

from __future__ import annotations

from typing import Any

SLOWEST = 10
RUNS_A_SECOND_MORE = 5


def pace(run: dict[str, Any] | None) -> int:
    """Seconds between two requests: one, and more for a run far back in the queue.

    Events of a runner must be on the page within two seconds; a queued run has none.
    """
    place = run and run["queue"]
    return min(SLOWEST, 1 + place["before"] // RUNS_A_SECOND_MORE) if place else 1
