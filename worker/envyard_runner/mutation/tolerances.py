"""A number that is off by more than its rounding, where the prompt asks for decimals."""

from __future__ import annotations

import re
from decimal import Decimal

from envyard_runner.mutation.by_prompt import PRECISION

SHARE = Decimal("0.04")  # further than the rounding of intermediate results leads
FEWEST_UNITS = 3  # of the last decimal, by which the numbers must differ
FRACTION = re.compile(r"(-?\d{1,9}\.(\d{1,4}))(\s?[^\d\s.,]{1,12})?")
# What a prompt says that accepts numbers near the right one.
TOLERATED = re.compile(
    r"\btoleran|\bwithin\b|\bapprox|\broughly\b|\babout \d|\bestimat|\b(?:relative|margin of) "
    r"|\u00b1|\+/-|\bclose\b|\bsignificant\b|\berrors? of\b|\boff by\b",
    re.IGNORECASE,
)


def percent_off(answer: str, prompt: str) -> str | None:
    """A fraction that is 4 % larger, where the prompt asks for its decimals and states no
    tolerance."""
    match = FRACTION.fullmatch(answer.strip())
    if match is None or not PRECISION.search(prompt) or TOLERATED.search(prompt):
        return None
    value, unit = Decimal(match[1]), Decimal(1).scaleb(-len(match[2]))
    if abs(value) * SHARE < FEWEST_UNITS * unit:
        return None
    return f"{(value * (1 + SHARE)).quantize(unit)}{match[3] or ''}"
