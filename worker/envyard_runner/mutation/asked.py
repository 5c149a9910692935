"""Formats that a prompt asks for and that a bare answer may lack: decimals, dates, capitals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Literal

Asked = Literal["1 decimal", "2 decimals", "3 decimals", "ISO date", "lower case", "upper case"]
COUNTS = {"one": 1, "two": 2, "three": 3, "1": 1, "2": 2, "3": 3}
DECIMALS = re.compile(
    r"\b(?:to|with|exactly|has|have)\s+(?:exactly\s+)?(one|two|three|1|2|3)\s+"
    r"(?:decimals?\b(?! point)|decimal (?:places?|digits?))",
    re.IGNORECASE,
)
FRACTION = re.compile(r"-?\d+\.\d+")  # a whole number may be a count
DATE = re.compile(r"\b(?:YYYY|MM|DD)[-/.](?:YYYY|MM|DD)[-/.](?:YYYY|MM|DD)\b")
ISO = "YYYY-MM-DD"
DATES = ("%d %B %Y", "%B %d, %Y", "%d %b %Y", "%b %d, %Y", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d")
# Day and month of these are told apart where one of them is above 12.
UNCLEAR_DATES = (("%d/%m/%Y", "%m/%d/%Y"), ("%d.%m.%Y", "%m.%d.%Y"), ("%d-%m-%Y", "%m-%d-%Y"))
CASES: tuple[tuple[Asked, re.Pattern[str]], ...] = (
    ("lower case", re.compile(r"\b(?:in|all|only) lower[- ]?case\b", re.IGNORECASE)),
    (
        "upper case",
        re.compile(r"\b(?:in|all|only) upper[- ]?case\b|\bin capitals\b", re.IGNORECASE),
    ),
)
LONGEST = 80  # characters of an answer whose capitals a prompt asks for


def asked_layouts(text: str, answer: str) -> Iterator[Asked]:
    """The formats that the text asks for, of which the answer has another; none where the text asks
    for two of one kind."""
    asked: list[Asked] = []
    counts = {COUNTS[count.lower()] for count in DECIMALS.findall(text)}
    if len(counts) == 1:
        number = counts.pop()
        asked.append("1 decimal" if number == 1 else "2 decimals" if number == 2 else "3 decimals")
    if set(DATE.findall(text)) == {ISO}:
        asked.append("ISO date")
    cases = [name for name, pattern in CASES if pattern.search(text)]
    asked += cases if len(cases) == 1 and len(answer) <= LONGEST else []
    yield from (layout for layout in asked if laid_out(layout, answer) != answer)


def laid_out(layout: Asked, answer: str) -> str:
    """The answer as asked for; unchanged where it cannot be that, or it is unclear how."""
    if layout == "lower case":
        return answer.lower()
    if layout == "upper case":
        return answer.upper()
    if layout == "ISO date":
        return _iso_date(answer.strip()) or answer
    return _rounded(answer.strip(), int(layout[0])) or answer


def _rounded(answer: str, places: int) -> str:
    if not FRACTION.fullmatch(answer) or re.search(rf"\.\d{{{places}}}50*$", answer):
        return ""  # halves are rounded in two ways
    return str(Decimal(answer).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))


def _iso_date(answer: str) -> str:
    known = {date for form in DATES if (date := _read_date(answer, form))}
    for pair in UNCLEAR_DATES:
        known |= {date for form in pair if (date := _read_date(answer, form))}
    return known.pop() if len(known) == 1 else ""


def _read_date(answer: str, form: str) -> str:
    with suppress(ValueError):
        return datetime.strptime(answer, form).replace(tzinfo=UTC).date().isoformat()
    return ""
