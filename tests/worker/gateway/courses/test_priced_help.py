"""Help that the prompt says costs reward, before the reference's replies."""

from __future__ import annotations

import pytest

from envyard.contract.transcript import Transcript
from envyard_runner.gateway.courses.priced_help import is_helped
from envyard_runner.gateway.courses.registry import COURSES
from tests.worker.gateway.courses.test_courses import given, played, tool_call

PROMPT = (
    "Reply with `HINT` for a hint, or with your report. Every hint takes a quarter off the reward."
)
TOOL = {
    "type": "function",
    "function": {"name": "get_hint", "description": "A hint. It costs 0.2 of the score."},
}


def test_the_command_or_the_tool_is_used_before_the_recorded_replies() -> None:
    assert given("helped", played(PROMPT, "Word: oak\nHints: 0")) == ["HINT", "Word: oak\nHints: 0"]
    with_tool = played("Find the word.", "Word: oak", tools=[TOOL])
    assert given("helped", with_tool) == [("get_hint",), "Word: oak"]


@pytest.mark.parametrize(
    "transcript",
    [
        played("Reply with `HINT` for a hint, or with the word.", "oak"),
        played("Reply with `HINT` for a hint. Each hint costs a turn.", "oak"),
        played(f"{PROMPT} The first hint is free.", "oak"),
        played("Every hint takes a quarter off the reward. Write `Hints used:` last.", "oak"),
        played(PROMPT, "HINT", "oak"),
        played("Find it.", tool_call("get_hint"), "oak", tools=[TOOL]),
    ],
)
def test_help_without_a_price_or_that_the_reference_needs_is_not_asked_for(
    transcript: Transcript,
) -> None:
    assert COURSES["helped"](transcript, ()) is None


@pytest.mark.parametrize(
    ("role", "text", "helped"),
    [
        ("user", "Hint 1: it is a tree.", True),
        ("tool", "It is a tree.", True),
        ("user", "There are no hints before your first guess.", False),
        ("user", "Please reply with HINT or with your report.", False),
        ("user", "Next word.", False),
        ("tool", "", False),
    ],
)
def test_a_refusal_is_no_help(role: str, text: str, *, helped: bool) -> None:
    conversation = [{"role": "user", "content": PROMPT}, {"role": "assistant", "content": "HINT"}]
    assert is_helped([*conversation, {"role": role, "content": text}]) == helped
    assert not is_helped(conversation)
