"""Days of the year, days between dates, weekdays, later dates and ISO weeks."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from datetime import date, timedelta

import pytest

from envyard_runner.survey.known_rules.calendar_days import (
    RULES,
    SPANS,
    date_of_day,
    day_of_year,
    days_between,
    iso_week,
    later_date,
    weekday,
)
from envyard_runner.survey.known_rules.day_readings import (
    date_answer,
    number_answer,
    week_answer,
    weekday_answer,
)
from envyard_runner.survey.known_rules.entry import Solved
from envyard_runner.survey.labels import label_rule
from tests.worker.survey.known_rules.tasks import Rows, named, rows, spoiled

Solver = Callable[[str], Solved | None]
LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 31, 31, 30, 31)  # September is too long


@pytest.mark.parametrize(
    ("solve", "prompt", "right"),
    [
        (day_of_year(1), "Which day of the year is 1 October 2023?", "274"),
        (day_of_year(1), "If 1 January is day 1, which day of the year 2024 is March 1st?", "61"),
        (day_of_year(1), "A log numbers the days of 2023. Which stands next to 14 May?", "134"),
        (day_of_year(0), "Day of the year, with 1 January as day 0, of 2024-12-31?", "365"),
        (date_of_day, "Which date is the 60th day of 2024?", "02-29"),
        (date_of_day, "What is day number 60 of the year 2023?", "03-01"),
        (days_between(SPANS[0], 0), "Days between 1 May 2024 and the 3rd of May 2024?", "2"),
        (days_between(SPANS[1], 0), "From 2024-05-01 to 2024-05-03, both days included?", "3"),
        (days_between(SPANS[1], 1), "From 2024-05-01 to 2024-05-03, not the first?", "2"),
        (days_between(SPANS[0], 0), "Strictly between 2024-05-01 and 2024-05-03?", "1"),
        (weekday, "Which weekday was May 14, 1931?", "thursday"),
        (later_date(0), "Which date is 30 days after 15 August 2023?", "09-14"),
        (later_date(0), "What date was 2 weeks before 2024-03-10?", "02-25"),
        (iso_week, "In which ISO week is 1 January 2027?", "53"),
    ],
)
def test_a_question_has_the_answer_of_the_calendar(solve: Solver, prompt: str, right: str) -> None:
    solved = solve(prompt)
    assert solved is not None
    assert solved.right == (right,)


@pytest.mark.parametrize(
    ("solve", "prompt"),
    [
        (day_of_year(1), "Which day of the year is 29 February 2023?"),
        (day_of_year(1), "Which day of the year is 3/4/2023?"),
        (day_of_year(1), "Which day of the year is 4 March 1650?"),
        (day_of_year(1), "In 2023 and 2024, which day of the year is 4 March?"),
        (date_of_day, "Which date is day 366 of 2023?"),
        (days_between(SPANS[0], 0), "Between 2024-05-01, 2024-05-03 and 2024-05-09?"),
        (days_between(SPANS[1], 0), "From 2024-05-01 to 2024-05-03, counting arrivals?"),
        (days_between(SPANS[1], 0), "Days between 2024-05-01 and 2024-05-03?"),
        (weekday, "Which weekday is 3 days after 2024-05-01?"),
        (later_date(0), "Which date is 3 days after or before 2024-05-01?"),
        (later_date(0), "Which date is 3 months and 2 days after 2024-05-01?"),
    ],
)
def test_what_is_unclear_is_left_alone(solve: Solver, prompt: str) -> None:
    assert solve(prompt) is None


def test_answers_are_read_in_several_forms() -> None:
    assert [number_answer(each) for each in ("45", "45th", "day 45", "1,045 days", "no")] == [
        *("45", "45", "45", "1045", "")
    ]
    dates = ("2024-03-09", "9 March", "Saturday, March 9, 2024", "9th of March 2024", "March")
    assert [date_answer(each) for each in dates] == [*["03-09"] * 4, ""]
    assert [week_answer(each) for each in ("5", "W05", "2031-W05", "week 5", "none")] == [
        *["5"] * 4,
        "",
    ]
    assert [weekday_answer(each) for each in ("Friday", "fri", "Fr")] == ["friday", "friday", ""]


@pytest.mark.parametrize(
    "words",
    [
        "Ignore leap years.",
        "Count business days alone.",
        "Use the Julian calendar.",
        "Every month has 30 days.",
        "The fiscal year begins in April.",
    ],
)
def test_other_calendars_and_days_are_left_alone(words: str) -> None:
    assert RULES[0].unless(f"Which day of the year is 1 May 2024? {words}")


def test_leap_years_and_the_gregorian_calendar_may_be_named() -> None:
    assert not RULES[0].unless("Use the Gregorian calendar and mind leap years.")


FORMS = (
    "Which day of the year is {0.day} {0:%B} {0.year}?",
    "If 1 January is day 1, which day of the year {0.year} is {0:%B} {0.day}?",
    "A logbook numbers the days of {0.year} from 1. Which number has {0.day} {0:%B}?",
)


def days(number: Callable[[date], int]) -> Rows:
    """Days of the year in three wordings, as a function numbers them."""
    rng = random.Random(4)
    drawn = [date(1901, 1, 1) + timedelta(days=rng.randint(0, 70_000)) for _ in range(120)]
    return rows((rng.choice(FORMS).format(each), str(number(each))) for each in drawn)


def test_a_wrong_length_of_a_month_is_named() -> None:
    def wrong(day: date) -> int:
        return day.timetuple().tm_yday + (day.month > 9)

    found = named(days(wrong), "Mind leap years.")
    assert found.text == "the day of the year of its date"
    assert 15 < found.broken < 45
    assert label_rule(days(lambda day: day.timetuple().tm_yday)) is None


def test_days_that_begin_with_zero_are_sound_and_wrong_ones_among_them_are_named() -> None:
    sound = days(lambda day: day.timetuple().tm_yday - 1)
    assert label_rule(sound) is None
    assert named(spoiled(sound, lambda answer: str(int(answer) + 1))).broken == 15


def spans(form: Callable[[int, date, date], tuple[str, int]]) -> Rows:
    rng = random.Random(5)
    pairs = []
    for at in range(100):
        first = date(1990, 1, 1) + timedelta(days=rng.randint(0, 9_000))
        prompt, answer = form(at, first, first + timedelta(days=rng.randint(3, 400)))
        pairs.append((prompt, str(answer)))
    return rows(pairs)


def by_wording(at: int, first: date, last: date) -> tuple[str, int]:
    """A festival lasts with both ends; a wait does not."""
    if at % 4 == 0:
        lasts = f"A festival runs from {first} to {last}. How many days does it last?"
        return lasts, (last - first).days + 1
    return f"How many days is it from {first} to {last}?", (last - first).days


def by_word(at: int, first: date, last: date) -> tuple[str, int]:
    """Each prompt says which ends count."""
    said = ("both days included", "not counting the first", "strictly between them")[at % 3]
    more = (1, 0, -1)[at % 3]
    return f"Between {first} and {last}: how many days, {said}?", (last - first).days + more


@pytest.mark.parametrize("form", [by_wording, by_word])
def test_readings_of_the_wording_are_sound(
    form: Callable[[int, date, date], tuple[str, int]],
) -> None:
    assert label_rule(spans(form)) is None


def test_spans_with_a_leap_year_too_many_are_named() -> None:
    def leap(_: int, first: date, last: date) -> tuple[str, int]:
        more = first < date(2000, 2, 29) <= last
        prompt = f"A loan of {first} is due {last}. How many days lie between, with leap days?"
        return prompt, (last - first).days + more

    tasks = spoiled(spans(leap), lambda answer: str(int(answer) + 1))
    assert named(tasks).text == "the days between its dates"


def test_weekdays_later_dates_and_weeks_that_are_wrong_are_named() -> None:
    rng = random.Random(6)
    drawn = [date(1960, 1, 1) + timedelta(days=rng.randint(0, 30_000)) for _ in range(80)]
    week_days = rows((f"On which weekday does {d} fall, if at all?", f"{d:%A}") for d in drawn)
    later = rows(
        (f"Which date is {n} days after {d:%d %B %Y}, with leap days?", f"{d + timedelta(n)}")
        for n, d in enumerate(drawn, 20)
    )
    weeks = rows((f"What is the ISO week of {d}?", f"W{d.isocalendar().week:02d}") for d in drawn)
    for tasks in (week_days, later, weeks):
        assert label_rule(tasks) is None
    assert named(spoiled(week_days, lambda _: "Monday")).text == "the weekday of its date"
    changed = spoiled(later, lambda answer: f"{date.fromisoformat(answer) + timedelta(1)}")
    assert named(changed).broken == 10
    assert named(spoiled(weeks, lambda answer: f"W{int(answer[1:]) % 52 + 1:02d}")).text == (
        "the ISO week of its date"
    )


def test_long_prompts_are_read_in_time() -> None:
    began = time.monotonic()
    for text in ("14 May ", "1 of ", "days between ", "2024-01-01 ", "day 1 of 2024 ", "May is "):
        for rule in RULES:
            rule.clue.search(text * 300)
            rule.solve(text * 300)
            rule.unless(text * 300)
    assert time.monotonic() - began < 2.0
