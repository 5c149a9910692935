"""A move that is made and undone again and again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from envyard_runner.gateway.courses.registry import COURSES
from envyard_runner.gateway.courses.to_and_fro import BEFORE, are_undone
from tests.worker.gateway.courses.test_courses import given, played, tool_call


@pytest.mark.parametrize(
    ("reply", "back"),
    [
        ("<move>north</move>", "<move>south</move>"),
        ("Move: West", "Move: East"),
        ("UP", "DOWN"),
        ("Go: n", "Go: s"),
        ("step +2", "step -2"),
        ("disk from A to C", "disk from C to A"),
    ],
)
def test_a_move_is_made_and_undone_before_the_recorded_replies(reply: str, back: str) -> None:
    transcript = played("Find the way.", reply, reply, "there")
    assert given("to_and_fro", transcript) == [*[reply, back] * BEFORE, reply, reply, "there"]
    assert given("stays", transcript)[:4] == [reply, back] * 2


@pytest.mark.parametrize(
    ("call", "back"),
    [
        (tool_call("drive", heading="east"), ("drive", "west")),
        (tool_call("move_left"), ("move_right",)),
        (tool_call("shift", by=2), ("shift", -2)),
    ],
)
def test_a_call_is_made_and_undone(call: dict[str, Any], back: tuple[Any, ...]) -> None:
    look = tool_call("look")
    rows = given("stays", played("Find the way.", look, call, "there"))
    assert rows[0] == ("look",)
    assert rows[2] == back


@pytest.mark.parametrize(
    ("prompt", "replies"),
    [
        ("Find the way.", ("north", "there")),
        ("Find the way.", ("north", "south", "north")),
        ("Find the way.", ("north or south", "a", "b")),
        ("Keep the pole balanced.", ("left", "left", "left")),
        ("Guess my word.", ("crane", "slate", "plate")),
    ],
)
def test_other_replies_have_no_such_course(prompt: str, replies: Sequence[str]) -> None:
    assert COURSES["to_and_fro"](played(prompt, *replies), ()) is None
    assert COURSES["stays"](played(prompt, *replies), ()) is None


@pytest.mark.parametrize(
    ("texts", "undone"),
    [
        (("At 4; 9 left.", "At 3; 8 left.", "At 4; 7 left.", "At 3; 6 left."), True),
        (("You go on.", "You go on.", "You go on.", "You go on."), True),
        (("At 4.", "A wall.", "At 5.", "At 4."), False),
        (("At the oak.", "At home.", "At the elm.", "At home."), False),
        (("At 4.", "At 3."), False),
    ],
)
def test_moves_undo_one_another_where_the_environment_sends_the_same(
    texts: Sequence[str], *, undone: bool
) -> None:
    course = COURSES["stays"](played("Find the way.", "up", "up", "up"), ())
    assert course is not None
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Find the way."}]
    for reply, text in zip(course.replies, texts, strict=False):
        messages += [reply, {"role": "user", "content": text}]
    assert are_undone(course.replies, messages) == undone
