"""Wrong calls before the reference's last one, and results that name the right values."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from envyard.contract.transcript import Transcript
from envyard_runner.gateway.courses.corrected_calls import correction, judged_arguments
from envyard_runner.gateway.courses.listed_values import listed_with, singled_out
from envyard_runner.gateway.courses.registry import COURSES
from tests.worker.gateway.courses.test_courses import given, played, tool_call

PROMPT = (
    "One of the pumps north-a, north-b, south-a, south-b is faulty. Causes: air lock, worn seal, "
    "blocked valve. Find the pump and report it."
)
REPORT = {
    "type": "function",
    "function": {
        "name": "report",
        "parameters": {"properties": {"pump": {"type": "string"}, "cause": {"type": "string"}}},
    },
}


def rollout(prompt: str = PROMPT, result: str = "done", **values: Any) -> Transcript:
    values = values or {"pump": "south-a", "cause": "worn seal"}
    looks = tool_call("read_gauge", pump="south-a")
    return played(
        prompt, looks, tool_call("report", **values), "Done.", tools=[REPORT], result=result
    )


def corrected(transcript: Transcript, result: str, others: Sequence[str] = ()) -> str:
    """What the course's conversation shows where each wrong call returns this result."""
    course = COURSES["corrected"](transcript, others)
    assert course is not None
    calls = next(r["tool_calls"] for r in course.replies if "call_wrong0" in str(r))
    messages: list[dict[str, Any]] = [{"role": "user", "content": PROMPT}]
    messages.append({"role": "assistant", "content": "", "tool_calls": calls})
    for call in calls:
        values = json.loads(call["function"]["arguments"])
        text = result.format(**values)
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})
    return correction(transcript, messages)


def test_wrong_calls_have_values_of_the_lists_in_the_prompt() -> None:
    look, first, second, pump, cause, right, last = given("corrected", rollout())
    assert look == ("read_gauge", "south-a")
    pumps, causes = {"north-a", "north-b", "south-b"}, {"air lock", "blocked valve"}
    assert first[1] in pumps
    assert second[1] in pumps
    assert first[1] != second[1]
    assert {first[2], second[2]} == causes
    assert pump[1] in pumps
    assert pump[2] == "worn seal"
    assert cause[1] == "south-a"
    assert cause[2] in causes
    assert (right, last) == (("report", "south-a", "worn seal"), "Done.")


@pytest.mark.parametrize(
    ("result", "names"),
    [
        ("Filed {cause} on {pump}; still open: worn seal on south-a.", True),
        ("Filed. The alarm of south-a goes on.", True),
        ("Filed {cause} on {pump}. The alarm goes on.", False),
        ("error: pumps are north-a, north-b, south-a, south-b", False),
        ("error: causes are air lock, worn seal, blocked valve", False),
    ],
)
def test_a_result_that_names_the_right_value_alone_corrects_the_call(
    result: str, *, names: bool
) -> None:
    assert bool(corrected(rollout(), result)) == names


@pytest.mark.parametrize("result", ["error: east or west", "Give 'west'/'east'.", "west | east"])
def test_a_refusal_that_offers_both_values_names_neither(result: str) -> None:
    steered = rollout("Steer the boat to its berth.", pump="pump-1", cause="east")
    others = [judged_arguments(rollout(pump="p-2", cause="west"))]
    assert corrected(steered, result, others) == ""
    shown = corrected(steered, "west is wrong, east is right", others)
    assert "east" in shown


def test_values_of_other_tasks_are_tried_where_no_list_has_them() -> None:
    transcript = rollout("Which shelf? File it.", code="K-17")
    other = judged_arguments(rollout("Which shelf? File it.", code="B-42"))
    calls = given("corrected", transcript, other, "")
    assert calls[1:3] == [("report", "B-42"), ("report", "K-18")]
    assert corrected(transcript, "{code}: wrong, it goes to K-17", [other])
    assert not corrected(transcript, "{code}: wrong, the shelves are K-16, K-17, K-18", [other])


def test_values_of_an_enumeration_are_tried() -> None:
    fields = {"level": {"type": "string", "enum": ["low", "high", "severe"]}}
    tool = {"function": {"name": "grade", "parameters": {"properties": fields}}}
    transcript = played("How bad?", tool_call("grade", level="high"), "Done.", tools=[tool])
    assert {call[1] for call in given("corrected", transcript)[:2]} == {"low", "severe"}


@pytest.mark.parametrize(
    ("prompt", "result", "values"),
    [
        ("Book the room K-17.", "done", {"room": "K-17"}),  # given
        ("Which room is free?", "free: K-17", {"room": "K-17"}),  # an earlier result has it
        ("Which room is free?", "done", {"note": "K-17"}),  # free text
        ("Which room? A wrong one shows you the right one.", "done", {"room": "K-17"}),
        ("Which room is free?", "done", {"room": "7"}),  # too short to be known again
        ("Which room is free?", "done", {"rooms": ["K-17"]}),
    ],
)
def test_values_that_are_known_or_free_are_not_tried(
    prompt: str, result: str, values: dict[str, Any]
) -> None:
    assert COURSES["corrected"](rollout(prompt, result, **values), ()) is None


def test_lookups_are_not_judged() -> None:
    look = tool_call("find_room", room="K-17")
    assert COURSES["corrected"](played("Which?", look, "Done."), ()) is None
    assert COURSES["corrected"](played("Which?", "Room: K-17"), ()) is None


def test_lists_of_sentences_and_bullets() -> None:
    assert listed_with("red", ["Pick red, green or blue. Not more."]) == ["red", "green", "blue"]
    assert listed_with("red", ["One of:\n- red\n- green: dark\n- blue\n"]) == [
        "red", "green", "blue",
    ]  # fmt: skip
    assert listed_with("red", ["Pick red or blue."]) == []
    assert not singled_out("red", "red or blue", ["red", "blue"])
    assert singled_out("red", "It was red.", ["red", "blue"])


@pytest.mark.parametrize("calls", [7, ["x"], [{"id": "call_wrong0"}], [{"id": [], "function": 7}]])
def test_conversations_of_any_shape_show_no_correction(calls: Any) -> None:
    reply = {"role": "assistant", "content": None, "tool_calls": calls}
    result = {"role": "tool", "tool_call_id": [7], "content": [{"type": "text"}]}
    assert correction(rollout(), [reply, result]) == ""
