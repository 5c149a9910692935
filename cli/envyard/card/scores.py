"""Scores: each policy's mean reward with its interval, and the number of failed rollouts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from envyard.card import statistics
from envyard.card.evidence import Evidence, rewards
from envyard.card.statistics import Bounds
from envyard.contract.runner_events import RolloutResult
from envyard.contract.scoring import Scoring

# The bounds of undeclared rewards: the narrowest that contain every reward of a run.
USUAL_BOUNDS = (Bounds(0.0, 1.0), Bounds(-1.0, 1.0), Bounds(-1.0, 2.0))


@dataclass(frozen=True, slots=True)
class Score:
    """A policy's mean reward over its `n` rewarded rollouts.

    `tasks` counts the rewarded tasks. `low` and `high` bound the mean at 95 % by `method`; all
    three and `mean` are empty where n is 0.
    """

    policy: str
    n: int
    mean: float | None
    low: float | None
    high: float | None
    ok: int
    failed: int
    tasks: int = 0
    method: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return asdict(self)


def by_policy(evidence: Evidence) -> list[Score]:
    """The score of each policy, in the order of its first rollout."""
    grouped: dict[str, list[RolloutResult]] = defaultdict(list)
    for rollout in evidence.rollouts:
        grouped[rollout.policy].append(rollout)
    bounds = bounds_of(evidence)
    return [score(policy, results, bounds) for policy, results in grouped.items()]


def bounds_of(evidence: Evidence) -> Bounds:
    """The bounds of the rewards of a run."""
    return bounds_over(rewards(evidence.rollouts), evidence.facts.scoring)


def bounds_over(values: Sequence[float], scoring: Scoring | None) -> Bounds:
    """The declared range; without one the narrowest of USUAL_BOUNDS that contains all rewards.

    Either is wider where a reward lies outside. Only a declared range also covers rewards that no
    rollout showed.
    """
    if scoring is not None and scoring.reward is not None:
        low, high = scoring.reward
        return Bounds(min([low, *values]), max([high, *values]))
    least, greatest = min(values, default=0.0), max(values, default=1.0)
    for bounds in USUAL_BOUNDS:
        if bounds.low <= least and greatest <= bounds.high:
            return bounds
    return Bounds(min(least, USUAL_BOUNDS[-1].low), max(greatest, USUAL_BOUNDS[-1].high))


def hull(several: Iterable[Bounds]) -> Bounds:
    """The narrowest bounds that contain all of them; 0 to 1 where there are none."""
    rows = list(several) or [Bounds()]
    return Bounds(min(each.low for each in rows), max(each.high for each in rows))


def score(policy: str, rollouts: Sequence[RolloutResult], bounds: Bounds) -> Score:
    """The score of one policy's rollouts, whatever their order; `bounds` are those of the run."""
    by_task: dict[int, list[float]] = defaultdict(list)
    for rollout in sorted(rollouts, key=lambda r: (r.task, r.attempt)):
        if rollout.ok and rollout.reward is not None:
            by_task[rollout.task].append(rollout.reward)
    values = [reward for _, task_rewards in sorted(by_task.items()) for reward in task_rewards]
    interval = statistics.bounded_mean(by_task, bounds)
    ok = sum(rollout.ok for rollout in rollouts)
    return Score(
        policy=policy,
        n=len(values),
        mean=statistics.mean(values),
        low=interval.low,
        high=interval.high,
        ok=ok,
        failed=len(rollouts) - ok,
        tasks=len(by_task),
        method=interval.method,
    )
