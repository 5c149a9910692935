"""Days of the year, days between two dates, weekdays, dates some days later, and ISO weeks.

A wrong table of months or a leap year too many is wrong in a part of the tasks. Which ends of a
span count, and whether a year begins with day 1, is what most tasks of the same wording have.
"""

from __future__ import annotations

import re
from calendar import day_name, month_name
from collections.abc import Callable
from datetime import date, timedelta

from envyard_runner.survey.calendar_rules import DATE, WEEKDAYS
from envyard_runner.survey.day_counts import BOTH_ENDS
from envyard_runner.survey.known_rules.day_readings import (
    OTHERWISE,
    date_answer,
    date_with_year,
    dates_of,
    number_answer,
    week_answer,
    weekday_answer,
)
from envyard_runner.survey.known_rules.entry import KnownRule, Solved, has, pattern

OF_YEAR = (
    r"\bday (?:number )?(?:of|in|within) (?:the |that |its )?(?:calendar )?year\b|\bday-of-year\b"
    r"|\bordinal (?:date|day)\b|\bnumbers? (?:the |its )?days of (?:the year|\d{4})\b"
)
ASKS_LEFT = has(r"\b(?:remain\w*|left)\b")
ASKS_WEEK = has(r"\bday of the week\b|\bweekday\b|\bweek\b")
DAY_IN = re.compile(
    r"\bday (?:number |no\. ?)?(\d{1,3}) (?:of|in) (?:the )?(?:year )?(\d{4})\b"
    r"|\b(\d{1,3})(?:st|nd|rd|th) day of (?:the )?(?:year )?(\d{4})\b",
    re.IGNORECASE,
)
DAYS = r"\bhow many (?:calendar |full |whole )?days\b|\bnumber of (?:calendar )?days\b"
# The wordings of a span; prompts with another one follow a convention of their own.
BETWEEN = has(r"\bbetween\b")
UNTIL = has(r"\b(?:from|until|till|to|through)\b")
SPANS: tuple[Callable[[str], bool], ...] = (
    BETWEEN,
    lambda text: UNTIL(text) and not BETWEEN(text),
    lambda text: not UNTIL(text) and not BETWEEN(text),
)
ONE_END = has(
    r"\bnot (?:counting )?the (?:first|second|last|start\w*|end\w*|later|earlier)\b"
    r"|\bexclud\w+ (?:only )?the (?:first|second|last|start\w*|end\w*|later|earlier)\b(?! and)"
)
NO_END = has(r"\bstrictly between\b|\bexclud\w+ both\b|\bexclusive of both\b|\bneither\b")
ENDS = has(r"\b(?:inclu|exclu|count)\w*")
STEP = re.compile(r"(?<![\d.,-])(\d{1,6}) (days?|weeks?)\b", re.IGNORECASE)
LATER = has(r"\b(?:after|later|from|past|following|adds?|added|forward|hence|plus)\b")
EARLIER = has(r"\b(?:before|earlier|ago|prior|preced\w+|subtract\w*|back|backwards?|minus)\b")
OTHER_STEP = has(r"\b(?:months?|years?|hours?|minutes?|every|each)\b|\binclu|\bexclu|\bcounts?\b"
                 r"|\bcounting\b|\bwhich (?:week)?day\b|\bday of the week\b")  # fmt: skip
SHIFTED = has(
    r"\b(?:days?|weeks?|months?|years?) (?:later|earlier|after|before|from|ago)\b"
    r"|\b(?:next|previous|following|first|second|third|fourth|last|nearest) \w*day\b"
    r"|\bday (?:after|before)\b|\bhow many\b|\btomorrow\b|\byesterday\b"
)

NAMES = frozenset(
    name.casefold() for full in (*month_name, *day_name) for name in (full, full[:3]) if name
)


def day_of_year(first: int) -> Callable[[str], Solved | None]:
    """A solver of the day's number in its year, whose first day has the number `first`."""

    def solve(prompt: str) -> Solved | None:
        day = None if ASKS_LEFT(prompt) or ASKS_WEEK(prompt) else date_with_year(prompt)
        return None if day is None else Solved((str(day.timetuple().tm_yday - 1 + first),))

    return solve


def days_left(more: int) -> Callable[[str], Solved | None]:
    """A solver of the days that are left in the year, plus `more`."""

    def solve(prompt: str) -> Solved | None:
        day = date_with_year(prompt) if ASKS_LEFT(prompt) else None
        return None if day is None else Solved((str((date(day.year, 12, 31) - day).days + more),))

    return solve


def date_of_day(prompt: str) -> Solved | None:
    """The date of a day by its number in the year."""
    match = DAY_IN.search(prompt)
    if match is None or DATE.search(prompt) or len(DAY_IN.findall(prompt)) > 1:
        return None
    number, year = int(match[1] or match[3]), int(match[2] or match[4])
    if not 0 < number <= 366 or not 1753 <= year < 9999:
        return None
    day = date(year, 1, 1) + timedelta(days=number - 1)
    return Solved((f"{day:%m-%d}",), form=f"{day}") if day.year == year else None


def days_between(wording: Callable[[str], bool], more: int) -> Callable[[str], Solved | None]:
    """A solver of the days between two dates, plus `more` where the prompt leaves it open which
    ends count."""

    def solve(prompt: str) -> Solved | None:
        days = dates_of(prompt)
        if len(days) != 2 or days[0] == days[1] or not wording(prompt):
            return None
        stated = _stated_ends(prompt)
        if stated is None:
            return None
        beyond = more if stated == "" else int(stated)
        return Solved((str(abs((days[1] - days[0]).days) + beyond),))

    return solve


def _stated_ends(prompt: str) -> str | None:
    """What the prompt says of the ends, as the days beyond the difference: empty where it says
    nothing, None where it is unclear."""
    stated = [
        more
        for more, says in (("0", ONE_END(prompt)), ("1", _both(prompt)), ("-1", NO_END(prompt)))
        if says
    ]
    if len(stated) > 1 or (not stated and ENDS(prompt)):
        return None
    return stated[0] if stated else ""


def _both(prompt: str) -> bool:
    return BOTH_ENDS.search(prompt) is not None and not NO_END(prompt)


def weekday(prompt: str) -> Solved | None:
    """The weekday of the only date."""
    days = dates_of(prompt)
    if len(days) != 1 or SHIFTED(prompt) or STEP.search(prompt):
        return None
    names = [name.casefold() for name in WEEKDAYS]
    right = names.pop(days[0].weekday())
    return Solved((right,), (*names,))


def later_date(less: int) -> Callable[[str], Solved | None]:
    """A solver of the date so many days or weeks after or before the only one; `less` is 1 where
    the first day counts."""

    def solve(prompt: str) -> Solved | None:
        days, steps = dates_of(prompt), STEP.findall(DATE.sub(" ", prompt))
        later, earlier = LATER(prompt), EARLIER(prompt)
        if len(days) != 1 or len(steps) != 1 or later == earlier or OTHER_STEP(prompt):
            return None
        count = int(steps[0][0]) * (7 if steps[0][1].casefold().startswith("week") else 1) - less
        try:
            day = days[0] + timedelta(days=count if later else -count)
        except OverflowError:
            return None
        return Solved((f"{day:%m-%d}",), form=f"{day}")

    return solve


def iso_week(prompt: str) -> Solved | None:
    """The week of the only date by ISO 8601."""
    days = dates_of(prompt)
    if len(days) != 1 or SHIFTED(prompt) or STEP.search(prompt):
        return None
    return Solved((str(days[0].isocalendar().week),))


def _rule(
    text: str,
    clue: re.Pattern[str],
    solve: Callable[[str], Solved | None],
    normal: Callable[[str], str] = number_answer,
) -> KnownRule:
    return KnownRule(text, clue, solve, normal, OTHERWISE, worded=True, names=NAMES)


def _rules() -> tuple[KnownRule, ...]:
    of_year, spans = pattern(OF_YEAR), pattern(rf"{DAYS}|\bdays\b[^.?\n]{{0,30}}\bbetween\b")
    left = pattern(r"\bdays\b[^.?\n]{0,40}\b(?:remain\w*|left)\b[^.?\n]{0,40}\byear\b")
    dated = pattern(r"\b(?:which|what|new|resulting|due|end|the) (?:\w+ )?date\b|\bwhen\b")
    week = pattern(r"\b(?:iso|calendar)[- ]weeks?\b|\bweek numbers?\b|\biso 8601\b")
    asked = pattern(r"\bweekday\b|\bday of the week\b|\bwhich day\b|\bwhat day\b")
    between, later = "the days between its dates", "the date so many days later or earlier"
    return (
        *(_rule("the day of the year of its date", of_year, day_of_year(n)) for n in (1, 0)),
        *(_rule("the days that are left in the year", left, days_left(n)) for n in (0, 1)),
        _rule("the date of its day of the year", DAY_IN, date_of_day, date_answer),
        *(_rule(between, spans, days_between(each, n)) for each in SPANS for n in (0, 1, -1)),
        _rule("the weekday of its date", asked, weekday, weekday_answer),
        *(_rule(later, dated, later_date(less), date_answer) for less in (0, 1)),
        _rule("the ISO week of its date", week, iso_week, week_answer),
    )


RULES = _rules()
