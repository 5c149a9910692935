"""The refresh interval of live pages."""

from __future__ import annotations

from registry.runs.queue import Position

SLOWEST = 10
RUNS_A_SECOND_MORE = 5


def pace(position: Position | None) -> int:
    """Seconds between two requests: one, and more for a run far back in the queue.

    Events of a runner must be on the page within two seconds; a queued run has none.
    """
    return min(SLOWEST, 1 + position.before // RUNS_A_SECOND_MORE) if position else 1
