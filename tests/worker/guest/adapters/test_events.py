"""What becomes of values on their way into an event."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from envyard_runner.guest.events import MAX_LINE, Events, clean, encode, error_of


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


@pytest.mark.slow
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


def test_events_go_to_the_inherited_descriptor_and_no_further() -> None:
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    Events(writing).emit("loaded", seconds=1.5)
    assert os.read(reading, 100) == b'{"event":"loaded","seconds":1.5}\n'
    assert not os.get_inheritable(writing)
    os.close(reading)
    os.close(writing)
