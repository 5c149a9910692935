"""Blueprint: counting days in the calendar."""

import random

from bug_fix.blueprint import Blueprint, Bug, Call


def hidden_calls(rng: random.Random) -> list[Call]:
    """Calls that distinguish every bug from the right code, some fixed and some drawn."""
    calls: list[Call] = [
        ("PKG.years", "is_leap", [year]) for year in (1900, 2000, 2023, 2024, 2100, 2400)
    ]
    calls += [
        ("PKG.dates", "day_of_year", [[2023, 1, 1]]),
        ("PKG.dates", "next_day", [[2000, 2, 28]]),
        ("PKG.dates", "next_day", [[2023, 12, 31]]),
    ]
    for _ in range(12):
        date = [rng.randint(1890, 2110), rng.randint(1, 12), rng.randint(1, 28)]
        calls.append(("PKG.dates", "day_of_year", [date]))
        calls.append(("PKG.dates", "add_days", [date, rng.randint(0, 400)]))
    return calls


CALENDAR = Blueprint(
    noun="days",
    files={
        "PKG/years.py": '''\
"""Lengths of years and months in the Gregorian calendar."""

LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]


def is_leap(year):
    """Every fourth year, but of the centuries only every fourth."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def month_length(year, month):
    """Days of a month, January being 1."""
    return LENGTHS[month - 1] + (1 if month == 2 and is_leap(year) else 0)
''',
        "PKG/dates.py": '''\
"""Counting days; a date is [year, month, day]."""

from PKG.years import month_length


def day_of_year(date):
    """1 for the first of January."""
    year, month, day = date
    return sum(month_length(year, m) for m in range(1, month)) + day


def next_day(date):
    """The day after."""
    year, month, day = date
    if day < month_length(year, month):
        return [year, month, day + 1]
    if month < 12:
        return [year, month + 1, 1]
    return [year + 1, 1, 1]


def add_days(date, count):
    """The date `count` days later."""
    for _ in range(count):
        date = next_day(date)
    return date
''',
    },
    tests='''\
from PKG.dates import add_days, next_day
from PKG.years import is_leap


def test_a_usual_leap_year():
    assert is_leap(2024)
    assert not is_leap(2023)


def test_a_day_within_a_month():
    assert next_day([2023, 5, 4]) == [2023, 5, 5]
    assert add_days([2023, 5, 4], 3) == [2023, 5, 7]
''',
    bugs=(
        Bug("PKG/years.py", "(year % 100 != 0 or year % 400 == 0)", "year % 100 != 0",
            "29 February 2000 does not exist for this library, though it did."),
        Bug("PKG/years.py", "year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)",
            "year % 4 == 0", "The library thinks that 1900 and 2100 are leap years."),
        Bug("PKG/dates.py", "for m in range(1, month)", "for m in range(1, month + 1)",
            "The first of January is said to be day 32 of the year."),
        Bug("PKG/dates.py", "    return [year + 1, 1, 1]", "    return [year, 1, 1]",
            "New Year's Eve is followed by the first of January of the same year."),
    ),
    calls=hidden_calls,
)  # fmt: skip
