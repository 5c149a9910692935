"""Dates that questions about days name, and dates, weekdays and weeks in answers.

The calendar is the Gregorian one from 1753 on, when most countries had it.
"""

from __future__ import annotations

import re
from datetime import date

from envyard_runner.survey.calendar_rules import DATE, MONTH, MONTHS, WEEKDAYS, dates_in
from envyard_runner.survey.known_rules.entry import has

FIRST_YEAR = 1753
ORDINAL = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)\b(?: (?:day )?of(?= [A-Z]))?", re.IGNORECASE)
DAY_OF = re.compile(rf"\b(\d{{1,2}}) of (?={MONTH})", re.IGNORECASE)
SHORT = re.compile(
    rf"\b(?:(?P<before>\d{{1,2}})\.? (?P<name>{MONTH})|(?P<first>{MONTH}) (?P<behind>\d{{1,2}}))\b"
    r"(?![:/-]\d)",
    re.IGNORECASE,
)
YEAR = re.compile(r"(?<![\d.,-])(?:1[7-9]|2\d)\d\d(?![\d-]|[.,]\d)")
# What a prompt says of an example: `1 January is day 1`.
SHOWN = re.compile(
    rf"\b(?:\d{{1,2}} {MONTH}|{MONTH} \d{{1,2}})(?:,? \d{{4}})?,? (?:is|=|counts as|has|being|as) "
    r"(?:the )?(?:day |number |day number )?(?:\d{1,3}|one|zero)\b",
    re.IGNORECASE,
)
SLASHED = re.compile(r"\b\d{1,2}[/.]\d{1,2}[/.]\d{2,4}\b")
NUMBER = re.compile(
    r"(?:day |number |no\. ?)?(\d{1,3}(?:,\d{3})+|\d{1,7})(?:st|nd|rd|th)?(?: days?)?"
)
WEEK = re.compile(
    r"(?:(?:\d{4})[- ]?)?(?:calendar |iso )?(?:w|week|kw)? ?(\d{1,2})(?:,? (?:of |in )?\d{4})?",
    re.IGNORECASE,
)
# Another calendar, other days or another length of months and years.
OTHERWISE = has(
    r"\b(?:julian|old style|new style|hebrew|jewish|islamic|hijri|lunar|fiscal|financial year"
    r"|tax year|school year|academic|banker|actual/|30/360|360|business|working|work ?days?"
    r"|weekdays? (?:only|alone|between)|week-?ends?|nights?|holidays?|full months?|mars|martian"
    r"|(?:each|every|all) months? (?:has|have|is|are)|(?:ignor\w*|without|no|never|non)[- ]"
    r"(?:the )?leap|leap (?:years?|days?) (?:are|do|is|does) (?:ignored|not)|365[- ]days?"
    r"|30[- ]day months?)"
)


def dates_of(prompt: str) -> list[date]:
    """The full dates of a prompt in their order; none where one is unclear or too early."""
    text = _plain(prompt)
    dates = dates_in(text)
    unclear = SLASHED.search(text) or len(dates) != len(DATE.findall(text))
    return [] if unclear or any(each.year < FIRST_YEAR for each in dates) else dates


def date_with_year(prompt: str) -> date | None:
    """The only date of a prompt, whose year may stand elsewhere; examples are no dates."""
    text = SHOWN.sub(" ", _plain(prompt))
    dates = {*dates_of(text)}
    rest = DATE.sub(" ", text)
    short, years = [*SHORT.finditer(rest)], {*YEAR.findall(rest)}
    if len(dates) == 1 and not short:
        return dates.pop()
    if dates or len({match[0] for match in short}) != 1 or len(years) != 1:
        return None
    month, day = _month_and_day(short[0])
    return _date(int(years.pop()), month, day)


def date_answer(answer: str) -> str:
    """Month and day of an answer that is a date, as `03-09`, with or without a year or weekday."""
    text = _plain(answer.strip())
    if dates := dates_in(text):
        return f"{dates[0]:%m-%d}" if len(dates) == 1 else ""
    short = [*SHORT.finditer(text)]
    if len(short) != 1:
        return ""
    month, day = _month_and_day(short[0])
    return f"{month:02d}-{day:02d}"


def number_answer(answer: str) -> str:
    """A whole number, as `45`, `45th` or `day 45`."""
    match = NUMBER.fullmatch(answer.strip().rstrip(".").casefold())
    return str(int(match[1].replace(",", ""))) if match else ""


def week_answer(answer: str) -> str:
    """The number of a week, as `5`, `W05`, `week 5` or `2031-W05`."""
    match = WEEK.fullmatch(answer.strip().rstrip("."))
    return str(int(match[1])) if match else ""


def weekday_answer(answer: str) -> str:
    """A weekday, which may be shortened to three letters."""
    text = answer.strip().rstrip(".").casefold()
    names = [day.casefold() for day in WEEKDAYS]
    return next((name for name in names if text == name or text == name[:3]), "")


def _plain(text: str) -> str:
    """The text with `14 May` for `14th of May`."""
    return DAY_OF.sub(r"\1 ", ORDINAL.sub(r"\1", text))


def _month_and_day(match: re.Match[str]) -> tuple[int, int]:
    month = MONTHS.index((match["name"] or match["first"])[:3].casefold()) + 1
    return month, int(match["before"] or match["behind"])


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day) if year >= FIRST_YEAR else None
    except ValueError:
        return None
