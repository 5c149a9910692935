"""Deadlines on a weekend that the prompt moves to the next working day."""

from __future__ import annotations

from datetime import date, timedelta

from envyard_runner.survey.labels import label_rule

RULE = "If the last day is a Saturday, a Sunday or a closure day, the deadline is the next day."
OTHER = "If the last day is a Saturday or a Sunday, the deadline is the Friday before."


def deadlines(rule: str, wrong: int) -> list[tuple[int, str, str]]:
    rows, day = [], date(2026, 1, 5)
    for task in range(40):
        day += timedelta(days=9)
        shown = day + timedelta(days=max(0, 7 - day.weekday()) % 7 if day.weekday() > 4 else 0)
        if task < wrong:
            shown += timedelta(days=5 - shown.weekday())
        rows.append((task, f"Served on {day:%A}, {day}. {rule} What is the last day?", f"{shown}"))
    return rows


def test_the_days_on_a_weekend_are_named_with_the_monday_behind_them() -> None:
    rule = label_rule(deadlines(RULE, 3))
    assert rule is not None
    assert (rule.text, rule.tasks, rule.broken) == ("a day from Monday to Friday", 40, 3)
    assert rule.outliers[0].answer == "2026-01-17"
    assert rule.outliers[0].expected == "2026-01-19 or later"


def test_other_rules_and_single_days_are_left_alone() -> None:
    assert label_rule(deadlines(OTHER, 3)) is None
    assert label_rule(deadlines(RULE, 1)) is None
    assert label_rule(deadlines(RULE, 30)) is None
