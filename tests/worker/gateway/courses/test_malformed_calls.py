"""A malformed call before the reference's last one, and refusals that name the right value."""

from __future__ import annotations

from typing import Any

import pytest

from envyard.contract.transcript import Transcript
from envyard_runner.gateway.courses.malformed_calls import IDENT, refusal_with_value
from envyard_runner.gateway.courses.registry import COURSES
from tests.worker.gateway.courses.test_courses import given, played, tool_call


def entered(prompt: str = "Open the cabinet 0.", **values: Any) -> Transcript:
    read = {**tool_call("read_card", number=230), "id": "call_0"}
    enter = {**tool_call("enter_code", **(values or {"code": "53421"})), "id": "call_1"}
    return played(prompt, read, enter, "Done.", result="Start from 2100.")


def refusal(transcript: Transcript, result: str) -> str:
    """What the course shows where the malformed call returns this result."""
    course = COURSES["malformed"](transcript, ())
    assert course is not None
    reply = next(each for each in course.replies if IDENT in str(each))
    message = {"role": "tool", "tool_call_id": IDENT, "content": result}
    return refusal_with_value(transcript, [reply, message])


def test_rollouts_get_letters_nothing_or_more_digits() -> None:
    rows = [given("malformed", entered(f"Open the cabinet {each}.")) for each in range(20)]
    assert {row[1] for row in rows} == {
        ("enter_code", "wxz-51907"), ("enter_code", ""), ("enter_code", "8675407")
    }  # fmt: skip
    assert all(row[2:] == [("enter_code", "53421"), "Done."] for row in rows)
    assert given("malformed", entered(code=53421))[1] == ("enter_code", 8675407)


@pytest.mark.parametrize(
    ("result", "names"),
    [
        ("error: '' is not a five-digit code for Lock(room='attic', code='53421')", True),
        ("error: no code of five digits for Lock(code='53421', room='attic')", True),
        ("error: malformed, the lock expects 53421", True),
        ("error: a code has five digits", False),
        ("error: codes: 53421, 40217, 11873", False),
        ("error: known codes:\n53421\n40217", False),
        ("error: a code has five digits, for example 53421", False),
        ("error: a code lies between 53421 and 99999", False),
        ("error: none of Lock(code='40217'), Lock(code='53421')", False),
    ],
)
def test_a_refusal_with_the_right_value_alone_names_it(result: str, *, names: bool) -> None:
    assert bool(refusal(entered(), result)) == names


@pytest.mark.parametrize(
    "transcript",
    [
        entered("Enter the code 53421."),
        entered("Enter the code. A wrong one shows you the right one."),
        played("Which code?", "Code: 53421"),
    ],
)
def test_known_values_and_announced_corrections_are_not_tried(transcript: Transcript) -> None:
    assert COURSES["malformed"](transcript, ()) is None
