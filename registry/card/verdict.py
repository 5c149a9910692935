"""From measures to findings: what rejects a version, what leaves it undecided, what only warns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from envyard.contract.codes import Finding, finding
from registry.card.evidence import Evidence, excused, name
from registry.card.measures import (
    COMPLETES,
    Measure,
    all_measures,
    policy_rate,
    takes_no_seed,
)
from registry.card.pay import floor
from registry.card.rescoring import rescored

UNDECIDED = "card.undecided"
MUST_BE_KNOWN = ("completes", "reproducible_tasks")
FLOOR_HINTS = {
    "silent": "Pay nothing for an empty reply: an answer that is not there must not match.",
    "babble": "Pay nothing for noise: look at what is read out of a reply that cannot be parsed.",
    "parrot": "Pay nothing for repeating the prompt: read one marked answer, do not search.",
    "swapped": "Compare with this task's answer: another task's right answer must not be paid.",
}


def findings_of(evidence: Evidence, required: Sequence[str]) -> list[Finding]:
    """What the card says about listing; errors stand for gates that did not hold.

    Only the required policies decide. What the others show, and every weak measure, warns.
    `card.undecided` is the platform's: it holds the version, and never blames its author.
    """
    deciding = evidence.only(required)
    gates = all_measures(deciding)
    errors = [one for gate in gates for one in _errors(gate, deciding)]
    told = {gate.code for gate in gates if gate.status == "fail"}
    if "completes" not in told:
        errors += _policies_that_fall_short(deciding)
    warnings = [
        _warning(m, evidence)
        for m in all_measures(evidence)
        if m.status in ("warn", "fail") and m.code not in told
    ]
    return errors + warnings


def _warning(measure: Measure, evidence: Evidence) -> Finding:
    """The finding of a weak measure; one about rewards that differ names the rollouts."""
    about: dict[str, Any] = {"value": measure.value, "n": measure.n}
    if measure.code == "reproducible_reward":
        pairs = rescored(evidence.rollouts).pairs
        about |= {"where": next(iter(pairs)), "rewards": pairs}
    return finding(f"card.{measure.code}", measure.detail, severity="warning", **about)


def _errors(gate: Measure, deciding: Evidence) -> list[Finding]:
    if gate.status == "unknown" and gate.code in MUST_BE_KNOWN and deciding.policies:
        return [finding(UNDECIDED, f"{gate.title}: {gate.detail}.", where=gate.code)]
    if gate.status != "fail":
        return []
    if gate.code == "floor":
        return _paid_for_nothing(deciding)
    unseeded = gate.code == "reproducible_tasks" and takes_no_seed(deciding)
    return [
        finding(
            "card.takes_no_seed" if unseeded else f"card.{gate.code}",
            f"{gate.detail}." if unseeded else f"{gate.title}: {gate.detail}.",
            value=gate.value,
            threshold=gate.threshold,
            n=gate.n,
        )
    ]


def _paid_for_nothing(deciding: Evidence) -> list[Finding]:
    """One finding for each policy paid too much: policy, rollout, reward and the way out."""
    return [
        finding(
            "card.floor",
            f"A policy that does no work is paid: {one.sentence}.",
            where=one.best,
            hint=FLOOR_HINTS[one.score.policy],
            policy=one.score.policy,
            mean=one.score.mean,
            reward=one.most,
            allowed=one.allowed,
            n=one.score.n,
        )
        for one in floor(deciding)
        if one.status == "fail"
    ]


def _policies_that_fall_short(deciding: Evidence) -> list[Finding]:
    """Policies below the bound although all together stand above it."""
    short = [p for p in deciding.policies if policy_rate(deciding, p) < COMPLETES]
    return [
        finding(
            "card.policy_failed",
            f"{policy} completed {policy_rate(deciding, policy):.0%} of its "
            f"{deciding.planned(policy)} rollouts, at least {COMPLETES:.0%} must.",
            where=policy,
            policy=policy,
            failed=[name(r) for r in deciding.of(policy) if not r.ok and not excused(r)][:20],
        )
        for policy in short
    ]
