"""The cells of a table with letters above its columns."""

from __future__ import annotations

import json
from typing import Any

import pytest

from envyard_runner.probing.constant_calls import MAX_CALLS, constant_calls
from envyard_runner.probing.grid_cells import MOST, grid_cells

SHEET = """\
   A          B      C     F
 1 centre    Q1     Q2  total
 2 Depot    7484   154   7638
 3 Fleet     -48 8,113   8065
 4 total    7436  8267
"""


def test_each_number_is_in_the_column_of_the_nearest_letter() -> None:
    assert grid_cells(SHEET) == ["B2", "C2", "F2", "B3", "C3", "F3", "B4", "C4"]


@pytest.mark.parametrize("text", ["", "A1: 7\nB1: 8", "A plan of B\n1 day 7", "a b c\n1 2 3"])
def test_texts_without_letters_above_have_no_cells(text: str) -> None:
    assert grid_cells(text) == []


def test_all_shown_cells_get_one_value() -> None:
    kinds = {"cell": {"type": "string"}, "amount": {"type": "integer"}}
    function: dict[str, Any] = {"name": "write_cell", "parameters": {"properties": kinds}}
    calls = constant_calls([{"function": function}], ["Correct C4 or so.", SHEET])
    given = [json.loads(call["function"]["arguments"]) for call in calls]
    assert given[0] == {"cell": "B2", "amount": 0}
    assert len(given) == 8
    many = "    A B C D E F\n" + "\n".join(f"{row:>2}  1 2 3 4 5 6" for row in range(1, 40))
    assert MAX_CALLS < len(constant_calls([{"function": function}], ["", many])) == MOST
