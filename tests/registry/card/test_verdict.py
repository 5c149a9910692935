"""What rejects, what holds, what warns."""

from dataclasses import replace

import pytest

from envyard.card.evidence import Evidence
from envyard.card.measures import MEASURES
from envyard.card.verdict import findings_of
from envyard.contract.codes import CODES
from envyard.contract.findings import Finding
from envyard.contract.probes import PROBES, Probe
from envyard.contract.runner_events import RolloutResult
from tests.registry.run_factories import POLICIES, honest_rollouts, make_facts, make_failed_rollout

WITH_MODEL = (*POLICIES, "model")


def evidence(rollouts: list[RolloutResult], policies: tuple[str, ...] = POLICIES) -> Evidence:
    return Evidence(policies, 5, 4, make_facts(), tuple(rollouts))


def paying(policy: str) -> list[RolloutResult]:
    return [replace(r, reward=1.0) if r.policy == policy else r for r in honest_rollouts()]


def errors(findings: list[Finding]) -> list[str]:
    return [finding.code for finding in findings if finding.severity == "error"]


def test_an_honest_run_has_no_findings() -> None:
    assert findings_of(evidence(honest_rollouts(WITH_MODEL), WITH_MODEL), WITH_MODEL) == []


def test_each_policy_that_is_paid_for_nothing_gets_its_own_finding() -> None:
    rollouts = [replace(r, reward=1.0) if r.policy != "oracle" else r for r in honest_rollouts()]
    findings = [
        finding
        for finding in findings_of(evidence(rollouts), POLICIES)
        if finding.code == "card.floor"
    ]
    assert [finding.details["policy"] for finding in findings] == [
        "silent",
        "parrot",
        "babble",
        "swapped",
    ]
    assert len({finding.hint for finding in findings}) == 4


@pytest.mark.parametrize("probe", [p for p in PROBES.values() if p.floor], ids=lambda p: p.name)
def test_a_paid_probe_gets_the_floor_hint_of_its_entry(probe: Probe) -> None:
    policies = (probe.name, "oracle")
    rollouts = [replace(r, reward=1.0, turns=2) for r in honest_rollouts(policies)]
    findings = findings_of(evidence(rollouts, policies), policies)
    [paid] = [finding for finding in findings if finding.code == "card.floor"]
    assert probe.floor is not None
    assert paid.severity == ("error" if probe.floor.rejects else "warning")
    assert paid.hint == probe.floor.hint


def test_every_measure_has_a_code_for_its_finding() -> None:
    assert {f"card.{code}" for code in MEASURES} <= CODES.keys()


def test_a_policy_that_is_not_required_only_warns() -> None:
    findings = findings_of(evidence(paying("silent")), ("oracle", "babble"))
    assert errors(findings) == []
    assert [(finding.code, finding.severity) for finding in findings] == [("card.floor", "warning")]


def test_a_model_that_is_required_and_falls_short_is_named() -> None:
    rollouts = [
        make_failed_rollout(r.policy, r.task, r.attempt)
        if r.policy == "model" and r.task == 0
        else r
        for r in honest_rollouts(WITH_MODEL)
    ]
    run = evidence(rollouts, WITH_MODEL)
    findings = findings_of(run, WITH_MODEL)
    assert errors(findings) == ["card.crash_rate", "card.policy_failed"]
    named = next(finding for finding in findings if finding.code == "card.policy_failed")
    assert (named.where, named.details["failed"][0]) == ("model", "model/0/0")
    assert errors(findings_of(run, POLICIES)) == []


def test_an_unknown_gate_is_the_platforms_fault_and_holds() -> None:
    facts = replace(make_facts(), hashes_again=None)
    run = Evidence(POLICIES, 5, 4, facts, tuple(honest_rollouts()))
    [finding] = findings_of(run, POLICIES)
    assert (finding.code, finding.where) == ("card.undecided", "reproducible_tasks")
    assert CODES[finding.code].fault == "platform"


def test_nothing_required_rejects_nothing() -> None:
    assert errors(findings_of(evidence(paying("silent")), ())) == []


def test_every_finding_has_a_message_and_a_hint() -> None:
    for finding in findings_of(evidence([make_failed_rollout("silent")]), POLICIES):
        assert finding.message
        assert finding.hint


def test_tasks_that_differ_without_a_seed_are_reported_as_such_and_not_as_a_seeds_fault() -> None:
    facts = replace(make_facts(), hashes_again=["other"] * 5)

    def error_for(**fields: object) -> Finding:
        run = Evidence(POLICIES, 5, 4, replace(facts, **fields), tuple(honest_rollouts()))
        [error] = [f for f in findings_of(run, POLICIES) if f.severity == "error"]
        return error

    unseeded = error_for(seed_entry="load_environment()", seed_options=[])
    assert unseeded.code == "card.takes_no_seed"
    assert unseeded.message.startswith(
        "load_environment() takes no seed; tasks differed between two loads: 0 of 5 tasks were the"
    )
    assert "seed: int = 0" in unseeded.hint
    seeded = error_for(seed_entry="load_environment()", seed_options=["random_seed"])
    assert seeded.code == "card.reproducible_tasks"
    assert "with the same seed (load_environment(): random_seed)" in seeded.message
    unknown = error_for(seed_options=None)
    assert unknown.code == "card.reproducible_tasks"
    assert "same seed" not in unknown.message + CODES[unknown.code].message
