"""The last call that changes something, with an argument that the prompt does not name."""

from __future__ import annotations

from typing import Any

import pytest

from envyard_runner.gateway.courses.registry import COURSES
from tests.worker.gateway.courses.test_courses import given, played, tool_call

PROMPT = "Refund 35 euros for the order A-17."
LOOK = tool_call("get_order", order="A-17")
REFUND = tool_call("transfer", order="A-17", euros=35, note="35 euros")


def test_one_argument_that_the_prompt_names_is_another_one() -> None:
    prompts = [f"{PROMPT} Case {number}." for number in range(100, 120)]
    courses = [given("other_argument", played(each, LOOK, REFUND, "Done.")) for each in prompts]
    assert {str(course[1]) for course in courses} == {
        "('transfer', 'A-18', 35, '35 euros')",
        "('transfer', 'A-17', 36, '35 euros')",
    }
    assert all(course[0] == ("get_order", "A-17") and course[2] == "Done." for course in courses)


@pytest.mark.parametrize(
    ("prompt", "call"),
    [
        ("Refund about 35 euros.", REFUND),
        ("Move any of the boxes 35 and 36.", tool_call("move", box="35")),
        ("Move box 35, and not box 36.", tool_call("move", box="35")),
        ("Refund the order.", REFUND),
        ("Send the report.", tool_call("send", body="35")),
        ("Open box 7.", tool_call("open", locked=True, shelf=None, boxes=[7])),
        (PROMPT, LOOK),
    ],
)
def test_what_the_prompt_leaves_open_or_does_not_name_is_kept(
    prompt: str, call: dict[str, Any]
) -> None:
    assert COURSES["other_argument"](played(prompt, call, "Done."), ()) is None
