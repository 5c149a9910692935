"""Days without Sundays and holidays, of which some fall on a Sunday."""

from __future__ import annotations

import random
from datetime import date, timedelta

import pytest

from envyard_runner.survey.labels import label_rule

Rows = list[tuple[int, str, str]]
SUNDAYS = "Sundays and holidays do not count; the first and the last day count."
WEEKENDS = "Weekends and holidays do not count; the first and the last day count."


def statements(*, twice: bool, terms: str = SUNDAYS, weekdays: tuple[int, ...] = (6,)) -> Rows:
    """Eighty charges for days beyond those allowed, many with a holiday on an excepted weekday."""
    rng, rows = random.Random(9), []
    for task in range(80):
        first = date(2021, 1, 1) + timedelta(days=rng.randrange(900))
        days = [first + timedelta(days=at) for at in range(rng.randint(12, 30))]
        holidays = rng.sample(days, rng.randint(1, 3))
        excepted = sum(each.weekday() in weekdays for each in days)
        taken = sum(twice or each.weekday() not in weekdays for each in holidays)
        used, allowed, rate = len(days) - excepted - taken, rng.randint(3, 25), rng.randint(60, 990)
        listed = ", ".join(f"{each:%d %B %Y}" for each in sorted(holidays))
        prompt = (
            f"A container was at the quay from {first:%d %B %Y} to {days[-1]:%d %B %Y}. Free days: "
            f"{allowed}. Rate: EUR {rate} per day beyond these, and half of it back for each day "
            f"less.\nHolidays of the port: {listed}.\n{terms} What is the amount?"
        )
        back = "back EUR" if used < allowed else "due EUR"
        amount = abs(used - allowed) * (rate / 2 if used < allowed else rate)
        rows.append((task, prompt, f"{back} {amount:.2f}"))
    return rows


@pytest.mark.parametrize(("terms", "weekdays"), [(SUNDAYS, (6,)), (WEEKENDS, (5, 6))])
def test_holidays_that_are_taken_off_twice_are_named(terms: str, weekdays: tuple[int, ...]) -> None:
    right = statements(twice=False, terms=terms, weekdays=weekdays)
    wrong = statements(twice=True, terms=terms, weekdays=weekdays)
    rule = label_rule(wrong)
    assert rule is not None
    differing = {task for (task, _, one), (_, _, other) in zip(right, wrong, strict=True)
                 if one != other}  # fmt: skip
    assert rule.broken == len(differing)
    assert {each.task for each in rule.outliers} <= differing
    assert float(rule.outliers[0].expected) == float(right[rule.outliers[0].task][2].split()[-1])
    assert label_rule(right) is None


@pytest.mark.parametrize(
    "terms",
    [
        f"{SUNDAYS} A holiday on a Sunday is observed on the Monday after it.",
        f"{SUNDAYS} A holiday on a Sunday also takes the next day off.",
        f"{SUNDAYS} A Sunday that is a holiday counts twice.",
        "Holidays do not count.",
    ],
)
def test_other_terms_are_left_alone(terms: str) -> None:
    assert label_rule(statements(twice=True, terms=terms)) is None


def test_answers_of_another_rule_are_left_alone() -> None:
    rows = [
        (n, prompt, f"{float(a.split()[-1]) + n:.2f}") for n, prompt, a in statements(twice=True)
    ]
    assert label_rule(rows) is None
