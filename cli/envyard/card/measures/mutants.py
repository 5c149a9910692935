"""Mutants: the share of changed answers that the verifier treats as it should."""

from __future__ import annotations

from typing import Any

from envyard.card.evidence import Evidence
from envyard.card.measures.definition import (
    MeasureDefinition,
    Reading,
    Status,
    share_of_rollouts,
    unknown,
)
from envyard.card.mutants import (
    MutationScore,
    corrupting,
    difference,
    equivalent,
    sentence,
)
from envyard.contract.mutants import OPERATORS, MutantResult

MINIMUM_CAUGHT = 0.7
FEWEST_REFUSED = 2  # of an operator, where it kept the reward in other tasks
LISTED = 10  # survivors in a finding's details
NOTHING = "no paid reply could be changed and scored again"


def _played(evidence: Evidence) -> list[MutantResult]:
    """The mutants of the run, and those of the survey's references."""
    survey = evidence.facts.survey
    return [*(evidence.facts.mutants or ()), *(survey.mutants if survey else ())]


def mutants_caught(evidence: Evidence) -> Reading:
    """The share of wrong answers, made of right ones by one change, that lost reward."""
    score = corrupting(_played(evidence))
    if not score.n:
        return unknown(NOTHING)
    weak = score.caught < MINIMUM_CAUGHT * score.n or score.overlooked
    detail = f"{score.caught} of {score.n} answers with one wrong change lost reward"
    status: Status = "warn" if weak else "pass"
    return _reading(score, status, detail)


def equivalents_kept(evidence: Evidence) -> Reading:
    """The share of right answers in another form that kept most of their reward.

    A task may ask for one form, so only the operators that are `by_all` warn.
    """
    score = equivalent(_played(evidence))
    if not score.n:
        return unknown(NOTHING)
    played = (counts for name, counts in score.by_operator.items() if OPERATORS[name].by_all)
    detail = f"{score.caught} of {score.n} answers in another form kept their reward"
    refused = any(lost > n / 2 or lost >= FEWEST_REFUSED for n, lost in played)
    status: Status = "warn" if refused else "pass"
    return _reading(score, status, detail)


def _reading(score: MutationScore, status: Status, detail: str) -> Reading:
    survivors = set(score.survivors)
    if survivors:
        detail += f"; not so: {sentence(score)}"
    return share_of_rollouts(
        [(result, result not in survivors) for result in score.results], status, detail
    )


def _surviving(evidence: Evidence) -> dict[str, Any]:
    """The survivors with both answers, and the rollout of the first."""
    return _details(corrupting(_played(evidence)))


def _refused(evidence: Evidence) -> dict[str, Any]:
    return _details(equivalent(_played(evidence)))


def _details(score: MutationScore) -> dict[str, Any]:
    rows = [
        {
            "rollout": survivor.rollout,
            "operator": survivor.operator,
            "change": difference(survivor),
            "reward": survivor.reward,
        }
        for survivor in score.survivors[:LISTED]
    ]
    return {"where": rows[0]["rollout"], "survivors": rows} if rows else {}


MUTANTS = (
    MeasureDefinition(
        code="mutants_caught",
        rollouts="outcome=replayed",
        title="Wrong changes caught",
        unit="share",
        threshold=MINIMUM_CAUGHT,
        source="claimed",
        read=mutants_caught,
        question="Does a right answer lose reward when one digit, sign, unit, word or half of it "
        "is wrong?",
        advice="Compare the whole answer, not a part of it or its form.",
        warning_details=_surviving,
    ),
    MeasureDefinition(
        code="equivalents_kept",
        rollouts="outcome=replayed",
        title="Other forms paid",
        unit="share",
        threshold=None,
        source="claimed",
        read=equivalents_kept,
        question="Is a right answer paid with white space, `1,000` for `1000`, `60.9` for "
        "`60.900000000000006`, emphasis, other JSON or factors in another order?",
        advice="Strip white space, compare numbers as numbers and JSON as JSON, round computed "
        "labels, and accept each order and form that the prompt allows.",
        warning_details=_refused,
    ),
)
