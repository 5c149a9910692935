"""Syllogisms: the valid forms, with classes that may be empty or not."""

from __future__ import annotations

from itertools import product

import pytest

from envyard_runner.survey.known_rules.syllogisms import (
    Form,
    argument,
    follows,
    is_valid,
    sentence,
)
from envyard_runner.survey.labels import label_rule
from tests.worker.survey.known_rules.tasks import Rows, named, rows

TEXTS = {
    "A": "All {} are {}",
    "E": "No {} are {}",
    "I": "Some {} are {}",
    "O": "Some {} are not {}",
}
FIGURES = (("mp", "sm"), ("pm", "sm"), ("mp", "ms"), ("pm", "ms"))
CLASSES = {"s": "brims", "m": "tovs", "p": "quills"}
FORM = "{}.\n{}.\nTherefore: {}.\nDoes the conclusion follow? Answer valid or invalid."


def forms() -> list[list[Form]]:
    """All 256 forms."""
    return [
        [
            (kind, CLASSES[one], CLASSES[other])
            for kind, (one, other) in zip(kinds, (*figure, "sp"), strict=True)
        ]
        for kinds in product("AEIO", repeat=3)
        for figure in FIGURES
    ]


def tasks(*, empty: bool, undistributed: bool = False) -> Rows:
    """The valid forms and others; on demand those that begin with `All` are labelled valid."""
    pairs = []
    for at, each in enumerate(forms()):
        valid = follows(each, empty=empty)
        if valid or at % 9 == 0:
            label = valid or (undistributed and each[0][0] == "A")
            prompt = FORM.format(*(TEXTS[kind].format(*pair) for kind, *pair in each))
            pairs.append((prompt, "valid" if label else "invalid"))
    return rows(pairs)


def test_fifteen_forms_are_valid_and_nine_more_where_no_class_is_empty() -> None:
    assert sum(follows(each, empty=True) for each in forms()) == 15
    assert sum(follows(each, empty=False) for each in forms()) == 24


PETS = "All cats are mammals. All cats are pets. So some pets are mammals. Does it follow?"
SOME = "Premise 1: All cats are mammals.\nPremise 2: Some pets are cats.\n"


@pytest.mark.parametrize(
    ("prompt", "right"),
    [
        ("All a cats are mammals.", None),
        (f"{SOME}Conclusion: Some pets are mammals.\nIs it valid?", ("yes",)),
        (f"{SOME}Conclusion: All pets are mammals.\nIs it valid?", ("no",)),
        (f"{SOME}Conclusion: Every pet is a mammal.\nIs it valid?", None),
        (PETS, ("yes", "no")),
        (f"Classes may be empty. {PETS}", ("no",)),
        (f"All are non-empty. {PETS}", ("yes",)),
    ],
)
def test_arguments(prompt: str, right: tuple[str, ...] | None) -> None:
    solved = is_valid(prompt)
    assert (solved and solved.right) == right


def test_sentences_with_two_readings_are_left_alone() -> None:
    assert sentence("All cats are not dogs") is sentence("Most cats are dogs") is None
    assert argument("All a are b. All b are c. All c are d. Therefore all a are d.") == []


def test_wrong_forms_are_named() -> None:
    for empty in (True, False):
        assert label_rule(tasks(empty=empty)) is None
    rule = named(tasks(empty=True, undistributed=True))
    assert rule.text == "whether the conclusion of its syllogism follows"
    assert {(each.answer, each.expected) for each in rule.outliers} == {("valid", "invalid")}
