"""Days between two dates, both ends included, and what resembles that."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from envyard_runner.survey.labels import label_rule

BOTH = "Every day is charged, the first and the last one included. How many days are charged?"


def rentals(question: str, *, more: int, n: int = 12) -> list[tuple[int, str, str]]:
    """Tasks whose answers are the difference of their dates plus `more`."""
    rows = []
    for task in range(n):
        first = date(2024, 1, 3) + timedelta(days=17 * task)
        last = first + timedelta(days=9 + 5 * task)
        dates = f"from {first.day} {first:%B %Y} to {last.day} {last:%B %Y}"
        rows.append(
            (task, f"A boat is rented {dates}. {question}", str((last - first).days + more))
        )
    return rows


@pytest.mark.parametrize("question", [BOTH, "How many days is that, inclusive?"])
def test_the_plain_difference_is_wrong_where_both_ends_count(question: str) -> None:
    rule = label_rule(rentals(question, more=0))
    assert rule is not None
    assert (rule.tasks, rule.broken) == (12, 12)
    assert "both ends included" in rule.text
    assert rule.outliers[0].expected == "10"


@pytest.mark.parametrize(
    ("question", "more"),
    [
        (BOTH, 1),
        ("How many days lie between, excluding both dates?", -1),
        ("How many nights are that, first and last day included?", 0),
        ("How many days later does it come back?", 0),
        ("How many days of leave, both days included, at two a day?", 7),
    ],
)
def test_right_counts_and_other_questions_are_sound(question: str, more: int) -> None:
    rule = label_rule(rentals(question, more=more))
    assert rule is None or "both ends" not in rule.text
