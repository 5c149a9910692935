"""Dates, times and ages that follow from those of a prompt."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from datetime import date, timedelta

import pytest

from envyard_runner.survey.calendar_rules import (
    WEEKDAYS,
    days_between,
    days_later,
    minutes_later,
    weekdays,
    years_between,
    zones_later,
)
from envyard_runner.survey.labels import label_rule

Rows = list[tuple[int, str, str]]


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
    assert days_between(-1)("from 2024-02-28 to 2024-03-01") == ["1"]
    assert days_between(0)("on 2024-02-28") == days_between(0)("2024-02-30, 2024-03-01") == []
    assert weekdays("on 2026-11-29") == ["Sunday"]


def voyages(wrong: int) -> Rows:
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


FROM = "How many days is it from {} to {}?"
PLANTED = "A seed that is planted on {} sprouts on {}. How many days are these, {}?"


def spans(
    question: Callable[[int], tuple[str, int]],
    *,
    every_fourth: bool = False,
    years: Sequence[int] = (1870, 1950, 2030),
) -> Rows:
    """Spans over leap years, and how many days more than between its dates each counts; with
    `every_fourth`, 1900 and 2100 count as leap years."""
    rng, tasks = random.Random(5), []
    for task in range(90):
        year = rng.choice(years)
        first = date(year, 1, 1) + timedelta(days=rng.randint(0, 9_000))
        last = first + timedelta(days=rng.randint(300, 9_000))
        text, more = question(task)
        wrong = sum(first < date(each, 3, 1) <= last for each in (1900, 2100)) * every_fourth
        tasks.append((task, text.format(first, last), str((last - first).days + more + wrong)))
    return tasks


def test_days_by_wrong_leap_years_are_named() -> None:
    tasks = spans(lambda _: (FROM, 0), every_fourth=True)
    right = {task: answer for task, _, answer in spans(lambda _: (FROM, 0))}
    rule = label_rule(tasks)
    assert rule is not None
    assert rule.text == "the days between its dates"
    assert rule.tasks == 90
    assert rule.broken == sum(answer != right[task] for task, _, answer in tasks) > 5
    assert {each.expected for each in rule.outliers} <= {*right.values()}
    assert label_rule(spans(lambda _: (FROM, 0))) is None


def test_a_leap_year_too_many_is_named_where_nearly_half_of_the_spans_hold_it() -> None:
    years = [1886]
    rule = label_rule(spans(lambda _: (FROM, 0), every_fourth=True, years=years))
    assert rule is not None
    assert 0.3 * rule.tasks < rule.broken < 0.5 * rule.tasks
    assert label_rule(spans(lambda _: (FROM, 0), years=years)) is None


def test_which_end_counts_in_all_tasks_explains_no_wrong_leap_year() -> None:
    first = f"{FROM} Count the second date but not the first."
    assert label_rule(spans(lambda _: (first, 0), every_fourth=True)) is not None
    assert label_rule(spans(lambda _: (first, 0))) is None
    ignored = f"{FROM} Ignore leap years."
    assert label_rule(spans(lambda _: (ignored, 0), every_fourth=True)) is None


@pytest.mark.parametrize("more", [1, -1])
def test_days_with_both_ends_or_without_them_are_a_rule_of_their_own(more: int) -> None:
    both = "A guest stays from {} to {}. How many days are that?"
    assert label_rule(spans(lambda _: (both, more))) is None
    rule = label_rule(spans(lambda _: (both, more), every_fourth=True))
    assert rule is not None
    assert rule.text == ("its days with both ends" if more > 0 else "its days without both ends")


@pytest.mark.parametrize(
    ("words", "more"),
    [
        ("both ends counted", 1),
        ("counting the first as well as the last", 1),
        ("of which neither end counts", -1),
    ],
)
@pytest.mark.parametrize("share", [4, 6, 9])
def test_a_second_phrasing_that_says_what_counts_explains_other_days(
    words: str, more: int, share: int
) -> None:
    usual = PLANTED.format("{}", "{}", "as almanacs do")
    other = PLANTED.format("{}", "{}", words)

    def question(task: int) -> tuple[str, int]:
        return (other, more) if task % share == 0 else (usual, 0)

    assert label_rule(spans(question)) is None


def test_weekdays_that_are_wrong_in_early_years_are_named() -> None:
    rows = spans(lambda _: ("On which weekday is {0}?", 0))
    dates = [date.fromisoformat(prompt[-11:-1]) for _, prompt, _ in rows]
    right = [(n, f"On which weekday is {day}?", f"{day:%A}") for n, day in enumerate(dates)]
    assert label_rule(right) is None
    moved = [day + timedelta(days=day.year < 1882) for day in dates]
    wrong = [(n, p, f"{moved[n]:%A}") for n, p, _ in right]
    rule = label_rule(wrong)
    assert rule is not None
    assert rule.broken == sum(day.year < 1882 for day in dates) > 5


def calls(wrong_from: int = 60) -> list[tuple[int, str, str]]:
    """Calls between two zones; from that task on half hours are added behind a minus too."""
    rng, tasks = random.Random(11), []
    for task in range(60):
        here, there, half = rng.randint(-9, 9), rng.randint(-9, 9), rng.choice((0, 30))
        at, day = rng.randrange(0, 24 * 60, 5), rng.randrange(7)
        sign = -1 if there < 0 and task < wrong_from else 1
        later, minute = divmod(at + 60 * there + sign * half - 60 * here, 24 * 60)
        prompt = (
            f"The call begins {WEEKDAYS[day]} {at // 60:02d}:{at % 60:02d} at UTC{here:+03d}:00. "
            f"When is that at UTC{there:+03d}:{half:02d}? Reply with weekday and time."
        )
        answer = f"{WEEKDAYS[(day + later) % 7]} {minute // 60:02d}:{minute % 60:02d}"
        tasks.append((task, prompt, answer))
    return tasks


def test_half_hours_behind_a_negative_offset_are_named() -> None:
    assert label_rule(calls()) is None
    wrong = label_rule(calls(wrong_from=20))
    assert wrong is not None
    assert wrong.text == "the time in the other zone"
    assert 0 < wrong.broken < 20


def test_the_time_in_the_other_zone() -> None:
    assert "09:35" in zones_later("At 15:35 in A (UTC+03:30), what is it in B (UTC-02:30)?")
    assert "Tuesday 00:15" in zones_later("Monday 23:15 at GMT+1. And at GMT+2?")
    for text in ("At 15:35 UTC+1", "15:35 or 16:00, UTC+1 and UTC+2", "3:35 pm UTC+1 UTC+2", ""):
        assert zones_later(text) == []


ZONES = "It is {:02}:{:02} in {} (UTC{:+d}).{} In {} (UTC{:+d}), what time is it?"


def clocks(answer: Callable[[int, int, int], str], *, wrong: int = 0, also: str = "") -> Rows:
    """Times in two zones; `answer` gets the hour, the minute and the days later. Every sixth task
    has the sentence `also`, and the answer of an hour more; so have the first `wrong` tasks."""
    rng, tasks = random.Random(8), []
    for task in range(90):
        hour, minute = rng.randint(0, 23), rng.randint(0, 59)
        first, second = rng.sample(range(-9, 10), 2)
        own = also if task % 6 == 0 else ""
        day, at = divmod(60 * (hour + second - first + bool(own or task < wrong)) + minute, 1440)
        towns = rng.sample(("Lima", "Oslo", "Pune", "Kyiv", "Rome"), 2)
        prompt = ZONES.format(hour, minute, towns[0], first, own, towns[1], second)
        tasks.append((task, prompt, answer(at // 60, at % 60, day)))
    return tasks


def test_times_of_other_zones_that_are_wrong_are_named() -> None:
    rule = label_rule(clocks(lambda hour, minute, _: f"{hour:02}:{minute:02}", wrong=8))
    assert rule is not None
    assert (rule.text, rule.broken) == ("the time in the other zone", 8)


@pytest.mark.parametrize(
    "answer",
    [
        lambda hour, minute, _: f"{hour:02}:{minute:02}",
        lambda hour, minute, _: f"{hour}:{minute:02}",
        lambda hour, minute, day: f"{hour:02}:{minute:02}" + (f" ({day:+d} day)" if day else ""),
        lambda hour, minute, day: (
            f"{hour:02}:{minute:02}" + ("", " the next day", " the previous day")[day]
        ),
    ],
)
def test_times_of_other_zones_in_other_forms_are_right(
    answer: Callable[[int, int, int], str],
) -> None:
    assert label_rule(clocks(answer)) is None


@pytest.mark.parametrize("also", [" Daylight saving time adds an hour.", " I call 1 hour later."])
def test_zones_with_another_hour_in_their_prompts_are_right(also: str) -> None:
    answer = lambda hour, minute, _: f"{hour:02}:{minute:02}"  # noqa: E731
    assert label_rule(clocks(answer, also=also)) is None


def test_zones_without_a_time_have_no_answer() -> None:
    assert zones_later("UTC+1 and UTC+2") == zones_later("") == []
