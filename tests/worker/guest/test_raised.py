"""What the driver reports of an exception: base classes, group members, causes, the call."""

from __future__ import annotations

import json
import types
from pathlib import Path
from typing import Any

import pytest

from envyard.contract.failures import explain, facts_of
from envyard_runner.guest.events import error_of

SOURCE = """
import socket

def fetch(name, **options):
    raise socket.gaierror(-2, "Name or service not known")

def load():
    try:
        return fetch(
            "sums",
            split="train",
        )
    except OSError as error:
        raise ConnectionError("Couldn't reach 'lab/sums' on the Hub") from None

def group():
    raise ExceptionGroup("several", [KeyError("a"), FileNotFoundError(2, "gone", "uvx")])

class Odd(ImportError):
    name = __cause__ = property(lambda self: {}[0])
    def __str__(self):
        raise SystemExit
"""


def environment(folder: Path) -> Any:
    """A module of an environment that was installed into `folder`."""
    file = folder / "word_game.py"
    file.write_text(SOURCE)
    module = types.ModuleType("word_game")
    exec(compile(SOURCE, str(file), "exec"), module.__dict__)
    return module


def error_of_call(function: Any) -> dict[str, Any]:
    """The error part of the event, as it arrives."""
    with pytest.raises(Exception) as caught:  # noqa: PT011  (whatever the test's code raises)
        function()
    error = caught.value
    error.__traceback__ = error.__traceback__.tb_next if error.__traceback__ else None
    event: dict[str, Any] = json.loads(json.dumps(error_of(error)))
    return event


def test_the_call_and_a_suppressed_cause_are_reported(tmp_path: Path) -> None:
    error = error_of_call(environment(tmp_path).load)
    outer, inner = error["raised"]
    assert outer["types"][:2] == ["builtins.ConnectionError", "builtins.OSError"]
    assert inner["types"][0] == "socket.gaierror"
    assert outer["call"].startswith("raise ConnectionError")
    assert inner["call"] == 'raise socket.gaierror(-2, "Name or service not known")'
    explanation = explain(facts_of(error))
    assert explanation is not None
    assert explanation.cause == "network"
    assert f"The code at {tmp_path.name}/word_game.py:14" in explanation.message


def test_the_members_of_a_group_are_reported(tmp_path: Path) -> None:
    error = error_of_call(environment(tmp_path).group)
    group, first, second = error["raised"]
    assert (group["group"], first["group"]) == (True, False)
    assert first["message"] == "'a'"
    assert second["name"] == "uvx"
    explanation = explain(facts_of(error))
    assert explanation is not None
    assert explanation.cause == "installer"


def test_an_expression_on_several_lines_is_reported_as_one(tmp_path: Path) -> None:
    module = environment(tmp_path)
    module.fetch = lambda name, **options: {}[name]
    error = error_of_call(module.load)
    (raised,) = error["raised"]
    assert raised["types"][:2] == ["builtins.KeyError", "builtins.LookupError"]


def test_an_exception_that_misbehaves_is_reported_all_the_same(tmp_path: Path) -> None:
    module = environment(tmp_path)
    error = error_of(module.Odd("x"))
    assert error["raised"][0]["message"] == "<its text could not be made: SystemExit>"
    assert error["raised"][0]["name"] == ""


def test_a_long_chain_and_a_long_traceback_are_cut() -> None:
    first: BaseException = ValueError("first")
    for number in range(50):
        following = ValueError(f"{number} " * 5_000)
        following.__cause__ = first
        first = following
    error = error_of(first)
    assert len(error["raised"]) == 12
    assert len(json.dumps(error)) < 100_000
    assert len(error["traceback"]) <= 8_000
    assert "ValueError: first" in error["traceback"]
