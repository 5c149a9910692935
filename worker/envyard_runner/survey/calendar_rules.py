"""Rules by which a date, a time or an age follows from those that a prompt names.

The calendar is the Gregorian one, as Python's `datetime` has it.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from datetime import date, timedelta

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH = rf"(?:{'|'.join(MONTHS)})[a-z]{{0,6}}"
DATE = re.compile(
    r"(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})"
    rf"|(?P<before>\d{{1,2}})\.? (?P<name>{MONTH}),? (?P<end>\d{{4}})"
    rf"|(?P<first>{MONTH}) (?P<behind>\d{{1,2}}),? (?P<last>\d{{4}})",
    re.IGNORECASE,
)
TIME = re.compile(r"(?<![\d:])(\d{1,2}):(\d\d)(?![\d:])(?: ?([ap])\.?m\b)?", re.IGNORECASE)
OFFSET = re.compile(r"\b(?:UTC|GMT) ?([+\u2212-])(\d{1,2})(?::?(\d\d))?(?!\d)")
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
# Words by which another day or time is meant, and how an answer may name the day beside.
SHIFTED = re.compile(
    r"\b(?:daylight|summer ?time|dst|later|earlier|\d{1,3} ?(?:hours?|hrs?|h|minutes?|mins?))\b",
    re.IGNORECASE,
)
AFTER = ("next day", "the next day", "+1", "+1 day", "1 day", "following day", "tomorrow")
BEFORE = ("previous day", "the previous day", "-1", "-1 day", "day before", "yesterday")
NUMBER = re.compile(r"(?<![\w.])\d{1,6}(?![\w.]*\d)")
DAY = 24 * 60  # minutes


def dates_in(text: str) -> list[date]:
    """The dates of a text as `2031-05-14`, `14 May 2031` or `May 14, 2031`, in their order."""
    dates = []
    for match in DATE.finditer(text):
        month = match["month"] or next(filter(None, (match["name"], match["first"])))
        number = int(month) if month.isdecimal() else MONTHS.index(month[:3].casefold()) + 1
        day = match["day"] or match["before"] or match["behind"]
        with contextlib.suppress(ValueError):
            dates.append(
                date(int(match["year"] or match["end"] or match["last"]), number, int(day))
            )
    return dates


def weekdays(text: str) -> list[str]:
    """The weekday of the first date."""
    return [f"{each:%A}" for each in dates_in(text)[:1]]


def days_between(more: int) -> Callable[[str], list[str]]:
    """A function of a text that returns the days between its two dates plus `more`: 1 where both
    ends count, -1 where neither does."""

    def answers(text: str) -> list[str]:
        if len(dates := dates_in(text)) != 2:
            return []
        return [str(abs((dates[1] - dates[0]).days) + more)]

    return answers


def years_between(text: str) -> list[str]:
    """The completed years between two dates."""
    if len(dates := dates_in(text)) != 2:
        return []
    first, last = sorted(dates)
    early = (last.month, last.day) < (first.month, first.day)
    return [str(last.year - first.year - early)]


def days_later(text: str) -> list[str]:
    """The date so many days or weeks behind the only one, or before it, by the only number."""
    dates, numbers = dates_in(text), [*map(int, NUMBER.findall(DATE.sub(" ", text)))]
    if len(dates) != 1 or len(numbers) != 1:
        return []
    answers = []
    for step in (numbers[0], -numbers[0], 7 * numbers[0], -7 * numbers[0]):
        with contextlib.suppress(OverflowError):
            day = dates[0] + timedelta(days=step)
            answers += [
                f"{day:%Y-%m-%d}",
                f"{day.day} {day:%B %Y}",
                f"{day:%B} {day.day}, {day.year}",
            ]
    return answers


def zones_later(text: str) -> list[str]:
    """The only time in the other of two zones that the text names by their offsets, with its
    weekday where the text has one; in both clocks' hours of 24."""
    times, offsets = [*TIME.finditer(OFFSET.sub(" ", text))], OFFSET.findall(text)
    if len(times) != 1 or len(offsets) != 2 or times[0][3] or SHIFTED.search(text):
        return []
    first, second = (
        (-1 if sign in "-\u2212" else 1) * (60 * int(hours) + int(minutes or 0))
        for sign, hours, minutes in offsets
    )
    minutes = 60 * int(times[0][1]) + int(times[0][2])
    days = [day for day in WEEKDAYS if re.search(rf"\b{day}\b", text, re.IGNORECASE)]
    answers = []
    for step in (second - first, first - second):
        later, at = divmod(minutes + step, DAY)
        clock = f"{at // 60:02d}:{at % 60:02d}"
        named = AFTER if later > 0 else BEFORE if later < 0 else ()
        clocks = (clock, f"{at // 60}:{at % 60:02d}")
        answers += [*clocks, *(f"{each} {name}" for each in clocks for name in named)]
        if len(days) == 1:
            day = WEEKDAYS[(WEEKDAYS.index(days[0]) + later) % 7]
            answers += [f"{day} {clock}", f"{clock} {day}"]
    return answers


def minutes_later(text: str) -> list[str]:
    """The time so many minutes, hours, or hours and minutes behind the only one, or before it, in
    both clocks."""
    times, numbers = [*TIME.finditer(text)], [*map(int, NUMBER.findall(TIME.sub(" ", text)))]
    if len(times) != 1 or not 0 < len(numbers) < 3:
        return []
    minutes = [60 * numbers[0] + numbers[1]] if len(numbers) > 1 else [numbers[0], 60 * numbers[0]]
    hour = int(times[0][1])
    if times[0][3]:
        hour = hour % 12 + 12 * (times[0][3].lower() == "p")
    answers = []
    for step in (*minutes, *(-each for each in minutes)):
        at = (60 * hour + int(times[0][2]) + step) % DAY
        half = "am" if at < DAY / 2 else "pm"
        answers += [f"{at // 60:02d}:{at % 60:02d}", f"{at // 60 % 12 or 12}:{at % 60:02d} {half}"]
        answers += [f"{at // 60}:{at % 60:02d}", f"{at // 60 % 12 or 12}:{at % 60:02d}"]
    return answers
