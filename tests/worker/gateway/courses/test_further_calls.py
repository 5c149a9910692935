"""Further calls behind the only one that changes something, where the prompt allows one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from envyard_runner.gateway.courses.further_calls import are_performed
from envyard_runner.gateway.courses.registry import COURSES
from tests.worker.gateway.courses.test_courses import given, played, tool_call

PROMPT = "Look up who is free. Book exactly one slot, then confirm it."
LOOK, BOOK = tool_call("free_slots", person="Dov"), tool_call("book", slot="Tue 14:00")


def test_slots_of_other_tasks_are_booked_behind_the_right_one() -> None:
    transcript = played(PROMPT, LOOK, BOOK, "It is on Tuesday.")
    others = ("Mon 09:00", "", "Tue 14:00", "Mon 09:00", "Fri 11:00")
    assert given("further_calls", transcript, *others) == [
        ("free_slots", "Dov"),
        ("book", "Tue 14:00"),
        ("book", "Mon 09:00"),
        ("book", "Fri 11:00"),
        "It is on Tuesday.",
    ]


@pytest.mark.parametrize(
    ("prompt", "calls"),
    [
        ("Book a slot for each of them.", [BOOK]),
        ("Only one desk books slots. Find it.", [BOOK]),
        ("Book a slot. Answer with exactly one sentence.", [BOOK]),
        (PROMPT, [BOOK, tool_call("book", slot="Wed 10:00")]),
        (PROMPT, [tool_call("book", slot="Tue", hour="14")]),
        (PROMPT, [LOOK]),
    ],
)
def test_where_several_calls_are_allowed_or_made_there_is_no_further_one(
    prompt: str, calls: list[dict[str, Any]]
) -> None:
    transcript = played(prompt, *calls, "Done.")
    assert COURSES["further_calls"](transcript, ("Mon 09:00", "Fri 11:00")) is None


def conversation(*results: str) -> list[dict[str, Any]]:
    """The right call and further ones with these results."""
    slots = ("Tue 14:00", "Mon 09:00", "Fri 11:00")
    messages: list[dict[str, Any]] = []
    for place, (slot, result) in enumerate(zip(slots, results, strict=True)):
        call = {
            "id": f"call_further{place}" if place else "call_1",
            "type": "function",
            "function": {"name": "book", "arguments": json.dumps({"slot": slot})},
        }
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
    return messages


def test_only_calls_that_get_the_result_of_the_right_one_are_performed() -> None:
    booked = ("booked Tue 14:00", "booked Mon 09:00", "booked Fri 11:00")
    assert are_performed(conversation(*booked))
    refused = ("booked Tue 14:00", "error: you have a booking", "error: you have a booking")
    assert not are_performed(conversation(*refused))
    moved = ("booked Tue 14:00", "moved to Mon 09:00", "moved to Fri 11:00")
    assert not are_performed(conversation(*moved))
    assert not are_performed(conversation(*booked)[:2])
    assert not are_performed(conversation(*booked)[:-1])
