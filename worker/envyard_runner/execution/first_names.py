"""How findings name many rollouts."""

from __future__ import annotations

from collections.abc import Sequence

MAX_NAMES = 10


def first_names(rollouts: Sequence[str]) -> str:
    """The first names, and the number of the others."""
    more = f" and {len(rollouts) - MAX_NAMES} more" if len(rollouts) > MAX_NAMES else ""
    return ", ".join(rollouts[:MAX_NAMES]) + more
