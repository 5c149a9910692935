"""Tables of bands in prompts: limits with the value of what lies beyond them.

Only words that say to which band a limit belongs are read, such as `from 45 kg` or `over 45 kg`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

FEWEST, MOST = 3, 20  # bands of a table
LONGEST = 160  # characters of a row
ROW = re.compile(
    r"\s*(?:[-*\u2022|]\s*)?(?:(?P<words>from|at least|no less than|\u2265|>=|over|above|more than"
    r"|>|under|below|less than|<(?!=)|up to and including|at most|no more than|\u2264|<=) ?)?"
    r"(?:[A-Z]{3} |[$\u20ac\u00a3] ?)?(?P<limit>\d[\d,]{0,12}(?:\.\d{1,4})?)"
    r"(?P<between>[^:|=\n]{0,50}?)\s*(?::|\||=|->|\u2192)\s*(?P<value>\S.{0,80})",
    re.IGNORECASE,
)
# A further limit of a row, with which it is open to which of two rows that limit belongs.
UP_TO = re.compile(
    r"(?:\bto|\bthrough|[-\u2013]) ?(?:[A-Z]{3} |[$\u20ac\u00a3] ?)?\d", re.IGNORECASE
)
OR_MORE = re.compile(
    r"\b(?:or|and) (?:more|over|above|heavier|longer|older|higher)\b|\+", re.IGNORECASE
)
# Lower limits that belong to the band above them, and so on.
LOWER = {"from": True, "at least": True, "no less than": True, "\u2265": True, ">=": True}
LOWER |= {"over": False, "above": False, "more than": False, ">": False}
UPPER = {"under": True, "below": True, "less than": True, "<": True}
UPPER |= dict.fromkeys(("up to and including", "at most", "no more than", "\u2264", "<="), False)
AMOUNT = re.compile(r"-?\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Bands:
    """Limits in order, whether each belongs to the band above it, and the values of the bands: one
    more than limits, the first one empty where the table begins with a lower limit."""

    limits: tuple[float, ...]
    upwards: tuple[bool, ...]
    values: tuple[str, ...]

    def value(self, quantity: float, *, otherwise: bool = False) -> str:
        """The value of a quantity; `otherwise` with each limit in the other one of its bands."""
        place = sum(
            quantity > limit or (quantity == limit and up != otherwise)
            for limit, up in zip(self.limits, self.upwards, strict=True)
        )
        return self.values[place]


def bands_in(prompt: str) -> tuple[Bands, str] | None:
    """The only table of bands of a prompt, and the rest of the prompt; None without one."""
    parts = re.split(r"\n|;(?= )", prompt)
    rows = [ROW.fullmatch(part) if len(part) <= LONGEST else None for part in parts]
    places = [place for place, row in enumerate(rows) if row]
    if not FEWEST <= len(places) <= MOST or places[-1] - places[0] + 1 != len(places):
        return None
    bands = _bands([row for row in rows if row])
    rest = "\n".join(part for part, row in zip(parts, rows, strict=True) if not row)
    return (bands, rest) if bands else None


def number_of(value: str) -> float | None:
    """The first number of a band's value."""
    match = AMOUNT.search(value)
    return float(match[0].replace(",", "")) if match else None


def _bands(rows: Sequence[re.Match[str]]) -> Bands | None:
    """None where a row does not say to which band its limit belongs, or the limits do not rise."""
    kinds = [_kind(row) for row in rows]
    limits = [float(row["limit"].replace(",", "")) for row in rows]
    values = [row["value"].strip(" |.,") for row in rows]
    if kinds[-1][0] == "lower" and all(kind == "upper" for kind, _ in kinds[:-1]):
        if limits[-1] != limits[-2] or kinds[-1][1] != kinds[-2][1]:
            return None
        kinds, limits = kinds[:-1], limits[:-1]  # the last row is what lies beyond
    elif kinds[0][0] == "upper" and all(kind == "lower" for kind, _ in kinds[1:]):
        if limits[0] != limits[1] or kinds[0][1] != kinds[1][1]:
            return None
        kinds, limits = kinds[1:], limits[1:]
    elif all(kind == "lower" for kind, _ in kinds):
        values = ["", *values]
    elif all(kind == "upper" for kind, _ in kinds):
        values = [*values, ""]
    else:
        return None
    if any(one >= other for one, other in pairwise(limits)):
        return None
    return Bands((*limits,), tuple(up for _, up in kinds), (*values,))


def _kind(row: re.Match[str]) -> tuple[str, bool]:
    """Whether a row names its lower or upper limit, and whether that belongs to the band above."""
    words, further = (row["words"] or "").casefold(), UP_TO.search(row["between"])
    if further and LOWER.get(words, True):
        return "", False
    if words in LOWER:
        return "lower", LOWER[words]
    if words in UPPER:
        return "upper", UPPER[words]
    return ("lower", True) if OR_MORE.search(row["between"]) else ("", False)
