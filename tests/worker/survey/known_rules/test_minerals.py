"""Mohs hardness of the reference minerals, alone and among others."""

from __future__ import annotations

import random

import pytest

from envyard_runner.survey.known_rules.minerals import (
    HARDNESS,
    SCALE,
    harder,
    hardness,
    order,
    reference_order,
    scratches,
    value,
)
from envyard_runner.survey.labels import label_rule
from tests.worker.survey.known_rules.tasks import Rows, named, rows

OTHERS = {"galena": 2.5, "malachite": 3.75, "zircon": 7.5, "olivine": 6.75}
FORM = "Put these minerals in order, softest first: {}."


@pytest.mark.parametrize(
    ("prompt", "right"),
    [
        ("Sort by hardness, from softest to hardest: quartz, zircon, talc", "talc quartz"),
        ("Rank topaz, feldspar and gypsum by descending hardness.", "topaz orthoclase gypsum"),
    ],
)
def test_orders(prompt: str, right: str) -> None:
    solved = order(prompt)
    assert solved is not None
    assert solved.right == (right,)


def test_values_and_scratches() -> None:
    for solved, right in (
        (hardness("What is the Mohs hardness of apatite?"), "5"),
        (scratches("Can quartz scratch topaz?"), "no"),
        (scratches("Does a piece of topaz scratch quartz?"), "yes"),
        (harder("Which is harder, calcite or gypsum?"), "calcite"),
        (harder("Which mineral is softer: calcite or gypsum?"), "gypsum"),
    ):
        assert solved is not None
        assert solved.right == (right,)


@pytest.mark.parametrize(
    "prompt",
    [
        "Put these minerals in order: quartz, talc.",
        "Put these minerals in order, softest first: quartz, zircon.",
        "Can quartz scratch glass?",
        "Is quartz softer than topaz?",
    ],
)
def test_unclear_questions_are_left_alone(prompt: str) -> None:
    assert order(prompt) is scratches(prompt) is hardness(prompt) is harder(prompt) is None


def test_answers_are_read() -> None:
    assert reference_order("talc < zircon < Quartz") == "talc quartz"
    assert reference_order("talc") == value("hard") == value("11") == ""
    assert value("7.0") == value("Mohs 7") == "7"


def orders(*, as_text: bool) -> Rows:
    dice, known = random.Random(1), {**HARDNESS, **OTHERS}
    pairs = []
    for _ in range(120):
        names = dice.sample([*known], 4)
        ordered = sorted(
            names, key=lambda name: str(known[name]) if as_text else f"{known[name]:05}"
        )
        pairs.append((FORM.format(", ".join(names)), " < ".join(ordered)))
    return rows(pairs)


def test_diamond_before_talc_is_named() -> None:
    assert label_rule(orders(as_text=False)) is None
    rule = named(orders(as_text=True))
    assert rule.text == "its reference minerals in the order of Mohs hardness"
    assert all("diamond" in each.answer for each in rule.outliers)
    assert label_rule(orders(as_text=True), "Sort by Vickers hardness.") is None


def test_the_scale_has_ten_minerals() -> None:
    assert len(SCALE) == len(HARDNESS) == 10
