"""Bounds of rewards, and that mean rewards within a declared range are covered."""

import random

import pytest

from envyard.card.evidence import Evidence
from envyard.card.learnability import model_results
from envyard.card.reward_bounds import floor
from envyard.card.scores import Score, bounds_of, bounds_over, by_policy, hull
from envyard.card.statistics import Bounds
from envyard.contract.facts import Facts
from envyard.contract.runner_events import RolloutResult
from envyard.contract.scoring import Scoring

DECLARED = Scoring(reward=(0.0, 10.0))
SIMULATIONS = 400


def evidence(
    rewards: list[float], scoring: Scoring | None = DECLARED, policy: str = "model"
) -> Evidence:
    rollouts = tuple(RolloutResult(policy, task, 0, True, r) for task, r in enumerate(rewards))
    return Evidence((policy,), len(rewards), 1, Facts(scoring=scoring), rollouts, "m")


def model_score(rewards: list[float], scoring: Scoring | None = DECLARED) -> Score:
    return by_policy(evidence(rewards, scoring))[0]


@pytest.mark.parametrize(
    ("rewards", "scoring", "bounds"),
    [
        ([3.0, 3.0], DECLARED, (0, 10)),
        ([], DECLARED, (0, 10)),
        ([3.0, 12.0, -1.0], DECLARED, (-1, 12)),
        ([3.0, 3.0], None, (-1, 3)),
        ([3.0], Scoring(echo=True), (-1, 3)),
        ([0.2, 0.4], None, (0, 1)),
        ([-0.2, 0.4], None, (-1, 1)),
        ([1.5], None, (-1, 2)),
        ([], None, (0, 1)),
    ],
)
def test_bounds_are_the_declared_range_else_usual_ones_with_all_rewards(
    rewards: list[float], scoring: Scoring | None, bounds: tuple[float, float]
) -> None:
    assert bounds_of(evidence(rewards, scoring)) == bounds_over(rewards, scoring) == Bounds(*bounds)


def test_the_hull_of_bounds_contains_all_of_them() -> None:
    assert hull([Bounds(0, 10), Bounds(-1, 1)]) == Bounds(-1, 10)
    assert hull([]) == Bounds(0, 1)


def test_equal_rewards_within_a_declared_range_may_have_had_others_above() -> None:
    score = model_score([3.0] * 20)
    assert score.low is not None
    assert score.high is not None
    assert score.low < 3.0 < 3.35 < score.high <= 10.0


@pytest.mark.parametrize("share", [0.01, 0.05, 0.2])
@pytest.mark.parametrize(("usual", "rare"), [(3.0, 10.0), (1.0, 0.0), (9.0, 0.5)])
def test_rare_rewards_within_a_declared_range_are_covered(
    share: float, usual: float, rare: float
) -> None:
    mean, covered = usual + share * (rare - usual), 0
    for seed in range(SIMULATIONS):
        draw = random.Random(seed)
        score = model_score([rare if draw.random() < share else usual for _ in range(20)])
        covered += (score.low or 0.0) <= mean <= (score.high or 0.0)
    assert covered >= 0.95 * SIMULATIONS


def test_measures_of_models_and_probes_have_the_declared_range() -> None:
    [result] = model_results(evidence([3.0] * 20), suite="full")
    measure = next(each for each in result.measures if each.code == "mean_reward")
    assert measure.detail == "rewards within 0 and 10, as declared"
    assert (measure.low, measure.high) == (
        model_score([3.0] * 20).low,
        model_score([3.0] * 20).high,
    )
    assert result.reward_bars[0].bars[-1].high == 10.0
    [paid] = floor(evidence([0.0] * 20, policy="silent"))
    assert (paid.score.high or 0.0) > 1.0
    [result] = model_results(evidence([0.5] * 20, None), suite="full")
    assert "rewards within 0 and 1, as seen" in [each.detail for each in result.measures]
