"""Business days of periods with holidays."""

from __future__ import annotations

import pytest

from envyard_runner.survey.known_rules.business_days import RULES, count

LISTED = "Public holidays: 1 January 2024, 6 January 2024, 8 January 2024."
AFTER = "How many business days are there after the trade date up to and including the settlement?"
BOTH = "How many working days are there, both dates included?"
# From Tuesday to Friday of the next week; of the holidays only Monday the 8th counts.
PERIOD = "A trade of Tuesday, 2 January 2024 settles on Friday, 12 January 2024."


@pytest.mark.parametrize(
    ("prompt", "right"),
    [
        (f"{PERIOD} {LISTED} {AFTER}", "7"),
        (f"{PERIOD} {LISTED} {BOTH}", "8"),
        (f"{PERIOD}\nHolidays:\n- 2024-01-06\n- 2024-01-08\n{BOTH}", "8"),
    ],
)
def test_holidays_on_a_weekend_take_no_business_day(prompt: str, right: str) -> None:
    solved = count(prompt)
    assert solved is not None
    assert solved.right == (right,)


@pytest.mark.parametrize(
    "prompt",
    [
        f"{PERIOD} {BOTH}",
        f"{PERIOD} {LISTED} How many business days are there?",
        f"{PERIOD} It was agreed on 1 December 2023. {LISTED} {BOTH}",
        f"On 2 January 2024. {LISTED} {BOTH}",
        f"{PERIOD} {LISTED} {AFTER} {BOTH}",
    ],
)
def test_unclear_periods_are_left_alone(prompt: str) -> None:
    assert count(prompt) is None


@pytest.mark.parametrize(
    "words",
    [
        "Saturday is a business day.",
        "A holiday on a Sunday is observed on the following Monday.",
        "Work is from Sunday to Thursday.",
        "24 December 2024 is a half-day.",
    ],
)
def test_other_conventions_are_left_alone(words: str) -> None:
    assert RULES[0].unless(f"{PERIOD} {LISTED} {words} {BOTH}")


def test_long_prompts_of_dates_are_read_in_time() -> None:
    assert count(f"Holidays: {', '.join(['1 January 2024'] * 5_000)}. {BOTH}") is None
    assert count(f"{'2024-01-01 ' * 5_000} {BOTH}") is None
