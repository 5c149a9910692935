"""How alike the attempts of one model at one task are, beyond its skill and the task's difficulty.

Rewards are shares of their range, from 0 to 1. May import nothing of the card.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

ROUNDS = 25
SHRINKAGE = 0.1  # towards 0, so that tasks that all or none solve have a difficulty
LARGEST = 6.0  # of skills and difficulties, in logits

Values = Sequence[Sequence[Sequence[float]]]  # model, task, attempt -> reward


def intraclass_correlation(values: Values) -> float:
    """The correlation of two attempts of one model at one task, given the fit; from 0 to 1.

    A model that always or never solves a task, whatever its skill, has a high one: its attempts are
    then no independent evidence. 0 where no model made two attempts. `values` are those of every
    model at every task. The variance of a mean around its expectation is split into that between
    models and that within them (one-way analysis of variance).
    """
    means = [[math.fsum(row) / len(row) for row in tasks] for tasks in values]
    expected = expected_means(means)
    models = len(values)
    between = within = 0.0
    for tasks, fitted, own in zip(values, expected, means, strict=True):
        for row, expectation, average in zip(tasks, fitted, own, strict=True):
            if len(row) < 2:
                continue
            spread = math.fsum((value - average) ** 2 for value in row) / (len(row) - 1)
            between += (average - expectation) ** 2 * models / (models - 1) - spread / len(row)
            within += spread
    between = max(0.0, between)
    return between / (between + within) if between else 0.0


def expected_means(means: Sequence[Sequence[float]]) -> list[list[float]]:
    """Each model's expected reward at each task under the Rasch model, fitted by joint maximum
    likelihood with Newton's steps (Rasch 1960)."""
    skills, difficulties = [0.0] * len(means), [0.0] * len(means[0])
    columns = list(zip(*means, strict=True))
    for _ in range(ROUNDS):
        for place, row in enumerate(means):
            skills[place] = _step(skills[place], row, [-each for each in difficulties])
        for place, column in enumerate(columns):
            ease = _step(-difficulties[place], column, skills)
            difficulties[place] = -ease
    return [[_logistic(skill - each) for each in difficulties] for skill in skills]


def _step(value: float, rewards: Sequence[float], others: Sequence[float]) -> float:
    """One step towards the value for which the expected rewards, logistic in the sum of it and of
    each of the others, have the sum of the rewards."""
    expected = [_logistic(value + other) for other in others]
    slope = math.fsum(rewards) - math.fsum(expected) - SHRINKAGE * value
    curve = math.fsum(share * (1.0 - share) for share in expected) + SHRINKAGE
    return max(-LARGEST, min(LARGEST, value + slope / curve))


def _logistic(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-value))
