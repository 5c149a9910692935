"""From measures to findings: what rejects a version, what leaves it undecided, what only warns."""

from __future__ import annotations

from collections.abc import Sequence

from envyard.card.evidence import Evidence, excused, name
from envyard.card.judge_checks import judge_findings
from envyard.card.measures import MEASURES, Measure, all_measures
from envyard.card.measures.completion import MINIMUM_COMPLETED, policy_rate
from envyard.card.measures.training import training_findings
from envyard.card.reference_form import reference_decimals_findings, reference_form_findings
from envyard.card.survey import survey_findings
from envyard.contract.findings import Finding, finding

UNDECIDED = "card.undecided"


def findings_of(evidence: Evidence, required: Sequence[str]) -> list[Finding]:
    """The card's findings; errors stand for gates that failed.

    Only the required policies decide. What the others show, and every weak measure, warns.
    `card.undecided` is the platform's: it holds the version, and never blames its author.
    """
    deciding = evidence.only(required)
    gates = all_measures(deciding)
    errors = [error for gate in gates for error in _errors(gate, deciding)]
    failed = {gate.code for gate in gates if gate.status == "fail"}
    if "completes" not in failed:
        errors += _incomplete_policies(deciding)
    warnings = [
        _warning(measure, evidence)
        for measure in all_measures(evidence)
        if measure.status in ("warn", "fail") and measure.code not in failed
    ]
    facts = evidence.facts
    judge = judge_findings(facts.judge, facts.judge_checks or ())
    forms = reference_form_findings(evidence) + reference_decimals_findings(evidence)
    tasks = forms + survey_findings(evidence)
    return errors + warnings + judge + tasks + training_findings(evidence)


def _warning(measure: Measure, evidence: Evidence) -> Finding:
    """The finding of a weak measure."""
    details = MEASURES[measure.code].warning_details(evidence)
    return finding(
        f"card.{measure.code}",
        measure.detail,
        severity="warning",
        value=measure.value,
        n=measure.n,
        **details,
    )


def _errors(gate: Measure, deciding: Evidence) -> list[Finding]:
    definition = MEASURES[gate.code]
    if gate.status == "unknown" and definition.must_be_known and deciding.policies:
        return [finding(UNDECIDED, f"{gate.title}: {gate.detail}.", where=gate.code)]
    return definition.errors(gate, deciding) if gate.status == "fail" else []


def _incomplete_policies(deciding: Evidence) -> list[Finding]:
    """Policies below the bound although all together stand above it."""
    return [
        finding(
            "card.policy_failed",
            f"{policy} completed {policy_rate(deciding, policy):.0%} of its "
            f"{deciding.planned(policy)} rollouts, at least {MINIMUM_COMPLETED:.0%} must.",
            where=policy,
            policy=policy,
            failed=[name(r) for r in deciding.of(policy) if not r.ok and not excused(r)][:20],
        )
        for policy in deciding.policies
        if policy_rate(deciding, policy) < MINIMUM_COMPLETED
    ]
