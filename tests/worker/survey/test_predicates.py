"""Labels that follow from numbers or signs: those of most tasks name the wrong ones."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from envyard_runner.survey.labels import label_rule
from envyard_runner.survey.predicates import (
    balance_labels,
    is_anagram,
    is_balanced,
    is_divisible,
    is_divisor,
    is_prime,
    is_square,
    palindrome_labels,
    triangle_by_angles,
    triangle_by_sides,
)
from envyard_runner.survey.text_rules import RULES, TextRule

TASKS = 60
Question = Callable[[random.Random], tuple[str, str, str]]  # a prompt, its answer, a wrong one


@pytest.mark.parametrize(
    ("text", "expected"), [("2", True), ("91", False), ("97", True), ("1", False), ("0", False)]
)
def test_primes(text: str, expected: bool) -> None:
    assert is_prime(text) is expected


def test_texts_without_what_a_rule_needs_have_no_label() -> None:
    assert is_prime("7 and 9") is is_prime("-7") is is_prime("2.5") is is_prime("100000007") is None
    assert is_square("4 or 9") is is_divisible("36 by 0") is is_divisible("36") is None
    assert is_balanced("no bracket") is is_anagram("one") is is_anagram("one two three") is None
    assert (
        palindrome_labels("?!") == triangle_by_angles("3, 4") == triangle_by_sides("1, 2, 3") == []
    )


def test_squares_multiples_and_brackets() -> None:
    assert (is_square("49"), is_square("50")) == (True, False)
    assert (is_divisible("36 divisible by 9"), is_divisible("36 by 7")) == (True, False)
    assert (is_divisor("9 divides 36"), is_divisor("36 divides 9")) == (True, False)
    assert (is_balanced("([]{})"), is_balanced("([)]"), is_balanced("((")) == (True, False, False)
    assert (is_anagram("listen and silent"), is_anagram("listen, tinsels")) == (True, False)


def test_a_palindrome_may_be_one_with_or_without_its_signs() -> None:
    assert "yes" in palindrome_labels("level")
    assert "no" not in palindrome_labels("level")
    assert {"yes", "no"} <= {*palindrome_labels("Never odd or even")}
    assert "yes" not in palindrome_labels("levels")


def test_triangles() -> None:
    assert triangle_by_angles("5, 3 and 4") == ["right"]
    assert triangle_by_angles("6, 5, 5") == ["acute"]
    assert triangle_by_angles("2, 3, 4") == ["obtuse"]
    assert [triangle_by_sides(each) for each in ("3 3 3", "3 4 3", "3 4 5")] == [
        ["equilateral"], ["isosceles"], ["scalene"],
    ]  # fmt: skip


def prime(rng: random.Random) -> tuple[str, str, str]:
    number = rng.randrange(100, 1000)
    labels = ("prime", "composite")[:: 1 if is_prime(str(number)) else -1]
    return (f"Is {number} prime or composite? Answer with one word.", *labels)


def brackets(rng: random.Random) -> tuple[str, str, str]:
    text = "".join(rng.choice("()[]") for _ in range(4)) if rng.random() < 0.5 else "([])[]"
    labels = ("yes", "no")[:: 1 if is_balanced(text) else -1]
    return (
        f"Are the brackets balanced in {text}{rng.choice(('()', '[]'))}? Answer yes or no.",
        *labels,
    )


def triangle(rng: random.Random) -> tuple[str, str, str]:
    sides = rng.choice(([3, 4, 5], [5, 5, 6], [2, 3, 4], [6, 8, 10], [7, 8, 9], [4, 6, 9]))
    sides = rng.sample(sides, 3)
    (label,) = triangle_by_angles(" ".join(map(str, sides)))
    other = "right" if label != "right" else "acute"
    return f"A triangle has the sides {sides}. Is it acute, right or obtuse?", label, other


@pytest.mark.parametrize("question", [prime, brackets, triangle])
def test_wrong_labels_of_a_tenth_of_the_tasks_are_named(question: Question) -> None:
    rng = random.Random(3)
    rows = [question(rng) for _ in range(TASKS)]
    right = [(task, prompt, answer) for task, (prompt, answer, _) in enumerate(rows)]
    assert label_rule(right) is None
    wrong = [
        (task, prompt, other if task % 10 == 3 else answer)
        for task, (prompt, answer, other) in enumerate(rows)
    ]
    rule = label_rule(wrong)
    assert rule is not None
    assert {outlier.task for outlier in rule.outliers} == {*range(3, TASKS, 10)}
    assert all(each.expected == rows[each.task][1] for each in rule.outliers)


def test_a_label_of_its_own_is_no_wrong_label() -> None:
    rng = random.Random(4)
    rows = [prime(rng)[:2] for _ in range(TASKS)]
    tasks = [
        (task, prompt, "neither" if task % 10 == 3 else answer)
        for task, (prompt, answer) in enumerate(rows)
    ]
    assert label_rule(tasks) is None


def test_a_sign_of_order_may_be_no_bracket() -> None:
    assert {"yes", "no"} <= {*balance_labels("if (a > b) [c]")}
    assert "yes" not in balance_labels("(a > b")


def test_the_first_number_may_be_the_divisor() -> None:
    rng = random.Random(5)
    pairs = [(rng.randint(2, 40), rng.randint(2, 40)) for _ in range(300)] + [(7, 7), (9, 9)]
    tasks = [
        (task, f"Say whether a divides b, yes or no: a = {a}, b = {b}.", "no" if b % a else "yes")
        for task, (a, b) in enumerate(pairs)
    ]
    assert label_rule(tasks) is None


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.text)
def test_numbers_of_hundreds_of_digits_are_read(rule: TextRule) -> None:
    assert isinstance([*rule.answers("9" * 400), *rule.answers(f"{'9' * 400} {'8' * 400} 3")], list)


def test_sums_and_labels_of_huge_numbers_are_read() -> None:
    for words in (
        "Is {} prime?",
        "What is {} plus {}?",
        "Is {} odd or even?",
        "The mean of {}, {}",
    ):
        tasks = [(n, words.format(f"{n}7" + "9" * 400, n), str(n)) for n in range(40)]
        assert label_rule(tasks) is None
    tasks = [(n, f"What is {n} plus 7?", f"{n + 7}.{'3' * 400}") for n in range(40)]
    assert label_rule(tasks) is None
