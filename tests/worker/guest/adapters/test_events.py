"""What becomes of values on their way into an event, and of a driver's last words."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from envyard_runner.guest import supervise
from envyard_runner.guest.events import MAX_LINE, Events, clean, encode, error_of

BEGAN = ["driver_started", "environment_began"]


class Unprintable(Exception):
    def __str__(self) -> str:
        raise ValueError("no")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (float("nan"), None),
        (float("-inf"), None),
        (10**30, None),
        (True, True),
        ({1: {2: (3, object())}}, {"1": {"2": [3, "<object>"]}}),
        ("x" * 20_005, "x" * 20_000 + "…[5 more]"),
        (b"bytes", "<bytes>"),
    ],
)
def test_any_value_becomes_plain_json(value: Any, expected: Any) -> None:
    assert clean(value) == expected


def test_values_nested_without_end_are_cut() -> None:
    loop: list[Any] = []
    loop.append(loop)
    assert "<list>" in json.dumps(clean(loop))


def test_a_line_is_never_longer_than_its_limit() -> None:
    messages = [{"role": "user", "content": "ü" * 100_000}] * 1_000
    line = encode({"event": "rollout", "rollout": "model/0/0", "messages": messages})
    assert len(line) <= MAX_LINE
    assert json.loads(line)["rollout"] == "model/0/0"
    wide = {"event": "rollout", "rollout": "a", "x": [["y" * 90] * 400] * 400}
    assert json.loads(encode(wide))["rollout"] == "a"


def test_lone_surrogates_do_not_break_a_line() -> None:
    assert json.loads(encode({"event": "x", "text": "\ud800"}))["event"] == "x"


def test_an_exception_that_cannot_be_printed_is_reported() -> None:
    error = error_of(Unprintable())
    assert (error["type"], error["fault"]) == ("Unprintable", "environment")
    assert "ValueError" in error["message"]


def test_events_go_to_the_inherited_pipe_and_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    monkeypatch.setenv("ENVYARD_EVENTS_FD", str(writing))
    Events.inherited().emit("loaded", seconds=1.5)
    assert os.read(reading, 100) == b'{"event":"loaded","seconds":1.5}\n'
    assert not os.get_inheritable(writing)
    assert "ENVYARD_EVENTS_FD" not in os.environ
    os.close(reading)
    os.close(writing)


@pytest.mark.parametrize(
    ("events", "status", "stage", "message"),
    [
        ([], -9, "start", "the driver's process was killed by signal 9"),
        (["driver_started"], 1, "framework", "the driver's process ended with status 1"),
        (BEGAN, -9, "import", "the environment's process was killed by signal 9"),
        ([*BEGAN, "imported"], 3, "load", "the environment's process ended with status 3"),
        ([*BEGAN, "imported", "loaded"], 0, "run", "the environment's process ended with status 0"),
        ([*BEGAN, "driver_started"], 0, "import", "the environment's process ended with status 0"),
    ],
)
def test_a_driver_that_ends_without_an_event_is_reported_with_its_stage(
    events: list[str], status: int, stage: str, message: str
) -> None:
    progress = supervise.DriverProgress()
    for event in events:
        progress.note({"event": event})
    fatal = progress.cut_short(status)
    assert (fatal["stage"], fatal["error"]["message"]) == (stage, message)


@pytest.mark.parametrize("line", [b"", b"{", b"[]", b'{"event": 3}', b"\xff", b"[" * 100_000])
def test_lines_that_are_no_events_end_nobody(line: bytes) -> None:
    assert supervise.parse(line) is None
