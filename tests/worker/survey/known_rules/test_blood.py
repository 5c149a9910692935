"""Transfusions: what donors may give, in several phrasings and conventions."""

from __future__ import annotations

from itertools import product

import pytest

from envyard_runner.survey.known_rules.blood import by_product, of_blood
from envyard_runner.survey.labels import label_rule

Rows = list[tuple[int, str, str]]
GROUPS = [abo + rh for abo in ("O", "A", "B", "AB") for rh in "+-"]
ORDER = (
    "Order: 2 unit(s) of {item}, donor group {donor}, recipient group {patient}. May it be given?"
)


def fits(item: str, donor: str, patient: str, *, rh: bool = False) -> bool:
    given, own = ({*group.replace("O", "")} - {"-"} for group in (donor, patient))
    if item == "plasma":
        return {*own} - {"+"} <= {*given} - {"+"} and not (rh and "+" in given and "+" not in own)
    return given <= own


def tasks(form: str, items: tuple[str, ...], wrong: str = "", *, rh: bool = False) -> Rows:
    """All pairs; the label of the product `wrong` is that of red cells."""
    rows: Rows = []
    for item, donor, patient in product(items, GROUPS, GROUPS):
        right = fits("red cells" if item == wrong else item, donor, patient, rh=rh)
        prompt = form.format(item=item, donor=donor, patient=patient)
        rows.append((len(rows), prompt, "yes" if right else "no"))
    return rows


@pytest.mark.parametrize(
    ("prompt", "right"),
    [
        ("A donor is A+ and the patient is O-. May the patient get the red cells?", "no"),
        ("Can O- red cells be given to an AB+ patient?", "yes"),
        ("Can AB+ plasma be transfused to an O+ recipient?", "yes"),
        ("Donor: AB\nRecipient: A\nProduct: FFP\nCompatible or incompatible?", "yes"),
        ("Donor: AB\nRecipient: A\nProduct: packed red cells\nCompatible or incompatible?", "no"),
        ("A patient with blood group B negative needs RBCs; the unit is O Rh-negative.", "yes"),
        ("Donor: A Rh+ | Recipient: AB Rh+ | Product: fresh frozen plasma. Suitable?", "no"),
        ("Is a unit of plasma from a group O donor right for a group A recipient?", "no"),
    ],
)
def test_products_and_groups_are_read(prompt: str, right: str) -> None:
    solved = by_product(prompt)
    assert solved is not None
    assert solved.right == (right,)


def test_blood_without_a_product_is_red_cells() -> None:
    for prompt in (
        "Can a person with type A+ donate blood to a person with type AB+?",
        "Can a person with type AB+ receive blood from someone with type A+?",
        "Is type O negative blood compatible with a recipient who has type B positive blood?",
    ):
        solved = of_blood(prompt)
        assert solved is not None
        assert solved.right == ("yes",)


@pytest.mark.parametrize(
    "prompt",
    [
        "A donor is A+ and another donor is O-. Which red cells are left?",
        "Is the donor A+ unsafe for the recipient O-? It gives red cells.",
        "Donor A+, recipient O-: may platelets or red cells be given?",
        "A patient and a donor share red cells, A+.",
        "Red cells from A+ and O- and B+ donors go to a patient.",
        "Red cells and plasma of the donor A+ go to the patient A+.",
        "The donor is A+, the recipient has group B. Red cells?",
    ],
)
def test_unclear_prompts_are_left_alone(prompt: str) -> None:
    assert by_product(prompt) is None


def test_plasma_with_the_labels_of_red_cells_is_named() -> None:
    rule = label_rule(tasks(ORDER, ("red cells", "plasma"), wrong="plasma"))
    assert rule is not None
    assert "ABO" in rule.text
    assert all("plasma" in each.prompt for each in rule.outliers)
    wrong = next(
        each for each in rule.outliers if "donor group O+, recipient group A+" in each.prompt
    )
    assert (wrong.answer, wrong.expected) == ("yes", "no")


def test_sound_labels_are_not_named() -> None:
    assert label_rule(tasks(ORDER, ("red cells", "plasma"))) is None
    assert label_rule(tasks(ORDER, ("red cells", "plasma"), rh=True)) is None
    assert label_rule(tasks("May {donor} blood go to a recipient with {patient}?", ("",))) is None


def test_a_set_that_defines_its_own_rules_is_not_named() -> None:
    rows = tasks(ORDER, ("red cells", "plasma"), wrong="plasma")
    assert label_rule(rows, "In this fictional hospital plasma follows other rules.") is None
    assert label_rule(rows, "The Rh factor is ignored.") is None
    assert label_rule(rows, "Judge by the ABO groups.") is None
    assert label_rule(rows, "Judge by the ABO and Rh groups. For plasma Rh is ignored.") is not None
