"""Arguments of propositions, with letters and with clauses."""

from __future__ import annotations

from itertools import permutations

import pytest

from envyard_runner.survey.known_rules.propositions import argument, is_valid
from envyard_runner.survey.labels import label_rule
from tests.worker.survey.known_rules.tasks import Rows, named, rows

LAMP = "If the lamp is on, the door is open."
CLAUSES = [
    "the lamp is on",
    "the door is open",
    "the alarm is silent",
    "the street is wet",
    "Tom is late",
]


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("If P then Q. P. Therefore, Q.", ("yes",)),
        ("If P then Q. Q. Therefore, P.", ("no",)),
        ("P implies Q. Not Q. Therefore not P.", ("yes",)),
        ("1. P or Q\n2. not P\nTherefore: Q", ("yes",)),
        ("P or Q. P. Therefore not Q.", ("no", "yes")),
        ("If P, Q. If Q, R. So, if P, R.", ("yes",)),
        ("P only if Q. Q. Hence P.", ("no",)),
        ("P if and only if Q. Not P. Thus not Q.", ("yes",)),
        ("Both P and Q. Therefore Q.", None),
        (f"{LAMP} The door is not open. Therefore the lamp is not on.", ("yes",)),
        ("If it rains, all is wet. It does not rain. Therefore all is not wet.", None),
        (f"{LAMP} A cat is black. The lamp is on. So the door is open.", None),
        ("Consider this argument. If P then Q. P. Therefore Q. I think so.", ("yes",)),
    ],
)
def test_arguments(text: str, right: tuple[str, ...] | None) -> None:
    solved = is_valid(f"{text}\nIs the argument valid?")
    assert (solved and {*solved.right}) == (right and {*right})


def test_deep_and_long_sentences_are_left_alone() -> None:
    assert argument("If " * 400 + "P then Q. P. Therefore Q.") == []
    assert argument("P or Q. " * 200) == []


def tasks(*, affirmed: bool) -> Rows:
    """Three forms; on demand the consequent affirms the antecedent."""
    pairs = []
    for one, other in permutations(CLAUSES, 2):
        no_one, no_other = (each.replace(" is ", " is not ") for each in (one, other))
        for premise, conclusion, valid in (
            (one, other, True),
            (other, one, affirmed),
            (no_other, no_one, True),
            (no_one, no_other, False),
        ):
            text = f"If {one}, then {other}.\n{premise}.\nTherefore, {conclusion}.\nIs it valid?"
            pairs.append((text, "valid" if valid else "invalid"))
    return rows(pairs)


def test_affirmed_consequents_are_named() -> None:
    assert label_rule(tasks(affirmed=False)) is None
    rule = named(tasks(affirmed=True))
    assert rule.text == "whether the conclusion of its propositions follows"
    assert {(each.answer, each.expected) for each in rule.outliers} == {("valid", "invalid")}
