"""What group-relative training can use: groups whose rewards are not all equal."""

from __future__ import annotations

from functools import partial

from envyard.card.learnability.definition import (
    ModelEvidence,
    ModelMeasureDefinition,
    ModelReading,
    mean_over_tasks,
)
from envyard.card.learnability.estimators import variance_share
from envyard.card.statistics import Interval

SIZES = (4, 8, 16)
COMPARED_SIZE = 4  # the catalogue sorts by it: a smoke run has four rollouts a task


def useful_groups(evidence: ModelEvidence, *, size: int) -> ModelReading:
    """The mean over tasks of the unbiased share of groups with reward variance, from tasks with at
    least `size` rollouts."""
    shares = {
        task: variance_share(rewards, size)
        for task, rewards in evidence.rewards.items()
        if len(rewards) >= size
    }
    return mean_over_tasks(evidence, shares, size=size)


def _per_thousand(evidence: ModelEvidence, *, size: int) -> ModelReading:
    """The expected number of groups with reward variance among 1,000 rollouts."""
    share = useful_groups(evidence, size=size)
    if share.value is None:
        return share
    groups, interval = 1000 / size, share.interval
    scaled = Interval(
        None if interval.low is None else interval.low * groups,
        None if interval.high is None else interval.high * groups,
        interval.method,
    )
    return ModelReading(share.value * groups, share.n, share.tasks, scaled)


USEFUL_GROUPS = (
    *(
        ModelMeasureDefinition(
            code=f"useful_groups_{size}",
            title=f"Useful groups of {size}",
            unit="share",
            source="claimed",
            read=partial(useful_groups, size=size),
            meaning=f"Share of groups of {size} rollouts of a task whose rewards differ: what GRPO "
            f"learns from. Unbiased, from tasks with {size} rollouts or more.",
        )
        for size in SIZES
    ),
    *(
        ModelMeasureDefinition(
            code=f"useful_per_1000_{size}",
            title=f"Useful groups of {size} in 1,000 rollouts",
            unit="groups",
            source="claimed",
            read=partial(_per_thousand, size=size),
            meaning=f"How many such groups 1,000 rollouts contain: 1,000 / {size} times the share.",
        )
        for size in SIZES
    ),
)
