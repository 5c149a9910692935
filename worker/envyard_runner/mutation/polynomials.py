"""A polynomial with its common factor before brackets, where the prompt accepts each form."""

from __future__ import annotations

import math
import re

ANY_FORM = re.compile(
    r"\bfactored\b|\bfactori[sz]ed\b|\bany (?:equivalent|equal|correct|valid) form\b"
    r"|\bequivalent (?:form|expression)s?\b|\bin any form\b",
    re.IGNORECASE,
)
# Words by which a prompt wants one form all the same.
ONE_FORM = re.compile(
    r"\b(?:expand(?: |ed form)|simplif|fully|standard form|must be)", re.IGNORECASE
)
TERM = re.compile(r"(?P<sign>[+-]?)(?P<factor>\d{0,9})\*?(?P<power>(?:[a-z](?:\^\d{1,2})?)?)")
MOST = 8  # terms


def factored(answer: str, prompt: str) -> str | None:
    """`2(3x + 2)` for `6x + 4`; None where the terms have no common factor, or the prompt wants one
    form."""
    name, equals, text = answer.strip().rpartition("=")
    if not ANY_FORM.search(prompt) or ONE_FORM.search(prompt) or len(text) > 200:
        return None
    terms = _terms(text.replace(" ", "").replace("\u2212", "-"))
    if not 2 <= len(terms) <= MOST or not any(power for _, power in terms):
        return None
    common = math.gcd(*(abs(factor) for factor, _ in terms))
    if common < 2:
        return None
    first, *rest = (_written(factor // common, power) for factor, power in terms)
    begun = first.removeprefix(" + ").replace(" - ", "-")
    return f"{name}{equals}{' ' if equals else ''}{common}({begun}{''.join(rest)})"


def _terms(text: str) -> list[tuple[int, str]]:
    """Factor and power of each term; none where the text is no sum of such terms."""
    terms, at = [], 0
    while at < len(text):
        match = TERM.match(text, at)
        if match is None or not (match["factor"] or match["power"]) or (at and not match["sign"]):
            return []
        sign = -1 if match["sign"] == "-" else 1
        terms.append((sign * int(match["factor"] or 1), match["power"]))
        at = match.end()
    return terms


def _written(factor: int, power: str) -> str:
    number = "" if abs(factor) == 1 and power else str(abs(factor))
    return f" {'-' if factor < 0 else '+'} {number}{power}"
