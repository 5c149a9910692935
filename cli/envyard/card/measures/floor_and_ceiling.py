"""Floor and ceiling: mean rewards of the probes that do no work, and of the reference answers."""

from __future__ import annotations

from typing import Any

from envyard.card.evidence import Evidence
from envyard.card.measures.definition import (
    Measure,
    MeasureDefinition,
    Reading,
    Status,
    share,
    unknown,
)
from envyard.card.reward_bounds import Floor, ceiling, floor, limit_of
from envyard.card.survey import references
from envyard.contract.findings import Finding, finding
from envyard.contract.probes import ORACLE

MAXIMUM_REFUSED = 0.05
NAMED = 5  # refused references in a sentence


def floor_reading(evidence: Evidence) -> Reading:
    """The mean reward of the best-paid policy that does no work."""
    floors = floor(evidence)
    if not floors:
        return unknown("no policy that does no work was rewarded")
    worst = max(floors, key=_severity)
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


def _worst_warning(evidence: Evidence) -> dict[str, Any]:
    """The probe, the rollout and the next step of the worst of the probes that are paid."""
    paid = max(floor(evidence), key=_severity)
    hint = limit_of(paid.score.policy).hint
    return {"where": paid.best_rollout, "hint": hint, "policy": paid.score.policy}


def _severity(bound: Floor) -> tuple[bool, bool, float]:
    return bound.status == "fail", bound.status == "warn", bound.excess


def ceiling_reading(evidence: Evidence) -> Reading:
    """The mean reward of the reference answers; enforced where the environment has an oracle().

    Without any reference answer nobody knows whether a right answer is paid, which warns.
    """
    reference = ceiling(evidence)
    if reference is None and ORACLE in evidence.policies and evidence.facts.tasks:
        detail = "unverified: no task offers a reference answer, so what a right one earns is open"
        return Reading(None, "warn", 0, detail=detail)
    if reference is None:
        return unknown("the oracle was not asked")
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


def references_reading(evidence: Evidence) -> Reading:
    """The share of tasks whose reference is paid more than no work.

    It fails beyond 5 % only where the environment's own oracle() was refused at least twice, in one
    reply each: games are lost at times, and a bare answer may lack the form. References that are
    paid in part warn, where others are paid in full and no range of rewards is declared.
    """
    played = references(evidence)
    if played is None:
        return unknown("no reference was paid, or none was played")
    count = len(played.refused)
    fails = played.enforced and count > 1 and count > MAXIMUM_REFUSED * played.n
    detail = f"{len(played.paid)} of {played.n} references were paid"
    if count:
        named = [
            f"{who} got {'no reward' if reward is None else f'{reward:.3g}'}"
            for who, reward in played.refused[:NAMED]
        ]
        more = f" and {count - NAMED} more" if count > NAMED else ""
        detail += f"; refused: {', '.join(named)}{more}"
    if played.partly:
        who, reward = min(played.partly, key=lambda each: each[1])
        detail += f"; {len(played.partly)} of these in part: {who} got {reward:.3g}"
    status: Status = "fail" if fails else "warn" if count or played.partly else "pass"
    return share(len(played.paid), played.n, status, detail)


FLOOR_AND_CEILING = (
    MeasureDefinition(
        code="floor",
        title="Floor",
        unit="reward",
        threshold=None,  # a share of full marks, which the run itself shows
        source="claimed",
        read=floor_reading,
        question="Are policies paid that do no work?",
        advice="Pay nothing for a reply without a right answer.",
        errors=_paid_probes,
        warning_details=_worst_warning,
    ),
    MeasureDefinition(
        code="ceiling",
        rollouts="policy=oracle&sort=reward",
        title="Ceiling",
        unit="reward",
        threshold=None,
        source="claimed",
        read=ceiling_reading,
        question="Is the right answer paid?",
        advice="Compare the reply of `oracle()` with the format that the verifier parses.",
    ),
    MeasureDefinition(
        code="references_paid",
        rollouts="policy=oracle&sort=reward",
        title="References paid",
        unit="share",
        threshold=1 - MAXIMUM_REFUSED,
        source="claimed",
        read=references_reading,
        question="Is the right answer paid in each of many tasks, over the whole range?",
        advice="Compare the references of the named tasks with what the verifier accepts.",
    ),
)
