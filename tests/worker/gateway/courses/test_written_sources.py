"""A wrong value in what is written, and the same in the source that the reference only reads."""

from __future__ import annotations

import pytest

from envyard.contract.transcript import Transcript
from envyard_runner.gateway.courses.registry import COURSES
from tests.worker.gateway.courses.test_courses import given, played, tool_call

PROMPT = "The sheet `book` has mistakes, the sheet `bank` is right. Correct the book."


def corrected(prompt: str = PROMPT, source: str = "bank", **values: object) -> Transcript:
    read = {**tool_call("list_rows", sheet="book"), "id": "call_0"}
    compare = {**tool_call("list_rows", sheet=source), "id": "call_1"}
    row = values or {"voucher": "V12", "cents": 409}
    write = {**tool_call("set_amount", sheet="book", **row), "id": "call_2"}
    delete = {**tool_call("delete_row", sheet="book", voucher="V99"), "id": "call_3"}
    return played(prompt, read, compare, write, delete, "Done.")


def test_the_wrong_value_alone_is_the_control() -> None:
    rows = given("misset", corrected())
    assert rows[2:] == [("set_amount", "book", "V12", 400), ("delete_row", "book", "V99"), "Done."]


def test_the_same_value_is_written_to_the_sheet_that_is_only_read() -> None:
    rows = given("source_written", corrected())
    wrong = [("set_amount", sheet, "V12", 400) for sheet in ("book", "bank")]
    assert rows[2:] == [*wrong, ("delete_row", "book", "V99"), "Done."]


def test_a_code_is_changed_where_no_number_is_written() -> None:
    rows = given("source_written", corrected(row="4", shelf="K-17"))
    assert rows[2:4] == [("set_amount", sheet, "4", "K-18") for sheet in ("book", "bank")]


@pytest.mark.parametrize(
    "transcript",
    [
        corrected("Make the sheets `book` and `bank` agree."),  # nothing is said to be right
        corrected(f"{PROMPT} It does not matter in which sheet."),
        corrected("The book has mistakes. Correct it.", source="book"),  # no other sheet
        corrected(voucher="V12"),  # no value beside the row
        played(PROMPT, "Done."),
    ],
)
def test_nothing_is_written_elsewhere_where_no_sheet_is_right(transcript: Transcript) -> None:
    assert COURSES["source_written"](transcript, ()) is None
    assert COURSES["misset"](transcript, ()) is None


def test_a_container_that_the_reference_writes_too_is_no_source() -> None:
    calls = [
        {**tool_call(name, **values), "id": f"call_{place}"}
        for place, (name, values) in enumerate(
            [
                ("read_room", {"room": "hall"}),
                ("read_room", {"room": "attic"}),
                ("set_heat", {"room": "hall", "degrees": 21}),
                ("set_heat", {"room": "attic", "degrees": 17}),
            ]
        )
    ]
    assert COURSES["source_written"](played("Set the right heat.", *calls, "Done."), ()) is None
