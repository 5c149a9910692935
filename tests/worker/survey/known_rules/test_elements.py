"""Chemical elements: symbols, atomic numbers and names."""

from __future__ import annotations

import pytest

from envyard_runner.survey.known_rules.elements import (
    NAMES,
    SYMBOLS,
    element,
    element_of,
    number,
    number_of,
    symbol,
    symbol_of,
)
from envyard_runner.survey.labels import label_rule
from tests.worker.survey.known_rules.tasks import named, rows, spoiled


def test_places_of_elements() -> None:
    assert (len(NAMES), NAMES[25], SYMBOLS[35]) == (36, "iron", "Kr")


@pytest.mark.parametrize(
    ("prompt", "right"),
    [
        ("What is the chemical symbol of sulphur?", "S"),
        ("Give the symbol for the element Potassium.", "K"),
        ("What is the atomic number of aluminum?", "13"),
        ("How many protons does argon have?", "18"),
        ("Which element has the atomic number 26?", "iron"),
        ("Which element has 7 protons?", "nitrogen"),
        ("Name the element with the symbol `Na`.", "sodium"),
    ],
)
def test_questions_of_elements(prompt: str, right: str) -> None:
    answers = [solve(prompt) for solve in (symbol_of, number_of, element_of)]
    assert [solved.right for solved in answers if solved] == [(right,)]


@pytest.mark.parametrize(
    "prompt",
    [
        "What is the atomic number of iron and cobalt?",
        "Which element has the atomic number 50?",
        "What is the symbol of gold?",
        "Which element is a gas?",
    ],
)
def test_unclear_questions_are_left_alone(prompt: str) -> None:
    assert symbol_of(prompt) is number_of(prompt) is element_of(prompt) is None


def test_answers_are_read() -> None:
    assert (symbol("na"), symbol("Sodium"), number("011"), number("eleven")) == ("Na", "", "11", "")
    assert element("Sulphur") == element("S") == "sulfur"
    assert element("gold") == ""


def test_wrong_elements_are_named() -> None:
    numbers = rows(
        (f"What is the atomic number of {name}?", str(n)) for n, name in enumerate(NAMES, 1)
    )
    assert label_rule(numbers) is None
    assert (
        named(spoiled(numbers, lambda a: str(int(a) + 1))).text
        == "the atomic number of its element"
    )
    symbols = rows((f"The chemical symbol of {n}?", s) for n, s in zip(NAMES, SYMBOLS, strict=True))
    assert label_rule(symbols) is None
    assert named(spoiled(symbols, lambda a: "Xe")).text == "the chemical symbol of its element"
