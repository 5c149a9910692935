"""What a trainer will see: estimators against SciPy and enumeration, and the results of a model."""

import json
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from envyard.card.evidence import Evidence
from envyard.card.learnability import (
    MODEL_MEASURES,
    ModelMeasure,
    ModelResults,
    constant_measure,
    model_results,
)
from envyard.card.learnability.estimators import pass_at, variance_share
from envyard.contract.runner_events import Usage
from envyard.contract.survey import Split, Survey
from tests.registry.run_factories import POLICIES, honest_rollouts, make_facts, make_rollout

WITH_MODEL = (*POLICIES, "model")


def played(rewards: list[list[float]], /, **changes: Any) -> ModelResults:
    """The results of a model that earned these rewards, task by task, beside honest probes."""
    n = len(rewards)
    own = [
        make_rollout("model", task, attempt, reward=reward, turns=1 + attempt, **changes)
        for task, attempts in enumerate(rewards)
        for attempt, reward in enumerate(attempts)
    ]
    rollouts = (*honest_rollouts(n=n), *own)
    evidence = Evidence(WITH_MODEL, n, 4, make_facts(n), rollouts, model="org/tiny")
    [results] = model_results(evidence, suite="smoke")
    return results


def measure(results: ModelResults, code: str) -> ModelMeasure:
    return next(row for row in results.measures if row.code == code)


@settings(deadline=None)
@given(st.integers(1, 12), st.data())
def test_groups_of_binary_rewards_follow_the_hypergeometric_distribution(
    n: int, data: st.DataObject
) -> None:
    solved, size = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    drawn = stats.hypergeom(n, solved, size)
    share = variance_share([1.0] * solved + [0.0] * (n - solved), size)
    assert share == pytest.approx(1 - drawn.pmf(0) - drawn.pmf(size) * (size > 0))
    assert pass_at(n, solved, size) == pytest.approx(drawn.sf(0))


@settings(deadline=None)
@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=8), st.integers(1, 8))
def test_groups_of_any_rewards_are_counted_among_all_subsets(
    rewards: list[float], size: int
) -> None:
    if size > len(rewards):
        with pytest.raises(ValueError, match="groups of"):
            variance_share(rewards, size)
        return
    groups = list(combinations(rewards, size))
    varied = sum(len(set(group)) > 1 for group in groups)
    assert variance_share(rewards, size) == pytest.approx(varied / len(groups))


def test_rewards_that_differ_by_rounding_are_equal() -> None:
    assert variance_share([0.1 + 0.2, 0.3, 0.3, 0.3], 4) == 0


def test_a_model_in_between_has_useful_groups() -> None:
    results = played([[1, 0, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0], [1, 0, 0, 0], [1, 1, 1, 0]])
    assert (results.policy, results.model, results.suite) == ("model", "org/tiny", "smoke")
    assert (results.n, results.tasks) == (20, 5)
    assert results.learnability == pytest.approx(3 / 5)
    assert results.difficulty == "medium"
    assert results.sentence == "50% of 20 rollouts are solved; rewards differ within 3 of 5 tasks."
    groups = measure(results, "useful_groups_4")
    assert (groups.value, groups.n, groups.tasks, groups.unit) == (0.6, 20, 5, "share")
    assert groups.low is not None
    assert groups.high is not None
    assert 0 < groups.low < 0.6 < groups.high < 1
    assert measure(results, "useful_per_1000_4").value == pytest.approx(150)
    assert measure(results, "useful_groups_8").value is None
    assert measure(results, "useful_groups_8").detail == "no task has 8 rollouts"
    assert measure(results, "pass_at_4").value == pytest.approx(4 / 5)
    assert measure(results, "solve_rate").value == 0.5
    assert measure(results, "never_solved").value == 0.2
    assert [row.solved for row in results.task_results] == [2, 4, 0, 1, 3]


@pytest.mark.parametrize(
    ("reward", "share", "word"), [(0, "0%", "unsolved"), (1, "100%", "solved")]
)
def test_a_model_that_solves_nothing_or_everything_has_no_gradient(
    reward: float, share: str, word: str
) -> None:
    results = played([[reward] * 4] * 5)
    assert results.learnability == 0
    assert results.difficulty == word
    assert results.sentence == (
        f"{share} of 20 rollouts are solved, and no task has two different rewards: "
        "no gradient for this model."
    )
    rate, groups = measure(results, "solve_rate"), measure(results, "useful_groups_4")
    for row in (rate, groups):
        assert row.low is not None
        assert row.high is not None
        assert row.low < row.high


def test_partial_credit_is_a_gradient_although_nothing_is_solved() -> None:
    results = played([[0.1, 0.2, 0.1, 0.3]] * 5)
    assert results.learnability == 1
    assert results.sentence == "0% of 20 rollouts are solved; rewards differ within 5 of 5 tasks."


def test_the_mean_stands_beside_the_best_paid_probe() -> None:
    results = played([[0.5] * 4] * 5)
    assert measure(results, "mean_reward").value == 0.5
    baseline = measure(results, "baseline_reward")
    assert (baseline.value, baseline.detail) == (0.0, "policy silent")


def test_costs_describe_the_rollouts_seen() -> None:
    usage = Usage(prompt_tokens=30, completion_tokens=20, calls=1, model_seconds=3.6)
    parts = {
        "right": {"score": 0.0, "weight": 1.0},
        "format_reward": {"score": 0.5, "weight": 0.2},
    }
    results = played([[0.0] * 4] * 5, usage=usage, seconds=4.0, truncated=True, rewards=parts)
    values = {row.code: row.value for row in results.measures}
    assert (values["tokens_p50"], values["turns_p50"], values["seconds_p95"]) == (20, 2.5, 4.0)
    assert values["prompt_tokens_per_1000"] == 30_000
    assert values["completion_tokens_per_1000"] == 20_000
    assert values["model_hours_per_1000"] == pytest.approx(1.0)
    assert values["truncated"] == 1.0
    assert values["format_compliance"] == 0.5
    assert [row.part for row in results.reward_bars] == ["reward", "format_reward", "right"]
    assert [bar.count for bar in results.reward_bars[0].bars] == [20, *[0] * 9]
    assert measure(results, "tokens_p50").low is None


def test_a_reward_without_a_format_part_has_no_format_compliance() -> None:
    row = measure(played([[0.0, 1.0]]), "format_compliance")
    assert row.value is None
    assert row.detail == "no part of the reward and no metric has `format` in its name"


def test_failed_rollouts_and_probes_alone_give_no_results() -> None:
    rollouts = tuple(honest_rollouts())
    probes = Evidence(POLICIES, 5, 4, make_facts(), rollouts)
    assert model_results(probes, suite="smoke") == []
    failed = replace(make_rollout("model"), ok=False, reward=None)
    with_failed = replace(probes, policies=WITH_MODEL, rollouts=(*rollouts, failed))
    assert model_results(with_failed, suite="smoke") == []


@settings(deadline=None)
@given(
    st.lists(
        st.lists(st.floats(-1e9, 1e9) | st.sampled_from([0.0, 1.0]), min_size=1, max_size=6),
        min_size=1,
        max_size=4,
    )
)
def test_any_rewards_give_plain_json_with_intervals_of_some_width(rewards: Any) -> None:
    results = played(rewards)
    json.dumps(results.to_dict(), allow_nan=False)
    assert [row.code for row in results.measures] == list(MODEL_MEASURES)
    for row in results.measures:
        if row.low is not None and row.high is not None:
            assert row.low < row.high
            assert row.method
    assert sum(bar.count for bar in results.difficulty_bars) == len(rewards)
    assert all(isinstance(task.n, int) for task in results.task_results)


def test_the_first_tasks_of_many_are_listed() -> None:
    results = played([[float(task % 2)] for task in range(600)])
    assert len(results.task_results) == 500
    assert results.tasks == 600
    assert results.sentence.endswith("one rollout a task shows no variance, more attempts do.")


def probed(survey: Survey | None, *, wrong: float | None = 0.0, turns: int = 1) -> Evidence:
    """A run with probes: the oracle earns 1, a constant answer `wrong`, each in `turns` replies."""
    policies = ("oracle", "constant")
    rollouts = [make_rollout("oracle", task, reward=1.0, turns=turns) for task in range(5)]
    if wrong is not None:
        rollouts += [make_rollout("constant", task, reward=wrong, turns=1) for task in range(3)]
    facts = replace(make_facts(5), survey=survey)
    return Evidence(policies, 5, 1, facts, tuple(rollouts))


FOUR_OPTIONS = Survey(
    tasks=300,
    answers=300,
    same_answers=75,
    top_answer="B",
    train=Split(tasks=300, complete=True),
)


def test_a_constant_answer_earns_the_share_of_the_most_common_answer() -> None:
    reading = constant_measure(probed(FOUR_OPTIONS))
    assert (reading.code, reading.value, reading.n) == ("constant_reward", 0.25, 300)
    assert reading.low is not None
    assert reading.high is not None
    assert 0.2 < reading.low < 0.25 < reading.high < 0.31
    assert reading.detail == "one answer is right in 75 of 300 tasks; other answers earn 0"
    assert "Wilson" in reading.method


@pytest.mark.parametrize(
    ("tasks", "complete", "answers"), [(300, True, 20), (300, False, 20), (8, True, 8)]
)
def test_twenty_answers_or_those_of_all_tasks_are_enough(
    tasks: int, complete: bool, answers: int
) -> None:
    train = Split(tasks=tasks, complete=complete)
    survey = Survey(tasks=tasks, answers=answers, same_answers=answers // 4, train=train)
    reading = constant_measure(probed(survey))
    assert (reading.value, reading.n) == (0.25, answers)


def test_a_constant_answer_is_charged_for_wrong_answers() -> None:
    assert constant_measure(probed(FOUR_OPTIONS, wrong=-1.0)).value == pytest.approx(-0.5)
    assert constant_measure(probed(FOUR_OPTIONS, wrong=1.0)).value == 1.0


@pytest.mark.parametrize(
    "survey",
    [
        None,
        Survey(tasks=300),
        replace(FOUR_OPTIONS, answers=10, same_answers=4),
        replace(FOUR_OPTIONS, answers=19, same_answers=19, train=None),
    ],
)
def test_without_known_answers_the_probe_alone_counts(survey: Survey | None) -> None:
    reading = constant_measure(probed(survey, wrong=0.125))
    assert (reading.value, reading.n) == (0.125, 3)
    assert reading.detail == "probe constant; the share of the most common answer is unknown"
    assert reading.low is not None
    assert reading.high is not None
    assert reading.low < reading.high


def test_a_first_move_that_is_always_the_same_is_no_answer() -> None:
    first_moves = replace(FOUR_OPTIONS, same_answers=300)
    assert constant_measure(probed(first_moves, turns=3)).value == 0.0


def test_an_unknown_constant_is_no_zero() -> None:
    reading = constant_measure(probed(FOUR_OPTIONS, wrong=None))
    assert (reading.value, reading.low) == (None, None)
    assert reading.detail == "the version's probe 'constant' was not rewarded"


def test_an_evaluation_has_the_baselines_of_the_run_with_probes() -> None:
    own = tuple(make_rollout("model", task, reward=0.25) for task in range(5))
    evaluation = Evidence(("model",), 5, 1, make_facts(5), own, model="org/tiny")
    [alone] = model_results(evidence=evaluation, suite="full")
    assert measure(alone, "constant_reward").value is None
    [results] = model_results(evidence=evaluation, suite="full", probes=probed(FOUR_OPTIONS))
    assert measure(results, "constant_reward").value == 0.25
    assert measure(results, "baseline_reward").detail == "policy constant"
