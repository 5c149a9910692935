"""Risks with healthy siblings of affected persons, and what prompts say of families."""

from __future__ import annotations

from fractions import Fraction

import pytest

from envyard_runner.survey.carriers import RIGHT, states
from envyard_runner.survey.families import risk
from envyard_runner.survey.labels import label_rule

PROMPT = (
    "Mara is healthy, but her {kin} has cystic fibrosis, an autosomal recessive disorder; their "
    "parents are healthy. Tom comes from a population in which one person in {n} is a carrier. "
    "What is the probability that their first child is affected? Reply with a fraction."
)
KNOWN = "Wilson disease is an autosomal recessive disorder. Ada and Ben are healthy. "
AUNT = (
    "Ada's mother has a sister with Wilson disease, whose parents are healthy; Ada's father has "
    "tested negative."
)
GRANDMOTHER = (
    "Ada's maternal grandmother has Wilson disease, Ada's mother is healthy and Ada's father has "
    "tested negative."
)
ASKS = " What is the probability that their first child has Wilson disease?"


def tasks(carriers: str, kin: str = "sister") -> list[tuple[int, str, str]]:
    numbers = range(20, 50)
    return [(n, PROMPT.format(n=n, kin=kin), str(Fraction(carriers) / (4 * n))) for n in numbers]


def test_siblings_that_are_carriers_in_one_of_two_cases_are_named() -> None:
    rule = label_rule(tasks("1/2"))
    assert rule is not None
    assert (rule.tasks, rule.broken) == (30, 30)
    assert rule.outliers[0].answer == "1/160"
    assert rule.outliers[0].expected == "1/120"


def test_right_and_other_risks_are_no_such_labels() -> None:
    assert label_rule(tasks("2/3")) is None
    assert label_rule(tasks("1/3")) is None
    few = [*tasks("2/3")[:26], *tasks("1/2")[26:]]
    assert label_rule(few) is None


def test_half_siblings_are_left_alone() -> None:
    assert label_rule(tasks("1/2", kin="half-sister")) is None


@pytest.mark.parametrize(
    ("families", "right"),
    [
        ("Ada's brother has Wilson disease. Ben is a known carrier.", "1/6"),
        ("Ada has a sister who died of Wilson disease. Ben's sister has Wilson disease.", "1/9"),
        ("Ada's brother has the disease. One person in 90 is a carrier.", "1/540"),
        ("Ada's mother has the disease. A genetic test has shown that Ben is a carrier.", "1/4"),
        (f"{AUNT} Ben has had a child with Wilson disease with an earlier partner.", "1/12"),
        (f"{GRANDMOTHER} Nothing is known about Ben's family; 1 in 50 is a carrier.", "1/400"),
        (
            "Ada's mother is a carrier, while the father has tested negative. Ben is a carrier.",
            "1/8",
        ),
    ],
)
def test_the_risk_of_a_child_follows_from_both_families(families: str, right: str) -> None:
    assert risk(KNOWN + families + ASKS, sibling=RIGHT) == Fraction(right)


@pytest.mark.parametrize(
    "families",
    [
        "Ada's brother has Wilson disease. Nothing is known about Ben's family.",
        "Ada's brother has Wilson disease. So has Ada's mother. Ben is a carrier.",
        "Ada's brother has Wilson disease. Ada's father has tested negative. Ben is a carrier.",
        "Ada's brother has Wilson disease. Ben is a carrier. They have two healthy children.",
        "Ada's twin brother has Wilson disease. Ben is a carrier.",
        "Ada's brother has Wilson disease. The penetrance of it is 80 %. Ben is a carrier.",
        "Ada's brother has Wilson disease. Ben is a carrier. A test of Ada was inconclusive.",
        "Ada's brother has Wilson disease. Ada and Ben are cousins. One in 90 is a carrier.",
    ],
)
def test_families_of_which_more_is_told_are_left_alone(families: str) -> None:
    assert risk(KNOWN + families + ASKS, sibling=RIGHT) is None


def test_persons_who_are_not_said_to_be_healthy_are_left_alone() -> None:
    families = "Ada's brother has Wilson disease. Ben is a known carrier."
    unknown = KNOWN.replace("Ada and Ben are healthy. ", "")
    assert risk(unknown + families + ASKS, sibling=RIGHT) is None


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("1/180", True), ("2 / 360", True), ("0.0056", True), ("0.00556", True), ("0.56 %", True),
        ("0.0055", False), ("1/240", False), ("1/0", False), ("about one", False), ("", False),
    ],
)  # fmt: skip
def test_risks_are_compared_as_they_are_rounded(text: str, holds: bool) -> None:
    assert states(text, Fraction(1, 180)) is holds
