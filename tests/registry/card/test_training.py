"""What a card says of the rewards that a trainer's host gave."""

from __future__ import annotations

from dataclasses import replace

from envyard.card.evidence import Evidence
from envyard.card.verdict import findings_of
from envyard.contract.facts import Facts
from envyard.contract.training import TrainingFacts
from tests.registry.card.test_measures import evidence, measured
from tests.registry.run_factories import POLICIES, make_facts

CODE = "evaluation_aware"


def run(training: TrainingFacts | None) -> Evidence:
    return evidence(facts=replace(make_facts(), training=training))


def codes(training: TrainingFacts | None) -> list[str]:
    return [f.code for f in findings_of(run(training), POLICIES) if "training" in f.code]


def test_compared_rollouts_that_were_paid_alike_pass_with_an_interval() -> None:
    measure = measured(CODE, run(TrainingFacts(8)))
    assert (measure.status, measure.value, measure.n) == ("pass", 1.0, 8)
    assert measure.low is not None
    assert 0.5 < measure.low < 1.0
    assert codes(TrainingFacts(8)) == []


def test_where_nothing_was_compared_the_card_is_unknown_and_warns_with_the_reason() -> None:
    facts = TrainingFacts(0, reason="its rewards compare attempts")
    measure = measured(CODE, run(facts))
    assert (measure.status, measure.value) == ("unknown", None)
    assert measure.detail == "no rollout could be compared: its rewards compare attempts"
    (finding,) = [f for f in findings_of(run(facts), POLICIES) if "training" in f.code]
    assert (finding.code, finding.severity) == ("card.training_unchecked", "warning")
    assert "its rewards compare attempts" in finding.message


def test_rollouts_that_were_paid_otherwise_fail_and_the_runners_finding_is_not_repeated() -> None:
    facts = TrainingFacts(8, differing=2)
    assert measured(CODE, run(facts)).status == "fail"
    assert [f.code for f in findings_of(run(facts), POLICIES) if "aware" in f.code] == []


def test_a_run_from_before_the_check_is_unknown_and_does_not_warn() -> None:
    assert measured(CODE, run(None)).status == "unknown"
    assert codes(None) == []


def test_facts_of_any_shape_are_read() -> None:
    facts = Facts.from_dict({"training": {"rollouts": 2, "differing": 9, "reason": 7}})
    assert facts.training == TrainingFacts(2, 2, "7")
    assert Facts.from_dict(facts.to_dict()) == facts
    assert Facts.from_dict({"training": []}).training is None
