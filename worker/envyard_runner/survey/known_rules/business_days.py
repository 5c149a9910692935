"""The number of business days of a period, where the prompt lists the holidays."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta

from envyard_runner.survey.calendar_rules import dates_in
from envyard_runner.survey.known_rules.entry import KnownRule, Solved, has, pattern
from envyard_runner.survey.known_rules.numerals import integer

SATURDAY, LONGEST_PERIOD = 5, 4_000  # the weekday's number, and days
QUESTION = r"\bhow many (?:\w+ ){0,2}?(?:business|working|banking|trading|work) ?days?\b"
HOLIDAYS = re.compile(r"\bholidays?\b", re.IGNORECASE)
# Weekends are Saturdays and Sundays, where the prompt says nothing else.
OTHERWISE = has(
    r"\b(?:sunday|saturday)s? (?:to|through|until) (?:wednes|thurs)day|\bfriday and saturday\b"
    r"|\b(?:half|saturday|sunday) (?:is|are|counts?) (?:a )?(?:business|working)|\bhalf[- ]days?\b"
    r"|\bsubstitute|\bobserved on\b|\bmoves? to\b|\bmoved to\b|\bin lieu\b|\bleave\b|\bvacation\b"
    r"|\bexcept|\bonly if\b"
)
BOTH = re.compile(
    r"\b(?:both|inclusive\b|including (?:both|the first)|first and (?:the )?last)\b", re.IGNORECASE
)
LAST_ALONE = re.compile(
    r"\bafter\b[^.?\n]{0,80}\b(?:including|inclusive|included)\b"
    r"|\b(?:excluding|not counting|without) the (?:first|start|trade|issue|order)\b",
    re.IGNORECASE,
)


def count(prompt: str) -> Solved | None:
    """The days from Monday to Friday of the only period that are no holiday; None where it is
    unclear which of its ends count."""
    holidays: set[date] = set()
    ends: list[date] = []
    for sentence in _sentences(prompt):
        days = dates_in(sentence)
        if HOLIDAYS.search(sentence) and len(days) > 1:
            holidays.update(days)
        else:
            ends += days
    period = sorted({*ends})
    last_alone, both = LAST_ALONE.search(prompt), BOTH.search(prompt)
    unclear = len(period) != 2 or not holidays or bool(last_alone) == bool(both)
    if unclear or (period[1] - period[0]).days > LONGEST_PERIOD:
        return None
    first = period[0] + timedelta(days=1 if last_alone else 0)
    counted = (first + timedelta(days=at) for at in range((period[1] - first).days + 1))
    business = [day for day in counted if day.weekday() < SATURDAY and day not in holidays]
    return Solved((str(len(business)),))


def _sentences(prompt: str) -> Iterator[str]:
    """The sentences of a prompt; lines that only list dates belong to the one before them."""
    kept = ""
    for sentence in re.split(r"(?<=[.?!])\s+|\n+", prompt):
        listed = re.match(r"\s*(?:[-*\u2022]|\d{1,2}\b)", sentence) and HOLIDAYS.search(kept)
        if kept and not listed:
            yield kept
            kept = ""
        kept = f"{kept}\n{sentence}" if kept else sentence
    yield kept


RULES = (
    KnownRule(
        "the number of business days between its dates",
        pattern(QUESTION),
        count,
        integer,
        OTHERWISE,
    ),
)
