"""Each measure on evidence made for it."""

import math
from dataclasses import replace
from typing import Any

import pytest

from envyard.card.evidence import Evidence
from envyard.card.measures import MEASURES, Measure, all_measures
from envyard.card.verdict import findings_of
from envyard.contract.facts import Facts, TaskResult
from envyard.contract.replay import Replay
from envyard.contract.runner_events import RolloutResult, Usage
from envyard.contract.scoring import Scoring
from tests.registry.run_factories import POLICIES, honest_rollouts, make_facts


def measured(code: str, evidence: Evidence) -> Measure:
    """The result of one measure."""
    return MEASURES[code].measure(evidence)


def evidence(
    rollouts: list[RolloutResult] | None = None,
    *,
    policies: tuple[str, ...] = POLICIES,
    facts: Facts | None = None,
    tasks: int = 5,
    attempts: int = 4,
) -> Evidence:
    """An honest run by default."""
    known = make_facts() if facts is None else facts
    played = honest_rollouts(policies) if rollouts is None else rollouts
    return Evidence(policies, tasks, attempts, known, tuple(played))


def changed(policy: str, count: int = 5, **fields: Any) -> list[RolloutResult]:
    """An honest run with the first rollouts of one policy changed."""
    return [
        replace(r, **fields) if r.policy == policy and r.task < count else r
        for r in honest_rollouts()
    ]


def crashed(policy: str, count: int, fault: str = "environment") -> list[RolloutResult]:
    error = {"type": "ValueError", "message": "boom", "traceback": "", "fault": fault}
    return changed(policy, count, ok=False, reward=None, error=error)


def test_an_honest_environment_passes_everything() -> None:
    played = [replace(r, replay=Replay(r.reward, r.rewards)) for r in honest_rollouts()]
    measures = {m.code: m for m in all_measures(evidence(played))}
    assert list(measures) == list(MEASURES)
    unmeasured = {code for code, m in measures.items() if m.status == "unknown"}
    assert unmeasured == {"mutants_caught", "equivalents_kept", "evaluation_aware"}
    assert {m.status for code, m in measures.items() if code not in unmeasured} == {"pass"}
    assert (measures["floor"].value, measures["ceiling"].value) == (0.0, 1.0)
    assert measures["floor"].detail == (
        "paid on average: silent 0, parrot 0, babble 0, swapped 0 (full marks: 1)"
    )
    assert measures["completes"].n == 25


def test_a_ceiling_without_any_reference_is_unverified_and_warns() -> None:
    facts = make_facts()
    tasks = [replace(task, reference=False, hook=False) for task in facts.tasks or ()]
    played = honest_rollouts(("silent", "babble"))
    policies = ("silent", "babble", "oracle")
    run = evidence(played, policies=policies, facts=replace(facts, tasks=tasks))
    measure = measured("ceiling", run)
    assert (measure.status, measure.value, measure.n) == ("warn", None, 0)
    assert measure.detail.startswith("unverified: no task offers a reference answer")
    assert not [f for f in findings_of(run, run.policies) if f.severity == "error"]


def test_a_ceiling_that_the_operator_did_not_measure_is_unknown() -> None:
    measure = measured("ceiling", evidence(policies=("silent", "babble")))
    assert (measure.status, measure.detail) == ("unknown", "the oracle was not asked")


def test_a_probe_that_plays_few_tasks_is_complete_with_those() -> None:
    played = honest_rollouts(("silent", "oracle")) + honest_rollouts(("malformed",), 3)
    run = evidence(played, policies=("silent", "oracle", "malformed"))
    assert (measured("completes", run).status, measured("completes", run).n) == ("pass", 13)


def test_completes_counts_what_is_missing() -> None:
    measure = measured("completes", evidence(honest_rollouts()[5:]))
    assert (measure.status, measure.value, measure.n) == ("fail", 0.8, 25)
    assert "silent 0 of 5" in measure.detail


def test_swapped_is_not_planned_where_no_other_answer_differs() -> None:
    measure = measured(
        "completes", evidence([r for r in honest_rollouts() if r.policy != "swapped"])
    )
    assert (measure.status, measure.n) == ("pass", 20)


def test_the_oracle_is_planned_only_for_tasks_with_a_reference() -> None:
    facts = make_facts()
    tasks = [replace(task, reference=task.index == 0) for task in facts.tasks or []]
    rollouts = [r for r in honest_rollouts() if r.policy != "oracle" or r.task == 0]
    measure = measured("completes", evidence(rollouts, facts=replace(facts, tasks=tasks)))
    assert (measure.status, measure.n) == ("pass", 21)


def test_completes_names_the_policy_and_the_first_error() -> None:
    measure = measured("completes", evidence(crashed("babble", 3)))
    assert measure.status == "fail"
    assert "babble 2 of 5" in measure.detail
    assert "babble/0/0: ValueError: boom" in measure.detail


def test_completes_names_the_likely_cause_of_a_known_error() -> None:
    message = "Plain string task routes are no longer supported; use info['env_id'] for routing."
    error = {"type": "ValueError", "message": message, "fault": "environment"}
    measure = measured("completes", evidence(changed("babble", 3, ok=False, error=error)))
    assert "babble/0/0: The column `task` of its rows holds plain texts" in measure.detail
    assert "verifiers up to 0.1.12" in measure.detail


@pytest.mark.parametrize("fault", ["model", "platform"])
def test_faults_of_model_and_platform_count_neither_way(fault: str) -> None:
    few = measured("completes", evidence(crashed("silent", 2, fault)))
    assert (few.status, few.value, few.n) == ("pass", 1.0, 23)
    many = measured("completes", evidence(crashed("silent", 3, fault)))
    assert many.status == "unknown"
    assert measured("crash_rate", evidence(crashed("silent", 5, fault))).status == "pass"


def test_one_crash_in_twenty_five_warns_and_two_fail() -> None:
    measures = [measured("crash_rate", evidence(crashed("babble", n))) for n in (0, 1, 2)]
    assert [m.status for m in measures] == ["pass", "warn", "fail"]
    assert [m.value for m in measures] == [0.0, 0.04, 0.08]
    assert measures[1].detail.endswith("babble/0/0: ValueError: boom")


def test_a_reward_that_is_not_finite_fails_and_is_shown() -> None:
    error = {"type": "RewardNotFinite", "message": "the reward is nan", "fault": "environment"}
    bad = evidence(changed("babble", 1, ok=False, reward=None, error=error))
    measure = measured("reward_finite", bad)
    assert (measure.status, measure.n) == ("fail", 25)
    assert "babble/0/0: the reward is nan" in measure.detail
    assert measured("crash_rate", bad).status == "pass"


def test_a_rollout_that_ended_well_without_a_reward_fails_too() -> None:
    measure = measured("reward_finite", evidence(changed("silent", 1, reward=None)))
    assert (measure.status, measure.value) == ("fail", 0.96)
    assert "silent/0/0: no reward at all" in measure.detail


@pytest.mark.parametrize(
    ("reward", "status"),
    [(2.0, "pass"), (-1.0, "pass"), (2.01, "warn"), (-3.2, "warn"), (100.5, "fail")],
)
def test_rewards_outside_the_usual_range_warn_and_huge_ones_fail(
    reward: float, status: str
) -> None:
    measure = measured("reward_range", evidence(changed("oracle", 1, reward=reward)))
    assert measure.status == status
    if status != "pass":
        assert f"oracle/0/0 got {reward:g}" in measure.detail


@pytest.mark.parametrize(
    ("reward", "status"), [(10.0, "pass"), (10.0000001, "pass"), (10.5, "fail"), (-0.5, "fail")]
)
def test_rewards_must_lie_within_a_declared_range(reward: float, status: str) -> None:
    facts = replace(make_facts(), scoring=Scoring(reward=(0.0, 10.0)))
    run = evidence(changed("oracle", 1, reward=reward), facts=facts)
    measure = measured("reward_range", run)
    assert measure.status == status
    assert "0 to 10 is declared" in measure.detail


def test_tasks_that_differ_on_a_second_load_fail_and_the_first_is_named() -> None:
    facts = make_facts()
    again = [*(facts.hashes_again or [])]
    again[3] = "other"
    measure = measured("reproducible_tasks", evidence(facts=replace(facts, hashes_again=again)))
    assert (measure.status, measure.value) == ("fail", 0.8)
    assert "task 3" in measure.detail


def test_a_second_load_with_fewer_tasks_fails() -> None:
    facts = make_facts()
    short = replace(facts, hashes_again=(facts.hashes_again or [])[:4])
    assert measured("reproducible_tasks", evidence(facts=short)).status == "fail"


def test_without_a_second_load_the_tasks_are_unknown() -> None:
    facts = replace(make_facts(), hashes_again=None)
    assert measured("reproducible_tasks", evidence(facts=facts)).status == "unknown"


def test_repeated_prompts_warn_and_never_fail() -> None:
    tasks = [TaskResult(i, str(i), "Play tic-tac-toe. You are X.") for i in range(5)]
    facts = Facts(tasks=tasks, hashes_again=[t.hash for t in tasks])
    measure = measured("diversity", evidence(facts=facts))
    assert (measure.status, measure.value, measure.n) == ("warn", 0.8, 5)


def test_speed_is_the_environments_own_time() -> None:
    slow = changed("oracle", 5, seconds=30.0, usage=Usage(model_seconds=29.0))
    measure = measured("speed", evidence(slow))
    assert measure.status == "pass"
    assert measure.value == pytest.approx(1.0)
    assert measured("speed", evidence(changed("oracle", 5, seconds=30.0))).status == "warn"


def test_measures_without_evidence_never_pass() -> None:
    empty = Evidence(POLICIES, 5, 4, Facts(), ())
    assert {m.code: m.status for m in all_measures(empty) if m.status != "unknown"} == {
        "completes": "fail"
    }
    nobody = Evidence((), 5, 4, Facts(), ())
    assert {m.status for m in all_measures(nobody)} == {"unknown"}


def test_a_measure_holds_json_values_only() -> None:
    for measure in all_measures(evidence()):
        assert isinstance(measure, Measure)
        for value in measure.to_dict().values():
            assert not isinstance(value, float) or math.isfinite(value)
