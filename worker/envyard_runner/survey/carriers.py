"""Risks of a recessive disorder where a healthy sibling of an affected person counts as a carrier
in one of two cases: of the healthy children of two carriers, two in three are carriers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from envyard_runner.survey.families import risk
from envyard_runner.survey.templates import Sample

FEWEST, OFTEN = 5, 0.2  # tasks of the other risk, and their share of those that tell both apart
LONGEST = 2_000  # characters of a prompt
RIGHT, OTHER = Fraction(2, 3), Fraction(1, 2)
ANSWER = re.compile(
    r"(?P<value>\d{1,9}/\d{1,9}|\d?\.(?P<decimals>\d{2,9}))|(?P<percent>\d{1,2}(?:\.(?P<tenths>\d{1,7}))?)%"
)


def carriers(samples: Sequence[Sample]) -> tuple[list[Sample], list[tuple[Sample, str]]]:
    """The tasks whose answer is the risk with a healthy sibling a carrier in two of three cases,
    and those with one in two, each with the right risk; none where these are few."""
    agreeing, outliers = [], []
    for sample in (each for each in samples if len(each.prompt) <= LONGEST):
        right, other = (risk(sample.prompt, sibling=share) for share in (RIGHT, OTHER))
        if right is None or other is None or right == other:
            continue
        if states(sample.answer, right):
            agreeing.append(sample)
        elif states(sample.answer, other):
            outliers.append((sample, str(right)))
    different = len({sample.prompt for sample, _ in outliers})
    enough = different >= max(FEWEST, OFTEN * (len(agreeing) + len(outliers)))
    return (agreeing, outliers) if enough else ([], [])


def states(answer: str, value: Fraction) -> bool:
    """Whether an answer is a probability: a fraction, or a decimal number or percentage to which it
    may be rounded."""
    match = ANSWER.fullmatch(answer.replace(" ", "").rstrip("."))
    if not match or (match["value"] or "").endswith("/0"):
        return False
    if match["percent"]:
        return round(value * 100, len(match["tenths"] or "")) == Fraction(match["percent"])
    if match["decimals"]:
        return round(value, len(match["decimals"])) == Fraction(f"0{match['value'].lstrip('0')}")
    return Fraction(match["value"]) == value
