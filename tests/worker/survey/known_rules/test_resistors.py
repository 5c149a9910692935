"""Colour bands of resistors, and values in several notations."""

from __future__ import annotations

import pytest

from envyard_runner.survey.known_rules.resistors import COLOURS, ohms, resistance
from envyard_runner.survey.labels import label_rule
from tests.worker.survey.known_rules.tasks import Rows, named, rows


@pytest.mark.parametrize(
    ("prompt", "right"),
    [
        ("Resistance of the bands red, violet, orange, gold?", "27000"),
        ("A resistor is marked brown-black-red. How many ohms?", "1000"),
        (
            "What is the value of a resistor with yellow, violet, black, red and brown bands?",
            "47000",
        ),
        ("Resistance of a resistor with the bands red, red, gold, gold?", "2.2"),
        ("Resistor: red, red, black, red. The first three are digits. Ohms?", "22000"),
        ("Resistance (black 0, brown 1, red 2, orange 3) of red, red, red?", "2200"),
    ],
)
def test_bands(prompt: str, right: str) -> None:
    solved = resistance(prompt)
    assert solved is not None
    assert solved.right == (right,)


@pytest.mark.parametrize(
    "prompt",
    [
        "Resistance of red, red, red and of blue, blue, blue?",
        "Resistance of gold, red, red?",
        "A red, green, blue lamp has a resistor.",
        "Resistance of red, violet?",
    ],
)
def test_unclear_bands_are_left_alone(prompt: str) -> None:
    assert resistance(prompt) is None


def test_values_have_one_normal_form() -> None:
    forms = (
        "4700",
        "4.7k",
        "4,700 ohms",
        "4.7 k\u03a9 \u00b15%",
        "0.0047M",
        "4.7 kilo-ohms",
        "4700.0",
    )
    assert {ohms(form) for form in forms} == {"4700"}
    assert ohms("5 %") == ohms("about 5k") == ""


def tasks(wrong: int) -> Rows:
    """The multiplier `wrong` counts as one more zero."""
    pairs = []
    for first in range(1, 9):
        for power in range(7):
            bands = ", ".join((COLOURS[first], COLOURS[9 - first], COLOURS[power], "gold"))
            value = (10 * first + 9 - first) * 10 ** (power + (power == wrong))
            pairs.append((f"A resistor has the bands {bands}. What is its resistance?", f"{value}"))
    return rows(pairs)


def test_a_wrong_multiplier_is_named() -> None:
    assert label_rule(tasks(-1)) is None
    rule = named(tasks(3))
    assert (rule.text, rule.broken) == ("the resistance of its colour bands", 8)
    assert label_rule(tasks(3), "Read the bands from right to left.") is None
