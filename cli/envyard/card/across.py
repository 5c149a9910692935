"""Means over several environments and ranks by them, each environment with the same weight.

May import the paired comparisons and the statistics alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from envyard.card.paired import Rewards, of_tasks, shared_tasks, task_means
from envyard.card.statistics import Bounds, bounded_mean, mean
from envyard.card.statistics.interval import ALPHA

METHOD = "mean of the environments' intervals at 95 % together (Bonferroni)"


@dataclass(frozen=True, slots=True)
class MeanAcross:
    """The mean of the environments' means; `low` and `high` bound it at 95 % by METHOD."""

    environments: int
    value: float
    low: float
    high: float

    @property
    def contains_zero(self) -> bool:
        """Whether the interval contains 0."""
        return self.low <= 0.0 <= self.high


@dataclass(frozen=True, slots=True)
class PlaceAcross:
    """The rank of the model with that index, its mean, and its paired difference to the first of
    the better rank, or of its own where it is not the first of it."""

    index: int
    rank: int
    mean: MeanAcross
    to_first: MeanAcross | None


def mean_across(rows: Sequence[Rewards], bounds: Bounds) -> MeanAcross:
    """The mean of the means of `rows`, one for each environment, none of them empty.

    Each environment's interval is computed at 1 - 0.05 / E, so that all E hold together with 95 %:
    then the mean of their ends bounds the mean of the means, whatever the distributions.
    """
    values, lows, highs = [], [], []
    for rewards in rows:
        tasks: dict[object, list[float]] = defaultdict(list)
        for (task, _), reward in sorted(rewards.items()):
            tasks[task].append(reward)
        groups = dict(enumerate(tasks.values()))
        interval = bounded_mean(groups, bounds, alpha=ALPHA / len(rows))
        values.append(mean(list(rewards.values())) or 0.0)
        lows.append(bounds.low if interval.low is None else interval.low)
        highs.append(bounds.high if interval.high is None else interval.high)
    count = len(rows)
    return MeanAcross(count, sum(values) / count, sum(lows) / count, sum(highs) / count)


def difference_across(
    first: Sequence[Rewards], second: Sequence[Rewards], bounds: Bounds
) -> MeanAcross | None:
    """The first minus the second, paired by task and attempt in each environment; None where some
    environment has no pair."""
    rows = [
        {key: one[key] - other[key] for key in one.keys() & other.keys()}
        for one, other in zip(first, second, strict=True)
    ]
    width = bounds.high - bounds.low
    return mean_across(rows, Bounds(-width, width)) if all(rows) else None


def ranked_across(models: Sequence[Sequence[Rewards]], bounds: Bounds) -> list[PlaceAcross]:
    """The places of the models, the highest mean first; each has rewards in every environment.

    As `paired.ranked`, means and differences are over the tasks of each environment that all of
    these models have; a model that has too few of some environment's is left out. A model shares
    the rank of the first of the group before it where their paired difference may be 0; else it
    begins the next group, whose rank is its place.
    """
    shared = _on_shared_tasks(models)
    means = {index: mean_across(rows, bounds) for index, rows in shared.items()}
    order = sorted(shared, key=lambda index: (-means[index].value, index))
    places: list[PlaceAcross] = []
    leader, rank = -1, 0
    for place, index in enumerate(order, 1):
        to_first = None
        if leader >= 0:
            to_first = difference_across(shared[index], shared[leader], bounds)
        if leader < 0 or (to_first is not None and not to_first.contains_zero):
            leader, rank = index, place
        places.append(PlaceAcross(index, rank, means[index], to_first))
    return places


def _on_shared_tasks(models: Sequence[Sequence[Rewards]]) -> dict[int, list[Rewards]]:
    """Index of each model that is comparable in all environments -> the means of the shared tasks
    of each, as the rewards of one attempt."""
    means = [[task_means(row) for row in rows] for rows in models]
    columns = list(zip(*means, strict=True))
    comparable = set(range(len(models)))
    for column in columns:
        comparable &= set(shared_tasks(column)[1])
    if not comparable:
        return {}
    tasks = [set.intersection(*(set(column[index]) for index in comparable)) for column in columns]
    return {
        index: [of_tasks(row, each) for row, each in zip(means[index], tasks, strict=True)]
        for index in sorted(comparable)
    }
