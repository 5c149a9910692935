"""Values of Roman numerals."""

from __future__ import annotations

import pytest

from envyard_runner.survey.known_rules.numerals import integer, value
from envyard_runner.survey.labels import label_rule
from envyard_runner.survey.text_rules import _roman
from tests.worker.survey.known_rules.tasks import named, rows

FORM = "Convert the Roman numeral {} to a number."


@pytest.mark.parametrize(
    ("numeral", "right"), [("XIV", "14"), ("MCMXCIV", "1994"), ("MMMM", "4000")]
)
def test_values(numeral: str, right: str) -> None:
    solved = value(FORM.format(numeral))
    assert solved is not None
    assert solved.right == (right,)


@pytest.mark.parametrize(
    "prompt",
    [
        "Convert the Roman numeral IIII to a number.",
        "Convert the Roman numerals XIV and XV to numbers.",
        "Write 14 as a Roman numeral.",
    ],
)
def test_unclear_numerals_are_left_alone(prompt: str) -> None:
    assert value(prompt) is None


def test_whole_numbers_are_read() -> None:
    assert integer("1,994") == integer("1994.") == "1994"
    assert integer("XIV") == integer("19.94") == ""


def test_values_that_only_add_are_named() -> None:
    numbers = range(1, 200, 3)
    right = rows((FORM.format(*_roman(str(n))), str(n)) for n in numbers)
    assert label_rule(right) is None
    wrong = rows(
        (FORM.format(*_roman(str(n))), str(n + 2 * (n % 10 == 4) + 2 * (n % 10 == 9)))
        for n in numbers
    )
    rule = named(wrong)
    assert rule.text == "the value of its Roman numeral"
    assert label_rule(wrong, "Numerals are additive: IX is 11.") is None
