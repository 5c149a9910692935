"""Intervals at 95 %: Wilson's for rates, the bootstrap clustered by task for means."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from statistics import fmean

Z = 1.959963984540054  # the normal distribution's 97.5 % point
RESAMPLES = 2000

Interval = tuple[float | None, float | None]


def wilson(hits: int, n: int) -> Interval:
    """Wilson's score interval of the rate hits/n, within [0, 1]; (None, None) for n = 0.

    Source: Wilson 1927; it keeps its coverage at small n and at rates of 0 and 1, where the
    normal interval has no width.
    """
    if n == 0:
        return None, None
    rate, z2 = hits / n, Z * Z
    centre = (rate + z2 / (2 * n)) / (1 + z2 / n)
    half = Z / (1 + z2 / n) * math.sqrt(rate * (1 - rate) / n + z2 / (4 * n * n))
    low = 0.0 if hits == 0 else max(0.0, centre - half)  # exact at the ends, where floats are not
    return low, 1.0 if hits == n else min(1.0, centre + half)


def bootstrap_mean(groups: Mapping[int, Sequence[float]]) -> Interval:
    """Percentile interval of the mean over all values, tasks drawn with replacement.

    Values of one task are not independent, so whole tasks are drawn (cluster bootstrap, Cameron,
    Gelbach and Miller 2008). Seeded: equal values give equal intervals. (None, None) for fewer
    than two tasks, whose spread nobody can know.
    """
    clusters = [(sum(values), len(values)) for _, values in sorted(groups.items()) if values]
    if len(clusters) < 2:
        return None, None
    draw = random.Random(0)  # noqa: S311 - statistics, not a secret
    means = []
    for _ in range(RESAMPLES):
        sample = draw.choices(clusters, k=len(clusters))
        means.append(sum(total for total, _ in sample) / sum(n for _, n in sample))
    means.sort()
    return percentile(means, 0.025), percentile(means, 0.975)


def percentile(ordered: Sequence[float], share: float) -> float:
    """The value below which that share lies, interpolated; `ordered` is sorted and not empty."""
    position = share * (len(ordered) - 1)
    low = math.floor(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (position - low)


def mean(values: Sequence[float]) -> float | None:
    """The mean, None of nothing."""
    return fmean(values) if values else None
