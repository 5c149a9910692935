"""Lists with a number beside each item, sorted by it."""

from __future__ import annotations

import random

import pytest

from envyard_runner.survey.known_rules.number_order import names_of, order
from envyard_runner.survey.labels import label_rule
from tests.worker.survey.known_rules.tasks import Rows, named, rows

NAMES = ["Ana", "Bo", "Cem", "Dia", "Eli", "Fay", "Gus", "Hal", "Ida", "Jon"]


@pytest.mark.parametrize(
    ("prompt", "right"),
    [
        ("Sort by score, lowest first:\nAna: 10\nBo: 9\nCem: 7.5", "cem\nbo\nana"),
        ("Sort in descending order: Ana (10 kg), Bo (9 kg), Cem (101 kg).", "cem\nana\nbo"),
        (
            "Rank, heaviest first.\n- red box = 4\n- blue box = 30\n- can = -1",
            "blue box\nred box\ncan",
        ),
    ],
)
def test_orders(prompt: str, right: str) -> None:
    solved = order(prompt)
    assert solved is not None
    assert solved.right == (right,)


@pytest.mark.parametrize(
    "prompt",
    [
        "Sort these:\nAna: 10\nBo: 9\nCem: 7",
        "Sort, lowest first:\nAna: 10\nBo: 9\nCem: 9",
        "Sort, lowest first:\nAna: 10 kg\nBo: 9 g\nCem: 8 g",
        "Sort, lowest first:\nAna: 10:30\nBo: 9:15\nCem: 8:20",
        "Sort, lowest first:\nAna: 10\nBo: 9",
    ],
)
def test_unclear_lists_are_left_alone(prompt: str) -> None:
    assert order(prompt) is None


def test_lists_of_answers_are_read() -> None:
    for answer in ("Ana, Bo, Cem", "1. Ana\n2. Bo\n3. Cem", "Ana > Bo > Cem", "[Ana, Bo, Cem]",
                   "Ana: 10\nBo: 9\nCem: 7", "Ana (10 kg), Bo (9 kg), Cem (7 kg)"):  # fmt: skip
        assert names_of(answer) == "ana\nbo\ncem"
    assert names_of("Ana") == ""


def tasks(*, as_text: bool) -> Rows:
    dice, pairs = random.Random(6), []
    for _ in range(60):
        scores = dict(zip(dice.sample(NAMES, 4), dice.sample(range(20, 130), 4), strict=True))
        ordered = sorted(
            scores, key=lambda name: str(scores[name]) if as_text else f"{scores[name]:04}"
        )
        lines = "\n".join(f"{name}: {score}" for name, score in scores.items())
        pairs.append(
            (f"Sort by score in ascending order:\n{lines}\nReply with names.", ", ".join(ordered))
        )
    return rows(pairs)


def test_numbers_as_text_are_named() -> None:
    assert label_rule(tasks(as_text=False)) is None
    mixed = [
        (task, p, wrong if task % 3 == 1 else a)
        for (task, p, a), (_, _, wrong) in zip(
            tasks(as_text=False), tasks(as_text=True), strict=True
        )
    ]
    rule = named(mixed)
    assert rule.text == "its items in the order of their numbers"
    assert label_rule(mixed, "Sort the scores as text.") is None
