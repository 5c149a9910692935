"""Paired comparison of two sets of rewards on the same tasks and attempts, and ranks with ties.

May import the statistics alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from envyard.card.statistics import Bounds, bounded_mean, mean

# (hash of the task, its number among the tasks with that hash), attempt -> reward
Task = tuple[str, int]
Rewards = Mapping[tuple[Task, int], float]
EQUAL = 1e-9


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
    """The rank of the rewards with that index; `to_first` compares them with the first of the
    better rank, or of their own where they are not the first of it."""

    index: int
    rank: int
    to_first: Comparison | None


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


def ranked(rows: Sequence[Rewards], bounds: Bounds) -> list[Place]:
    """The places of the rows, the highest mean first.

    A row shares the rank of the first of the group before it where their paired difference may be
    0; else it begins the next group, whose rank is its place.
    """
    order = sorted(range(len(rows)), key=lambda index: (-_mean(rows[index]), index))
    places: list[Place] = []
    leader, rank = -1, 0
    for place, index in enumerate(order, 1):
        to_first = compare(rows[index], rows[leader], bounds) if leader >= 0 else None
        if to_first is None or not to_first.is_tie:
            leader, rank = index, place
        places.append(Place(index, rank, to_first))
    return places


def _mean(rewards: Rewards) -> float:
    value = mean(list(rewards.values()))
    return float("-inf") if value is None else value
