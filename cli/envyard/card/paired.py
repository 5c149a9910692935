"""Paired comparison of two sets of rewards on the same tasks and attempts, and ranks with ties.

May import the statistics alone.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from envyard.card.statistics import Bounds, bounded_mean, mean

# (hash of the task, its number among the tasks with that hash), attempt -> reward
Task = tuple[str, int]
Rewards = Mapping[tuple[Task, int], float]
TaskMeans = Mapping[Task, float]
EQUAL = 1e-9
NEARLY_ALL, HALF = 0.9, 0.5  # of the tasks of the median row


@dataclass(frozen=True, slots=True)
class Comparison:
    """The mean of the first minus the second over `pairs` of rollouts at `tasks` shared tasks.

    `low` and `high` bound it at 95 % by `method`, clustered by task. A task is a win where the mean
    of the first is higher. All but the counts is None where nothing is shared. `left_out` counts
    the rollouts of either side without a partner.
    """

    tasks: int
    pairs: int
    left_out: int
    difference: float | None
    low: float | None
    high: float | None
    method: str
    wins: int
    ties: int
    losses: int

    @property
    def is_tie(self) -> bool:
        """Whether the interval contains 0, or there is none."""
        return self.low is None or self.high is None or self.low <= 0.0 <= self.high

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Place:
    """The rank of the rewards with that index, None where they cover too few tasks.

    `to_first` compares them with those of index `first`: the first of the better rank, or of their
    own where they are not the first of it; without a rank, the first of all. `tasks` counts the
    tasks in which they have a reward.
    """

    index: int
    rank: int | None
    tasks: int
    first: int | None = None
    to_first: Comparison | None = None


@dataclass(frozen=True, slots=True)
class Ranking:
    """The places, the ranked ones first, and the number of tasks on which all ranks are based."""

    tasks: int
    places: list[Place]


def compare(first: Rewards, second: Rewards, bounds: Bounds) -> Comparison:
    """Compare rollouts of the same task and attempt; `bounds` are those of all rewards.

    Differences lie between minus and plus the width of the bounds. Source of the interval: see
    `statistics.bounded_mean`; pairing removes the variance between tasks.
    """
    shared = sorted(first.keys() & second.keys())
    differences: dict[Task, list[float]] = defaultdict(list)
    for task, attempt in shared:
        differences[task].append(first[task, attempt] - second[task, attempt])
    by_task = [mean(values) or 0.0 for values in differences.values()]
    width = bounds.high - bounds.low
    groups = dict(enumerate(differences.values()))
    interval = bounded_mean(groups, Bounds(-width, width))
    wins = sum(value > EQUAL for value in by_task)
    losses = sum(value < -EQUAL for value in by_task)
    return Comparison(
        tasks=len(differences),
        pairs=len(shared),
        left_out=len(first) + len(second) - 2 * len(shared),
        difference=mean([value for values in differences.values() for value in values]),
        low=interval.low if shared else None,
        high=interval.high if shared else None,
        method=interval.method if shared else "",
        wins=wins,
        ties=len(by_task) - wins - losses,
        losses=losses,
    )


def ranked(rows: Sequence[Rewards], bounds: Bounds) -> Ranking:
    """Rank the rows by their means over the tasks that all ranked ones have, the highest first.

    A failed rollout has no reward, so that the mean over a row's own tasks would favour a row that
    fails at the hard ones. Each comparison is over the same tasks as the order, and has its sign. A
    row shares the rank of the first of the group before it where their paired difference may be 0;
    else it begins the next group, whose rank is its place.
    """
    means = [task_means(row) for row in rows]
    tasks, indexes = shared_tasks(means)
    shared = {index: of_tasks(means[index], tasks) for index in indexes}
    order = sorted(indexes, key=lambda index: (-_mean(shared[index]), index))
    places: list[Place] = []
    leader, rank = -1, 0
    for place, index in enumerate(order, 1):
        to_first = compare(shared[index], shared[leader], bounds) if leader >= 0 else None
        first = leader if leader >= 0 else None
        if to_first is None or not to_first.is_tie:
            leader, rank = index, place
        places.append(Place(index, rank, len(means[index]), first, to_first))
    return Ranking(len(tasks), [*places, *_unranked(means, order, bounds)])


def _unranked(means: Sequence[TaskMeans], order: list[int], bounds: Bounds) -> list[Place]:
    """The rows that are not in the order, each compared with the first over their shared tasks, the
    largest difference first."""
    rows = [of_tasks(each, each.keys()) for each in means]
    places = []
    for index in sorted(set(range(len(means))) - set(order)):
        to_first = compare(rows[index], rows[order[0]], bounds) if order else None
        first = order[0] if order else None
        places.append(Place(index, None, len(means[index]), first, to_first))
    return sorted(places, key=_by_difference)


def _by_difference(place: Place) -> float:
    difference = place.to_first.difference if place.to_first else None
    return math.inf if difference is None else -difference


def task_means(row: Rewards) -> dict[Task, float]:
    """The mean of each task's rewards."""
    by_task: dict[Task, list[float]] = defaultdict(list)
    for (task, _), reward in sorted(row.items()):
        by_task[task].append(reward)
    return {task: mean(values) or 0.0 for task, values in by_task.items()}


def shared_tasks(rows: Sequence[TaskMeans]) -> tuple[set[Task], list[int]]:
    """The tasks that all comparable rows have, and the indexes of these rows.

    A row is comparable with rewards in NEARLY_ALL of as many tasks as the median row, so that one
    that fails nearly everywhere does not take the tasks of all others. Those with the most tasks
    come first; one that would leave less than HALF of the median's tasks is not comparable either.
    """
    counts = sorted(map(len, rows))
    median = counts[len(counts) // 2] if counts else 0
    by_count = sorted(range(len(rows)), key=lambda index: (-len(rows[index]), index))
    tasks: set[Task] = set()
    indexes: list[int] = []
    for index in by_count:
        left = tasks & rows[index].keys() if indexes else set(rows[index])
        if len(rows[index]) >= NEARLY_ALL * median and left and len(left) >= HALF * median:
            tasks = left
            indexes.append(index)
    return tasks, sorted(indexes)


def of_tasks(means: TaskMeans, tasks: Collection[Task]) -> dict[tuple[Task, int], float]:
    """The means of these tasks, as the rewards of one attempt."""
    return {(task, 0): means[task] for task in sorted(tasks)}


def _mean(rewards: Rewards) -> float:
    return mean(list(rewards.values())) or 0.0
