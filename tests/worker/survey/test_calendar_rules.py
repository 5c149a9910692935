"""Dates, times and ages that follow from those of a prompt."""

from __future__ import annotations

import random
from datetime import date, timedelta

import pytest

from envyard_runner.survey.calendar_rules import (
    days_between,
    days_later,
    minutes_later,
    weekdays,
    years_between,
)
from envyard_runner.survey.labels import label_rule


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Aurora left on 1899-12-30 and returned 70 days later", "1900-03-10"),
        ("from 28 February 2100, 1 day later", "1 March 2100"),
        ("two visits, the first on May 14, 2031, 3 weeks apart", "June 4, 2031"),
        ("12 days before 2024-03-01", "2024-02-18"),
    ],
)
def test_a_date_so_many_days_later_or_earlier(text: str, answer: str) -> None:
    assert answer in days_later(text)


@pytest.mark.parametrize(
    "text",
    [
        "12 days",
        "2024-03-01",
        "2024-03-01 and 2024-03-09, 4 days",
        "2024-03-01 and 2 days later, or 3 days",
    ],
)
def test_without_one_date_and_one_number_of_days_there_is_none(text: str) -> None:
    assert days_later(text) == []


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("leaves at 11:50 pm and takes 25 minutes", "12:15 am"),
        ("23:50 and takes 1 hour 25", "01:15"),
        ("arrives at 00:10 after 40 min", "23:30"),
        ("leaves at 12:05 am and takes 2 hours", "2:05"),
    ],
)
def test_a_time_so_much_later_or_earlier(text: str, answer: str) -> None:
    assert answer in minutes_later(text)


def test_completed_years_days_and_weekdays() -> None:
    assert years_between("born 14 May 1880, married 13 May 1901") == ["20"]
    assert years_between("born 14 May 1880, married 14 May 1901") == ["21"]
    assert days_between(0)("from 2024-02-28 to 2024-03-01") == ["2"]
    assert days_between(1)("from 2024-02-28 to 2024-03-01") == ["3"]
    assert weekdays("on 2026-11-29") == ["Sunday"]


def voyages(wrong: int) -> list[tuple[int, str, str]]:
    """Ninety voyages, of which the first ones are a day off."""
    rng = random.Random(7)
    tasks = []
    for task in range(90):
        left, days = date(1890, 1, 1) + timedelta(days=rng.randint(0, 80_000)), rng.randint(20, 300)
        back = left + timedelta(days=days + (task < wrong))
        prompt = f"The ship left on {left} and returned {days} days later. On which date?"
        tasks.append((task, prompt, back.isoformat()))
    return tasks


def test_dates_that_are_a_day_off_are_named() -> None:
    rule = label_rule(voyages(12))
    assert rule is not None
    assert (rule.tasks, rule.broken) == (90, 12)
    assert label_rule(voyages(0)) is None
