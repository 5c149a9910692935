"""Check digits and whole numbers with a right or wrong one."""

from __future__ import annotations

import random

import pytest

from envyard_runner.survey.known_rules.check_digits import check_digit, digit, is_valid, one_digit
from envyard_runner.survey.labels import label_rule
from tests.worker.survey.known_rules.tasks import named, rows


@pytest.mark.parametrize(
    ("prompt", "right"),
    [
        ("The first nine digits of an ISBN-10 are 030640615. Which is the check digit?", "2"),
        ("Compute the check digit of the ISBN-10 0-8044-2957.", "X"),
        ("Compute the check digit of the ISBN-13 978-0-306-40615.", "7"),
        ("Which check digit completes the EAN-13 400638133393?", "1"),
        ("Which check digit completes the UPC-A 03600029145?", "2"),
        ("Which Luhn check digit belongs behind 7992739871?", "3"),
        ("What is the missing check digit of the EAN-13 barcode 400638133393_?", "1"),
    ],
)
def test_check_digits(prompt: str, right: str) -> None:
    solved = check_digit(prompt)
    assert solved is not None
    assert solved.right == (right,)
    assert is_valid(prompt) is None


@pytest.mark.parametrize(
    ("prompt", "right"),
    [
        ("Is 0-306-40615-2 a valid ISBN-10?", "yes"),
        ("Is 080442957X a correct ISBN-10? yes or no", "yes"),
        ("Does 79927398710 pass the Luhn check?", "no"),
        ("Is the ISBN-13 9780306406158 valid or invalid?", "no"),
    ],
)
def test_whole_numbers(prompt: str, right: str) -> None:
    solved = is_valid(prompt)
    assert solved is not None
    assert solved.right == (right,)
    assert check_digit(prompt) is None


@pytest.mark.parametrize(
    "prompt",
    [
        "Which check digit completes the ISBN-10 0306406152?",
        "Which check digit completes the ISBN-10 or ISBN-13 030640615?",
        "Which check digit has the ISBN-10 030640615 and the ISBN-10 080442957?",
        "Which check digit has the number 030640615?",
    ],
)
def test_unclear_numbers_are_left_alone(prompt: str) -> None:
    assert check_digit(prompt) is None


def test_ten_is_x() -> None:
    assert one_digit("x") == one_digit("10") == "X"
    assert one_digit("7.") == "7"
    assert one_digit("seven") == ""


def test_weights_of_the_wrong_end_are_named() -> None:
    dice = random.Random(4)
    bodies = [str(dice.randrange(10**8, 10**9)) for _ in range(60)]
    form = "The first nine digits of an ISBN-10 are {}. Which is the check digit?"
    right = rows((form.format(each), digit("isbn 10", each)) for each in bodies)
    assert label_rule(right) is None
    wrong = [(task, p, a if a not in "X12" else "0") for task, p, a in right]
    rule = named(wrong)
    assert rule.text == "the check digit of its number"
    assert {each.expected for each in rule.outliers} <= {"X", "1", "2"}
