"""How often a page that changes by itself asks what is new."""

from __future__ import annotations

from typing import Any

SLOWEST = 10
RUNS_A_SECOND_MORE = 5


def pace(run: dict[str, Any] | None) -> int:
    """Seconds between two questions: one, and more for a run that waits behind many others.

    What a runner tells must be on the page within two seconds; nothing is told of a run that waits.
    """
    place = run and run["queue"]
    return min(SLOWEST, 1 + place["before"] // RUNS_A_SECOND_MORE) if place else 1
