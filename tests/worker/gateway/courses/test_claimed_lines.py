"""Lines of calls in a note or a command, without the calls."""

from __future__ import annotations

from typing import Any

import pytest

from envyard.contract.transcript import Transcript
from envyard_runner.gateway.courses.registry import COURSES
from envyard_runner.gateway.openai import Call
from envyard_runner.gateway.reply import Reply
from envyard_runner.gateway.rollout_records import Record
from tests.worker.gateway.courses.test_courses import given, played, tool_call


def tool(name: str, **fields: Any) -> dict[str, Any]:
    kinds = {field: {"type": kind} for field, kind in fields.items()}
    return {"type": "function", "function": {"name": name, "parameters": {"properties": kinds}}}


POUR = tool("pour", tank="string", litres="integer", note="string")


def poured(*notes: str, result: str = "tank K gets 40") -> Transcript:
    given_notes = [{"note": note} if note else {} for note in notes]
    calls = [
        {**tool_call("pour", tank="K", litres=40, **note), "id": f"call_{place}"}
        for place, note in enumerate(given_notes)
    ]
    return played("Fill the tanks.", *calls, "Done.", tools=[POUR], result=result)


def test_the_last_call_gets_the_lines_of_the_others_in_its_note() -> None:
    assert given("noted", poured("", "", "")) == [
        ("pour", "K", 40, "tank K gets 40\ntank K gets 40"),
        "Done.",
    ]
    assert given("unnoted", poured("", "", "")) == [("pour", "K", 40, "as planned"), "Done."]


def test_a_single_call_names_nothing_but_its_line() -> None:
    (call, last) = given("noted", poured("as ordered"))
    assert call[1:] == (0, "tank K gets 40") or call[2:] == (0, "tank K gets 40")
    assert call[1] != "K"
    assert last == "Done."


def test_a_tool_for_comments_gets_the_lines_of_calls_that_change_something() -> None:
    comment = tool("add_line", journal="string", comment="string")
    calls = [tool_call("read_journal", day="K"), tool_call("move_box", box="K", shelf=3)]
    transcript = played("Sort.", *calls, "Done.", tools=[comment], result="K: 3")
    look, call, last = given("noted", transcript)
    assert (look, last) == (("read_journal", "K"), "Done.")
    assert call[0] == "add_line"
    assert call[-1] == "K: 3"


@pytest.mark.parametrize(
    "transcript",
    [
        poured("", "", result="ok"),  # a result that repeats nothing is no line of a call
        poured("ward 3 is cold", "ward 4 is warm"),  # the notes are the work
        played(
            "Tell.", tool_call("write", text="K"), "Done.", tools=[tool("write", note="string")]
        ),
        played("Tell.", "K"),
    ],
)
def test_no_lines_where_notes_are_the_work_or_calls_leave_none(transcript: Transcript) -> None:
    assert COURSES["noted"](transcript, ()) is None
    assert COURSES["unnoted"](transcript, ()) is None


def dialogue(*pairs: tuple[str, str]) -> Transcript:
    """A rollout of these replies, each with what the environment writes next."""
    record = Record("oracle/0/0", "oracle")
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Mix it with <do>...</do>."}]
    for reply, message in pairs:
        answer = Reply(content=[reply], tool_calls={}, finish_reason="stop")
        record.add(Call([*messages], [], False, False, {}), answer, 0.1)
        messages += [answer.message, {"role": "user", "content": message}]
    return record.recorder.transcript


def test_what_is_written_behind_commands_is_given_as_a_command() -> None:
    pairs = [(f"<do>{word}</do>", f"[1] {word} ... DONE") for word in ("tare", "weigh", "fill")]
    assert given("echoed", dialogue(*pairs)) == [
        "<do>... DONE ... DONE ... DONE</do>",
        "<do>-</do>",
    ]


@pytest.mark.parametrize("message", ["", "Done: {}", "next", "{}: 3"])
def test_nothing_is_given_where_no_words_stand_behind_commands(message: str) -> None:
    pairs = [(f"<do>{word}</do>", message.format(word)) for word in ("tare", "weigh", "fill")]
    assert COURSES["echoed"](dialogue(*pairs), ()) is None


def test_short_rollouts_and_rollouts_with_tools_have_no_such_command() -> None:
    pairs = [(f"<do>{word}</do>", f"{word} ... DONE") for word in ("tare", "weigh")]
    assert COURSES["echoed"](dialogue(*pairs), ()) is None
    assert COURSES["echoed"](poured("", ""), ()) is None
