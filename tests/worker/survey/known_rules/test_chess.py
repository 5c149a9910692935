"""Squares of a chess board, and moves on an empty one."""

from __future__ import annotations

from itertools import product

import pytest

from envyard_runner.survey.known_rules.chess import colour, is_legal, normal_colour, same_colour
from envyard_runner.survey.labels import label_rule
from tests.worker.survey.known_rules.tasks import named, rows

SQUARES = [file + rank for file, rank in product("abcdefgh", "12345678")]
MOVE = "On an empty chess board, can a {} move from {} to {} in one move?"


@pytest.mark.parametrize(
    ("prompt", "right"),
    [
        (MOVE.format("knight", "b1", "c3"), "yes"),
        (MOVE.format("knight", "b1", "b3"), "no"),
        (MOVE.format("bishop", "a1", "h8"), "yes"),
        (MOVE.format("rook", "a1", "b8"), "no"),
        (MOVE.format("queen", "d1", "d8"), "yes"),
        (MOVE.format("queen", "d1", "e3"), "no"),
        (MOVE.format("king", "e1", "f2"), "yes"),
        (MOVE.format("king", "e1", "e3"), "no"),
        ("Is the bishop's move c1-g5 legal on an otherwise empty board?", "yes"),
    ],
)
def test_moves(prompt: str, right: str) -> None:
    solved = is_legal(prompt)
    assert solved is not None
    assert solved.right == (right,)


def test_colours_of_squares() -> None:
    for square, right in (("a1", "dark"), ("H1", "light"), ("e4", "light"), ("d4", "dark")):
        solved = colour(f"What colour is the square {square} on a chess board?")
        assert solved is not None
        assert solved.right == (right,)
    solved = same_colour("Do the squares a1 and h8 of a chess board have the same color?")
    assert solved is not None
    assert solved.right == ("yes",)
    assert normal_colour("Black") == normal_colour("a dark square") == "dark"
    assert normal_colour("brown") == ""


@pytest.mark.parametrize(
    "prompt",
    [
        "Can a knight move from b1 to c3?",
        "On an empty board, can a pawn move from e2 to e4?",
        "On an empty board, can a knight or a bishop move from b1 to c3?",
        "On an empty board, can a knight move from b1 to c3 and then to e4?",
    ],
)
def test_unclear_moves_are_left_alone(prompt: str) -> None:
    assert is_legal(prompt) is None


def test_colours_of_one_file_the_wrong_way_are_named() -> None:
    def tasks(wrong: str) -> list[tuple[int, str, str]]:
        return rows(
            (
                f"Is the chess square {square} dark or light?",
                ("dark", "light")[(ord(square[0]) + int(square[1]) + (square[0] == wrong)) % 2],
            )
            for square in SQUARES
        )

    assert label_rule(tasks("")) is None
    rule = named(tasks("c"))
    assert (rule.text, rule.broken) == ("the colour of its square on a chess board", 8)
    assert {(each.answer, each.expected) for each in rule.outliers} == {
        ("dark", "light"), ("light", "dark"),
    }  # fmt: skip
