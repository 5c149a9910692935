"""Item analysis over models: tasks that weak models solve more often than strong ones.

Such a task probably has a wrong label, or pays for something else than the others do. May import
the paired comparisons and the statistics alone. The reasons: docs/decisions/0112.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import NormalDist, pstdev
from typing import Any

from envyard.card.item_fit import intraclass_correlation
from envyard.card.paired import Rewards, Task, compare, of_tasks, shared_tasks, task_means
from envyard.card.statistics import Bounds

MIN_MODELS = 4
EXCEEDANCES = 25  # drawn sets at least as extreme, after which a p-value is known well enough
DRAWS, FEW_DRAWS, MANY = 4000, 400, 20
CLEARLY_SOUND = 0.93  # the normal p-value from which nothing is drawn: far above INNER_HIGH
FALSE_DISCOVERIES = 0.1  # the largest share of unfounded ones among the named tasks
# P-values between these count the tasks that no skill decides: those of the others are near 1.
INNER_LOW, INNER_HIGH = 0.25, 0.75
EQUAL = 1e-9


@dataclass(frozen=True, slots=True)
class NegativeItem:
    """A task whose reward falls with the strength of the model.

    `discrimination` is the correlation over `models` between the task's mean reward and the mean of
    all other tasks (corrected item-total correlation). `false_share` is the expected share of
    unfounded ones among this task and those before it.
    """

    task: Task
    discrimination: float
    false_share: float
    models: int

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return asdict(self)


# The rewards of each model at one task, or of one model at each task, as shares of the range.
Attempts = Sequence[Sequence[float]]


def negative_items(rows: Sequence[Rewards], bounds: Bounds) -> list[NegativeItem]:
    """The tasks that all comparable rows have whose reward falls with the strength of the model
    beyond chance, the clearest first.

    Empty for fewer than MIN_MODELS comparable rows (`paired.shared_tasks`), and where the best and
    the worst of them are a tie: then nobody knows which models are strong. `bounds` are those of
    all rewards. Of the named tasks at most the share FALSE_DISCOVERIES is expected to be unfounded.
    Sources: Lord and Novick 1968, 15.3 (item
    discrimination); Besag and Clifford 1991 (sequential p-values); Storey 2002, Zhao, Small and Su
    2019 (false discoveries of one-sided tests).
    """
    means = [task_means(row) for row in rows]
    shared, indexes = shared_tasks(means)
    tasks = sorted(shared)
    if len(indexes) < MIN_MODELS or len(tasks) < 2:
        return []
    own = [of_tasks(means[index], tasks) for index in indexes]
    totals = [math.fsum(each.values()) for each in own]
    best, worst = totals.index(max(totals)), totals.index(min(totals))
    if compare(own[best], own[worst], bounds).is_tie:
        return []
    values = [_attempts(rows[index], tasks, bounds) for index in indexes]
    tested = _tested(values, own, tasks)
    shares = _false_shares([p_value for p_value, _ in tested])
    named = [
        NegativeItem(task, correlation, share, len(indexes))
        for task, (_, correlation), share in zip(tasks, tested, shares, strict=True)
        if share <= FALSE_DISCOVERIES
    ]
    return sorted(named, key=lambda item: (item.false_share, item.discrimination, item.task))


def _tested(
    values: Sequence[Attempts], own: Sequence[Rewards], tasks: Sequence[Task]
) -> list[tuple[float, float]]:
    """The p-value of each task, and its correlation with the mean of the others over the models."""
    alike = intraclass_correlation(values)
    draw = random.Random(0)  # noqa: S311 - statistics, not a secret
    totals = [math.fsum(each.values()) for each in own]
    rows = []
    for place, task in enumerate(tasks):
        means = [each[task, 0] for each in own]
        rest = [(t - mean) / (len(tasks) - 1) for t, mean in zip(totals, means, strict=True)]
        p_value = _p_value([model[place] for model in values], rest, alike, draw)
        rows.append((p_value, _correlation(means, rest) or 0.0))
    return rows


def _attempts(row: Rewards, tasks: Sequence[Task], bounds: Bounds) -> list[list[float]]:
    """The rewards of each of the tasks, as shares of the range."""
    width = bounds.high - bounds.low
    by_task: dict[Task, list[float]] = defaultdict(list)
    for (task, _), reward in sorted(row.items()):
        by_task[task].append((reward - bounds.low) / width)
    return [by_task[task] for task in tasks]


def _p_value(
    values: Attempts, strengths: Sequence[float], alike: float, draw: random.Random
) -> float:
    """How often models of no different skill at this task show so negative a covariance between
    their rewards and their strengths.

    The task's rewards are dealt to all models at random, as if strength did not matter. With
    probability `alike` (the intraclass correlation) all attempts of a model are as its first, so
    that attempts which repeat each other are no independent evidence. The draws end early where the
    p-value is large; for MANY models, of which none of few draws is as extreme, the tail is that of
    the normal distribution with the same variance.
    """
    pool = [value for row in values for value in row]
    if max(pool) - min(pool) <= EQUAL:
        return 1.0
    middle = math.fsum(strengths) / len(strengths)
    weights = [strength - middle for strength in strengths]
    slots = [w / len(row) for w, row in zip(weights, values, strict=True) for _ in row]
    limit = math.fsum(map(float.__mul__, slots, pool)) + EQUAL
    sizes = [len(row) for row in values]
    shares = [alike + (1.0 - alike) / size for size in sizes]
    variance = math.fsum(w * w * share for w, share in zip(weights, shares, strict=True))
    normal = NormalDist(0.0, math.sqrt(variance) * pstdev(pool))
    if normal.cdf(limit) > CLEARLY_SOUND:
        return 1.0
    draws, extreme = FEW_DRAWS if len(values) >= MANY else DRAWS, 0
    for number in range(1, draws + 1):
        draw.shuffle(pool)
        drawn = _with_copies(pool, sizes, alike, draw) if alike > 0 else pool
        extreme += sum(map(float.__mul__, slots, drawn)) <= limit
        if extreme == EXCEEDANCES:
            return extreme / number
    if len(values) < MANY or extreme:
        return (extreme + 1) / (draws + 1)
    return min(normal.cdf(limit), 1 / (draws + 1))


def _with_copies(
    pool: Sequence[float], sizes: Sequence[int], alike: float, draw: random.Random
) -> list[float]:
    """The values, those of some models replaced by copies of the model's first."""
    drawn: list[float] = []
    for size in sizes:
        start = len(drawn)
        if size > 1 and draw.random() < alike:
            drawn += [pool[start]] * size
        else:
            drawn += pool[start : start + size]
    return drawn


def _false_shares(p_values: Sequence[float]) -> list[float]:
    """The smallest share of false discoveries at which each is named (Benjamini and Hochberg 1995).

    The number of tasks that no skill decides is estimated from the inner p-values (Storey 2002):
    sound tasks, which strong models solve more often, have p-values near 1 and are no candidates.
    """
    inner = sum(INNER_LOW < p_value <= INNER_HIGH for p_value in p_values)
    chance = min(float(len(p_values)), (1 + inner) / (INNER_HIGH - INNER_LOW))
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    shares = [1.0] * len(p_values)
    least = 1.0
    for number, place in reversed(list(enumerate(order, 1))):
        if p_values[place] <= INNER_LOW:
            least = min(least, p_values[place] * chance / number)
            shares[place] = least
    return shares


def _correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Pearson's correlation; None where one of them does not vary."""
    mean_first, mean_second = math.fsum(first) / len(first), math.fsum(second) / len(second)
    pairs = [(a - mean_first, b - mean_second) for a, b in zip(first, second, strict=True)]
    spread = math.fsum(a * a for a, _ in pairs) * math.fsum(b * b for _, b in pairs)
    if spread <= 1e-18:
        return None
    return math.fsum(a * b for a, b in pairs) / math.sqrt(spread)
