"""Scores: each policy's mean reward with its interval, and the number of failed rollouts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from envyard.card import statistics
from envyard.contract.runner_events import RolloutResult


@dataclass(frozen=True, slots=True)
class Score:
    """A policy's mean reward over its `n` rewarded rollouts.

    `mean` is None where n is 0, `low` and `high` (95 %, clustered by task) where fewer than two
    tasks were rewarded.
    """

    policy: str
    n: int
    mean: float | None
    low: float | None
    high: float | None
    ok: int
    failed: int

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return asdict(self)


def by_policy(rollouts: Sequence[RolloutResult]) -> list[Score]:
    """The score of each policy, in the order of its first rollout."""
    grouped: dict[str, list[RolloutResult]] = defaultdict(list)
    for rollout in rollouts:
        grouped[rollout.policy].append(rollout)
    return [score(policy, results) for policy, results in grouped.items()]


def score(policy: str, rollouts: Sequence[RolloutResult]) -> Score:
    """The score of one policy's rollouts, whatever their order."""
    by_task: dict[int, list[float]] = defaultdict(list)
    for rollout in sorted(rollouts, key=lambda r: (r.task, r.attempt)):
        if rollout.ok and rollout.reward is not None:
            by_task[rollout.task].append(rollout.reward)
    rewards = [reward for _, task_rewards in sorted(by_task.items()) for reward in task_rewards]
    low, high = statistics.bootstrap_mean(by_task)
    ok = sum(rollout.ok for rollout in rollouts)
    return Score(policy, len(rewards), statistics.mean(rewards), low, high, ok, len(rollouts) - ok)
