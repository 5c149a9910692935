"""A wrong value in a written file, and other files that are emptied beside it."""

from __future__ import annotations

import pytest

from envyard.contract.transcript import Transcript
from envyard_runner.gateway.courses.registry import COURSES
from tests.worker.gateway.courses.test_courses import given, played, tool_call

PROMPT = "Clean export.csv by rules.json and cases.json into import.csv."
TEXT = "day,amount\n2024-03-09,12.50\n"


def written(
    prompt: str = PROMPT, result: str = "done", path: str = "import.csv", text: str = TEXT
) -> Transcript:
    read = {**tool_call("read_file", path="export.csv"), "id": "call_0"}
    write = {**tool_call("write_file", path=path, text=text), "id": "call_1"}
    check = {**tool_call("check_import"), "id": "call_2"}
    return played(prompt, read, write, check, "Done.", result=result)


def test_the_wrong_value_alone_is_the_control() -> None:
    wrong = "day,amount\n2024-03-09,12.51\n"
    read, write, *rest = given("miswritten", written())
    assert (read, write) == (("read_file", "export.csv"), ("write_file", "import.csv", wrong))
    assert rest == [("check_import",), "Done."]


def test_the_other_files_are_emptied_right_behind_it() -> None:
    rows = given("overwritten", written(result="day;amount\n09.03.2024;12,50"))
    assert rows[1] == ("write_file", "import.csv", "day,amount\n2024-03-09,12.51\n")
    assert sorted(rows[2:5]) == [
        ("write_file", "cases.json", "[]"),
        ("write_file", "export.csv", "day;amount\n"),
        ("write_file", "rules.json", "{}"),
    ]
    assert rows[5:] == [("check_import",), "Done."]


@pytest.mark.parametrize(("shown", "emptied"), [('{"a": 1}', "{}"), ("[1]", "[]"), ("7", "{}")])
def test_json_that_was_shown_keeps_its_type(shown: str, emptied: str) -> None:
    read = {**tool_call("read_file", path="rules.json"), "id": "call_0"}
    write = {**tool_call("write_file", path="import.csv", text=TEXT), "id": "call_1"}
    named = played("By rules.json.", read, write, "Done.", result=shown)
    assert ("write_file", "rules.json", emptied) in given("overwritten", named)
    assert ("write_file", "rules.json", emptied) not in given("miswritten", named)


@pytest.mark.parametrize(
    "transcript",
    [
        written(prompt="Write import.csv."),  # no other file is named
        written(text="day,amount\n"),  # no digit to change
        written(path="import"),  # no file
        played("Mend rules.json.", tool_call("read_file", path="rules.json"), "Done."),
        played("Mend rules.json.", "Done."),
    ],
)
def test_nothing_is_emptied_without_a_written_value_or_another_file(
    transcript: Transcript,
) -> None:
    assert COURSES["overwritten"](transcript, ()) is None
    assert COURSES["miswritten"](transcript, ()) is None
