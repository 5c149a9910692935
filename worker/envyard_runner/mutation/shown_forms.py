"""The answer in the form in which its prompt shows such values: times, dates, money.
A policy that reads `7:40 pm` and no other form answers in that form.

Each needs a prompt that shows that form alone and wants no other.
"""

from __future__ import annotations

import re
from datetime import date

OTHER_WANTED = re.compile(
    r"HH|YYYY|\b24[ -]?h|\bformat|\bISO\b|\bdigits?\b|\bnumbers?\b|\bdecimals?\b|\binteger"
    r"|\b(?:only|just|bare|plain|without|exact(?:ly)?|cents|minutes since)\b|\bN\b",
    re.IGNORECASE,
)
CLOCK = re.compile(r"\b\d{1,2}:\d\d ?[ap]\.?m\b", re.IGNORECASE)
OTHER_CLOCK = re.compile(r"\b\d{1,2}:\d\d\b(?! ?[ap]\.?m)", re.IGNORECASE)
TIME = re.compile(r"([01]\d|2[0-3]):([0-5]\d)")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
MONTH = "|".join(MONTHS)
DAY_FIRST = re.compile(rf"\b\d{{1,2}} (?:{MONTH}) \d{{4}}\b")
MONTH_FIRST = re.compile(rf"\b(?:{MONTH}) \d{{1,2}}, \d{{4}}\b")
ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d")
MONEY = re.compile(r"(?<![\w$\u20ac\u00a3])([$\u20ac\u00a3]) ?\d")
MONEY_WANTED = re.compile(
    r"\b(?:how much|costs?|price|pays?|paid|bill|change|fee|earns?|spend|owes?|charged?)\b",
    re.IGNORECASE,
)
CURRENCY_WANTED = re.compile(r"\bin (?:dollars|euros?|pounds)\b|\b(?:EUR|USD|GBP)\b", re.IGNORECASE)
AMOUNT = re.compile(r"\d{1,9}(?:\.\d\d)?")


def as_shown(answer: str, prompt: str) -> str | None:
    """The answer as the prompt shows such values; None where it shows none, or other forms too."""
    text = answer.strip()
    if OTHER_WANTED.search(prompt) or text in prompt:
        return None
    return _time(text, prompt) or _date(text, prompt) or _money(text, prompt)


def on_twelve_hours(text: str) -> str | None:
    """A time such as 00:20 by the clock of 12 hours; None for another text."""
    match = TIME.fullmatch(text)
    if match is None:
        return None
    hours = int(match[1])
    return f"{hours % 12 or 12}:{match[2]} {'am' if hours < 12 else 'pm'}"


def _time(text: str, prompt: str) -> str | None:
    if not CLOCK.search(prompt) or OTHER_CLOCK.search(prompt):
        return None
    return on_twelve_hours(text)


def _date(text: str, prompt: str) -> str | None:
    day_first, month_first = DAY_FIRST.search(prompt), MONTH_FIRST.search(prompt)
    if (
        not ISO_DATE.fullmatch(text)
        or ISO_DATE.search(prompt)
        or bool(day_first) == bool(month_first)
    ):
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    month = MONTHS[day.month - 1]
    return f"{day.day} {month} {day.year}" if day_first else f"{month} {day.day}, {day.year}"


def _money(text: str, prompt: str) -> str | None:
    signs = {*MONEY.findall(prompt)}
    if len(signs) == 1 and AMOUNT.fullmatch(text) and MONEY_WANTED.search(prompt):
        return None if CURRENCY_WANTED.search(prompt) else f"{signs.pop()}{text}"
    return None
