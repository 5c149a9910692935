"""Rewards as in training: a sample of the rollouts, played again the way a trainer does."""

from __future__ import annotations

from envyard.card.evidence import Evidence
from envyard.card.measures.definition import Measure, MeasureDefinition, Reading, share, unknown
from envyard.contract.findings import Finding, finding

UNCHECKED = "card.training_unchecked"


def evaluation_aware(evidence: Evidence) -> Reading:
    """The share of compared rollouts that a trainer's host pays as the run did; unknown, with the
    reason, where none could be compared."""
    facts = evidence.facts.training
    if facts is None:
        return unknown("the run reported nothing about rewards in training")
    if not facts.rollouts:
        return unknown(f"no rollout could be compared: {facts.reason or 'no reason was given'}")
    alike = facts.rollouts - facts.differing
    detail = f"{alike} of {facts.rollouts} rollouts were paid alike where a trainer plays them"
    return share(alike, facts.rollouts, "fail" if facts.differing else "pass", detail)


def training_findings(evidence: Evidence) -> list[Finding]:
    """The warning that it is not known what a trainer's rewards are."""
    facts = evidence.facts.training
    if facts is None or facts.rollouts:
        return []
    message = f"Whether a trainer gets the same rewards is unknown: {facts.reason}."
    return [finding(UNCHECKED, message, reason=facts.reason)]


def _reported(_measure: Measure, _evidence: Evidence) -> list[Finding]:
    """None: the runner's own `card.evaluation_aware` names the rollouts and rewards."""
    return []


TRAINING = (
    MeasureDefinition(
        code="evaluation_aware",
        title="Rewards as in training",
        unit="share",
        threshold=1.0,
        source="observed",
        read=evaluation_aware,
        question="Are recorded rollouts paid alike where a trainer plays them, without the hub's "
        "programs?",
        advice="Score a rollout by its conversation alone, whatever program plays it.",
        errors=_reported,
    ),
)
