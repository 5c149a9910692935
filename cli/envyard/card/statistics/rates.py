"""Intervals of rates: Wilson's, also with rollouts clustered by task, and Clopper and Pearson's."""

from __future__ import annotations

import math
from collections.abc import Mapping

from envyard.card.statistics.beta import beta_quantile, t_quantile
from envyard.card.statistics.interval import ALPHA, Interval, no_interval

Z = 1.959963984540054  # the normal distribution's 97.5 % point
UPPER = 1 - ALPHA / 2


def wilson(hits: float, n: float) -> Interval:
    """Wilson's score interval of the rate hits/n, within [0, 1]; none for n = 0.

    Source: Wilson 1927; it keeps its coverage at small n and at rates of 0 and 1, where the
    normal interval has no width.
    """
    if n <= 0:
        return no_interval()
    rate, z2 = hits / n, Z * Z
    centre = (rate + z2 / (2 * n)) / (1 + z2 / n)
    half = Z / (1 + z2 / n) * math.sqrt(rate * (1 - rate) / n + z2 / (4 * n * n))
    low = 0.0 if hits == 0 else max(0.0, centre - half)  # exact at the ends, where floats are not
    return Interval(low, 1.0 if hits == n else min(1.0, centre + half), "Wilson")


def clustered_wilson(groups: Mapping[int, tuple[int, int]]) -> Interval:
    """Wilson's interval of a rate over rollouts, from each task's hits and rollouts.

    Rollouts of one task are not independent, so n is the effective sample size: the n at which
    independent rollouts would have the variance that the tasks show, corrected for the number of
    tasks. Where all or none are hits no variance is visible, and each task counts once.
    Source: Korn and Graubard 1998; Franco et al. 2019 for Wilson's interval with it.
    """
    counts = [(hits, n) for hits, n in groups.values() if n]
    total = sum(n for _, n in counts)
    if not total:
        return no_interval()
    rate = sum(hits for hits, _ in counts) / total
    if all(n == 1 for _, n in counts):
        return wilson(sum(hits for hits, _ in counts), total)
    n = _effective_size(counts, rate, total)
    hits = n if rate == 1 else 0.0 if rate == 0 else rate * n
    interval = wilson(hits, n)
    return Interval(interval.low, interval.high, "Wilson, clustered by task")


def clopper_pearson(hits: int, n: int, *, alpha: float = ALPHA) -> Interval:
    """The exact interval at level 1 - `alpha` of the rate hits/n of independent trials; none for
    n = 0.

    Source: Clopper and Pearson 1934.
    """
    if n <= 0:
        return no_interval()
    low = 0.0 if hits == 0 else beta_quantile(alpha / 2, hits, n - hits + 1)
    high = 1.0 if hits == n else beta_quantile(1 - alpha / 2, hits + 1, n - hits)
    return Interval(low, high, "Clopper-Pearson")


def _effective_size(counts: list[tuple[int, int]], rate: float, total: int) -> float:
    """Between 1 and the number of rollouts."""
    tasks = len(counts)
    if tasks == 1 or rate in (0.0, 1.0):
        return float(tasks)
    squares = sum((hits - rate * n) ** 2 for hits, n in counts)
    variance = tasks / (tasks - 1) * squares / total**2
    if variance == 0:
        return float(total)
    ratio = t_quantile(UPPER, total - 1) / t_quantile(UPPER, tasks - 1)
    return max(1.0, min(float(total), rate * (1 - rate) / variance * ratio**2))
