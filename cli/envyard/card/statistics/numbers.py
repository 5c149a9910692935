"""Numbers that describe a list of values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean


def percentile(ordered: Sequence[float], share: float) -> float:
    """The value below which that share lies, interpolated; `ordered` is sorted and not empty."""
    position = share * (len(ordered) - 1)
    low = math.floor(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (position - low)


def mean(values: Sequence[float]) -> float | None:
    """The mean, None of nothing."""
    return fmean(values) if values else None
