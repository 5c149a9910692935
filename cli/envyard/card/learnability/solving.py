"""How much a model solves: mean reward beside the baseline, solve rate, pass@k."""

from __future__ import annotations

from functools import partial

from envyard.card import statistics
from envyard.card.learnability.definition import (
    ModelEvidence,
    ModelMeasureDefinition,
    ModelReading,
    mean_over_tasks,
    share_of,
    unknown,
)
from envyard.card.learnability.estimators import pass_at

ATTEMPTS = (1, 4, 8, 16)


def mean_reward(evidence: ModelEvidence) -> ModelReading:
    """The mean reward of all rollouts."""
    rewards = [reward for task in evidence.rewards.values() for reward in task]
    interval = statistics.bounded_mean(evidence.rewards, evidence.bounds)
    low, high = evidence.bounds.low, evidence.bounds.high
    bounds = f"rewards within {low:g} and {high:g}"
    bounds += ", as declared" if evidence.declares_range else ", as seen"
    return ModelReading(
        statistics.mean(rewards), len(rewards), len(evidence.rewards), interval, bounds
    )


def baseline(evidence: ModelEvidence) -> ModelReading:
    """The mean reward of the best-paid policy that does no work."""
    if evidence.baseline is None:
        return unknown("no policy that does no work was rewarded")
    policy, reward = evidence.baseline
    return ModelReading(reward, evidence.n, len(evidence.rewards), detail=f"policy {policy}")


def solve_rate(evidence: ModelEvidence) -> ModelReading:
    """The share of rollouts that are solved."""
    counts = {task: (evidence.solved(task), len(r)) for task, r in evidence.rewards.items()}
    return share_of(counts, f"a rollout is solved with a reward from {evidence.solved_from:.3g} on")


def _tasks(evidence: ModelEvidence, *, solved: bool) -> ModelReading:
    """The share of tasks of whose rollouts all, or none, are solved."""
    hits = sum(
        evidence.solved(task) == (len(rewards) if solved else 0)
        for task, rewards in evidence.rewards.items()
    )
    tasks = len(evidence.rewards)
    rate = hits / tasks if tasks else None
    return ModelReading(rate, evidence.n, tasks, statistics.wilson(hits, tasks))


def _pass_at(evidence: ModelEvidence, *, k: int) -> ModelReading:
    """The mean over tasks of the unbiased pass@k, from tasks with at least k rollouts."""
    shares = {
        task: pass_at(len(rewards), evidence.solved(task), k)
        for task, rewards in evidence.rewards.items()
        if len(rewards) >= k
    }
    return mean_over_tasks(evidence, shares, size=k)


SOLVING = (
    ModelMeasureDefinition(
        code="mean_reward",
        title="Mean reward",
        unit="reward",
        source="claimed",
        read=mean_reward,
        meaning="Mean over all rollouts.",
    ),
    ModelMeasureDefinition(
        code="baseline_reward",
        title="Baseline reward",
        unit="reward",
        source="claimed",
        read=baseline,
        meaning="Mean reward of the best-paid probe that does no work, such as a constant answer: "
        "a model at this level has learned nothing.",
    ),
    ModelMeasureDefinition(
        code="solve_rate",
        title="Solve rate",
        unit="share",
        source="claimed",
        read=solve_rate,
        meaning="Share of rollouts with at least 90 % of full marks.",
    ),
    ModelMeasureDefinition(
        code="never_solved",
        title="Tasks never solved",
        unit="share",
        source="claimed",
        read=partial(_tasks, solved=False),
        meaning="Share of tasks with no solved rollout.",
    ),
    ModelMeasureDefinition(
        code="always_solved",
        title="Tasks always solved",
        unit="share",
        source="claimed",
        read=partial(_tasks, solved=True),
        meaning="Share of tasks whose rollouts are all solved.",
    ),
    *(
        ModelMeasureDefinition(
            code=f"pass_at_{k}",
            title=f"pass@{k}",
            unit="share",
            source="claimed",
            read=partial(_pass_at, k=k),
            meaning=f"Chance that one of {k} rollouts of a task is solved (Chen et al. 2021), from "
            f"tasks with {k} rollouts or more.",
        )
        for k in ATTEMPTS
    ),
)
