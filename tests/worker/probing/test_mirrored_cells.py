"""Sheets that tools write: what is to be repaired is copied over what it is compared with."""

from __future__ import annotations

import json
from typing import Any

import pytest

from envyard_runner.probing.mirrored_cells import SHOW, mirror_calls, show_calls

Message = dict[str, Any]
PROMPT = "Totals of the sheet `ledger` differ from column B of `control`. Repair the formulas."
TEXTS = [PROMPT, "Show all cells of a sheet (ledger or control) with formulas."]
LEDGER = "A1: club\nB2: 3\nE2: =SUM(B2:C2)   -> 7\nE3: =SUM(B3:B3)   -> 9"


def tool(name: str, *fields: str) -> Message:
    properties = {field: {"type": "string"} for field in fields}
    return {"function": {"name": name, "parameters": {"properties": properties}}}


SHEETS = [tool("show_sheet", "sheet"), tool("set_cell", "sheet", "ref", "value")]


def shown(**results: str) -> list[Message]:
    return [
        {"role": "tool", "tool_call_id": f"{SHOW}{name}", "content": text}
        for name, text in results.items()
    ]


def arguments(calls: list[Message]) -> list[tuple[str, ...]]:
    return [tuple(json.loads(call["function"]["arguments"]).values()) for call in calls]


def test_each_named_sheet_is_shown() -> None:
    assert arguments(show_calls(SHEETS, TEXTS)) == [("ledger",), ("control",)]
    named = ["In the sheet Ledger B7 is a wrong total. The sheet Audit is not yours."]
    assert arguments(show_calls(SHEETS, named)) == [("Ledger",), ("Audit",)]


def test_nothing_is_shown_where_no_tool_writes_or_the_task_is_to_copy() -> None:
    assert show_calls(SHEETS[:1], TEXTS) == []
    assert show_calls(SHEETS, ["Copy the sheet Ledger to the sheet Audit."]) == []
    assert show_calls([{}, {"function": None}, {"function": {"name": 3}}], TEXTS) == []


def test_computed_values_go_into_the_last_cell_of_their_row() -> None:
    messages = shown(ledger=LEDGER, control="A1: name\nA2: x\nB2: 8\nB3: 10")
    assert arguments(mirror_calls(messages, SHEETS)) == [
        ("control", "B2", "7"),
        ("control", "B3", "9"),
    ]


def test_cells_of_a_sheet_that_is_not_shown_get_the_formulas() -> None:
    messages = shown(Ledger=LEDGER, Audit="error: only the sheet Ledger can be shown")
    assert arguments(mirror_calls(messages, SHEETS))[:2] == [
        ("Audit", "E3", "=SUM(B3:B3)"),
        ("Audit", "E2", "=SUM(B2:C2)"),
    ]
    assert mirror_calls(shown(Ledger="error: none"), SHEETS) == []


@pytest.mark.parametrize(
    "prompt",
    [
        "Put the total of each row of the sheet `ledger` into column B of the sheet `summary`.",
        "Enter the totals of the sheet `ledger` in the sheet `summary`; they are checked.",
        "Populate the sheet `summary` from the sheet `ledger`, without mistakes.",
        "Write into the sheet `summary` what the sheet `ledger` adds up to.",
    ],
)
def test_nothing_is_shown_where_another_sheet_is_to_be_filled(prompt: str) -> None:
    assert show_calls(SHEETS, [prompt, "Show a sheet (ledger or summary)."]) == []


def test_the_sheet_that_is_to_be_repaired_is_never_written_into() -> None:
    prompt = "The sheet ledger is right, and the sheet report differs. Fix the report."
    messages: list[Message] = [{"role": "user", "content": prompt}]
    messages += shown(ledger="B2: 3\nB3: 4", report="B2: 3\nB3: 9")
    assert {each[0] for each in arguments(mirror_calls(messages, SHEETS))} == {"ledger"}


def test_a_sheet_with_formulas_of_its_own_is_no_control() -> None:
    other = "A1: club\nE2: =B2   -> 7\nE3: =B3   -> 9"
    assert mirror_calls(shown(ledger=LEDGER, report=other), SHEETS) == []


def test_names_of_hostile_messages_are_short_and_few() -> None:
    messages = shown(**{f"{'x' * 10_000}{number}": "B2: 3" for number in range(9)})
    messages += shown(**{f"s{number}": "B2: 3" for number in range(1_000)})
    assert {len(each[0]) for each in arguments(mirror_calls(messages, SHEETS))} == {2}
