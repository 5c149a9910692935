"""Counts that leave out the bound, or take it in."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from envyard_runner.survey.labels import label_rule

QUESTION = "Stock of the shelves: {}.\nHow many shelves hold {} {} boxes? Give the number."
ITEMS = ("nails", "bolts", "pipes", "ropes", "lamps", "tiles", "bricks")

Holds = Callable[[int, int], bool]
COUNTS: dict[str, tuple[Holds, Holds]] = {
    "at least": (lambda value, bound: value >= bound, lambda value, bound: value > bound),
    "at most": (lambda value, bound: value <= bound, lambda value, bound: value < bound),
    "more than": (lambda value, bound: value > bound, lambda value, bound: value >= bound),
    "fewer than": (lambda value, bound: value < bound, lambda value, bound: value <= bound),
}


def tasks(words: str, holds: Holds, *, spoil: int = 0) -> list[tuple[int, str, str]]:
    """Forty tasks whose bound is a value of their list; every `spoil`th answer is another."""
    rng, rows = random.Random(4), []
    for task in range(40):
        values = rng.sample(range(3, 60), 7)
        bound = rng.choice(values)
        listed = ", ".join(f"{item} {each}" for item, each in zip(ITEMS, values, strict=True))
        count = sum(holds(value, bound) for value in values)
        answer = count + 9 if spoil and task % spoil == 0 else count
        rows.append((task, QUESTION.format(listed, words, bound), str(answer)))
    return rows


@pytest.mark.parametrize("words", COUNTS)
def test_a_bound_that_is_counted_otherwise_is_named(words: str) -> None:
    right, other = COUNTS[words]
    rule = label_rule(tasks(words, other))
    assert rule is not None
    assert (rule.tasks, rule.broken) == (40, 40)
    expected = [answer for _, _, answer in tasks(words, right)]
    assert all(each.expected == expected[each.task] for each in rule.outliers)
    assert label_rule(tasks(words, right)) is None


def test_answers_that_count_something_else_are_no_rule() -> None:
    _, other = COUNTS["at least"]
    assert label_rule(tasks("at least", other, spoil=3)) is None


def test_a_prompt_that_says_whether_the_bound_counts_is_left_out() -> None:
    _, other = COUNTS["at least"]
    rows = [(n, f"{prompt} Strictly more.", each) for n, prompt, each in tasks("at least", other)]
    assert label_rule(rows) is None


def test_a_number_beside_the_list_that_is_the_bound_by_chance_is_no_wrong_count() -> None:
    rng, rows = random.Random(6), []
    for task in range(300):
        values, bound = rng.sample(range(3, 60), 7), rng.randrange(20, 60)
        count = sum(value >= bound for value in values)
        bound_of_report = bound if task % 12 == 0 else 2
        listed = ", ".join(map(str, values))
        prompt = f"Report {bound_of_report}: {listed}.\nHow many are at least {bound}?"
        rows.append((task, prompt, str(count)))
    assert label_rule(rows) is None


def test_a_question_without_a_list_is_no_count() -> None:
    rows = [(n, f"How many days of {n} have at least 3 hours of rain?", str(n)) for n in range(40)]
    assert label_rule(rows) is None
