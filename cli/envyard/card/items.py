"""Item analysis over models: tasks that weak models solve more often than strong ones.

Such a task probably has a wrong label, or pays for something else than the others do. May import
the statistics alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import NormalDist
from typing import Any

from envyard.card.paired import Rewards, Task, compare, task_means
from envyard.card.statistics import CONFIDENCE, Bounds

MIN_MODELS = 4  # the fewest for which the interval exists


@dataclass(frozen=True, slots=True)
class NegativeItem:
    """A task whose reward falls with the strength of the model.

    `discrimination` is the correlation over `models` between the task's mean reward and the mean of
    all other tasks (corrected item-total correlation); `high` is its upper bound.
    """

    task: Task
    discrimination: float
    high: float
    models: int

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return asdict(self)


def negative_items(rows: Sequence[Rewards], bounds: Bounds) -> list[NegativeItem]:
    """The tasks that every row has whose discrimination is negative beyond chance, worst first.

    Empty for fewer than MIN_MODELS rows, and where the best and the worst of them are a tie: then
    nobody knows which models are strong. `bounds` are those of all rewards. The upper bound is that
    of Fisher's z at CONFIDENCE, divided by the number of tasks (Bonferroni), so that chance accuses
    none of many sound tasks. Sources: Lord and Novick 1968, 15.3 (item discrimination); Fisher 1921
    (interval).
    """
    means = [task_means(row) for row in rows]
    tasks = sorted(set.intersection(*(set(each) for each in means))) if means else []
    if len(rows) < MIN_MODELS or len(tasks) < 2:
        return []
    totals = [math.fsum(each[task] for task in tasks) for each in means]
    best, worst = totals.index(max(totals)), totals.index(min(totals))
    if compare(rows[best], rows[worst], bounds).is_tie:
        return []
    share = (1.0 - CONFIDENCE) / (2 * len(tasks))
    margin = NormalDist().inv_cdf(1.0 - share) / math.sqrt(len(rows) - 3)
    items = []
    for task in tasks:
        values = [each[task] for each in means]
        rest = [
            (total - value) / (len(tasks) - 1) for total, value in zip(totals, values, strict=True)
        ]
        correlation = _correlation(values, rest)
        if correlation is None:
            continue
        high = math.tanh(math.atanh(max(-0.999999, min(0.999999, correlation))) + margin)
        if high < 0.0:
            items.append(NegativeItem(task, correlation, high, len(rows)))
    return sorted(items, key=lambda item: (item.discrimination, item.task))


def _correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Pearson's correlation; None where one of them does not vary."""
    mean_first, mean_second = math.fsum(first) / len(first), math.fsum(second) / len(second)
    pairs = [(a - mean_first, b - mean_second) for a, b in zip(first, second, strict=True)]
    spread = math.fsum(a * a for a, _ in pairs) * math.fsum(b * b for _, b in pairs)
    if spread <= 1e-18:
        return None
    return math.fsum(a * b for a, b in pairs) / math.sqrt(spread)
