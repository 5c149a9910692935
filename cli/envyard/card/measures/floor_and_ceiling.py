"""Floor and ceiling: mean rewards of the probes that do no work, and of the reference answers."""

from __future__ import annotations

from envyard.card.evidence import Evidence
from envyard.card.measures.definition import Measure, MeasureDefinition, Reading, unknown
from envyard.card.reward_bounds import ceiling, floor, limit_of
from envyard.contract.findings import Finding, finding


def floor_reading(evidence: Evidence) -> Reading:
    """The mean reward of the best-paid policy that does no work."""
    floors = floor(evidence)
    if not floors:
        return unknown("no policy that does no work was rewarded")
    worst = max(floors, key=lambda f: (f.status == "fail", f.status == "warn", f.excess))
    means = ", ".join(f"{f.score.policy} {f.score.mean:.3g}" for f in floors)
    summary = f"paid on average: {means} (full marks: {worst.full_marks:.3g})"
    return Reading(
        value=worst.score.mean,
        status=worst.status,
        n=worst.score.n,
        low=worst.score.low,
        high=worst.score.high,
        method=worst.score.method,
        detail="; ".join([summary, *(f.sentence for f in floors if f.status != "pass")]),
        threshold=worst.limit,
    )


def _paid_probes(measure: Measure, evidence: Evidence) -> list[Finding]:
    """One finding for each probe paid too much: policy, rollout, reward and the next step."""
    return [
        finding(
            "card.floor",
            f"A policy that does no work is paid: {paid.sentence}.",
            where=paid.best_rollout,
            hint=limit_of(paid.score.policy).hint,
            policy=paid.score.policy,
            mean=paid.score.mean,
            reward=paid.best_reward,
            allowed=paid.limit,
            n=paid.score.n,
        )
        for paid in floor(evidence)
        if paid.status == "fail"
    ]


def ceiling_reading(evidence: Evidence) -> Reading:
    """The mean reward of the reference answers; enforced where the environment has an oracle()."""
    reference = ceiling(evidence)
    if reference is None:
        return unknown("no task offers a reference answer, or the oracle was not asked")
    return Reading(
        value=reference.score.mean,
        status=reference.status,
        n=reference.score.n,
        low=reference.score.low,
        high=reference.score.high,
        method=reference.score.method,
        detail=reference.sentence,
        threshold=reference.minimum,
    )


FLOOR_AND_CEILING = (
    MeasureDefinition(
        code="floor",
        title="Floor",
        unit="reward",
        threshold=None,  # a share of full marks, which the run itself shows
        read=floor_reading,
        question="Are policies paid that do no work?",
        advice="Pay nothing for a reply without a right answer.",
        errors=_paid_probes,
    ),
    MeasureDefinition(
        code="ceiling",
        title="Ceiling",
        unit="reward",
        threshold=None,
        read=ceiling_reading,
        question="Is the right answer paid?",
        advice="Compare the reply of `oracle()` with the format that the verifier parses.",
    ),
)
