"""All known rules; a subject has its own module."""

from __future__ import annotations

from envyard_runner.survey.known_rules import (
    blood,
    bridge_scores,
    business_days,
    calendar_days,
    check_digits,
    chess,
    codons,
    elements,
    intervals,
    json_types,
    minerals,
    morse,
    number_order,
    numerals,
    poker,
    propositions,
    resistors,
    syllogisms,
    timetables,
)
from envyard_runner.survey.known_rules.entry import KnownRule

KNOWN_RULES: tuple[KnownRule, ...] = (
    *blood.RULES,
    *poker.RULES,
    *business_days.RULES,
    *calendar_days.RULES,
    *bridge_scores.RULES,
    *intervals.RULES,
    *codons.RULES,
    *resistors.RULES,
    *check_digits.RULES,
    *numerals.RULES,
    *morse.RULES,
    *elements.RULES,
    *minerals.RULES,
    *chess.RULES,
    *syllogisms.RULES,
    *propositions.RULES,
    *json_types.RULES,
    *number_order.RULES,
    *timetables.RULES,
)
