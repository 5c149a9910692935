"""Answers that a reference passes to a tool: the only argument of the last call of its rollout.

Its last reply is then a sentence such as "It is done.". Pure functions of a conversation.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from envyard_runner.probing.chat_text import plain_text

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Submission:
    """The name of a tool, and the only argument of the call as text."""

    tool: str
    value: str


def last_submission(messages: Sequence[Message]) -> Submission | None:
    """That of the last call; None where there is no call, or it has not exactly one argument."""
    last = None
    for call in calls_of(messages):
        last = call
    arguments = [*arguments_of(last).values()] if last else []
    if len(arguments) != 1 or isinstance(arguments[0], bool | dict | list | None):
        return None
    return Submission(str(last["function"].get("name")), str(arguments[0])) if last else None


def is_submitted(messages: Sequence[Message], field: str) -> bool:
    """Whether the last call passes the task's answer field to a tool."""
    last = last_submission(messages)
    return last is not None and bool(field.strip()) and _same(last.value, field)


def known_answer(reply: str, answer: str, field: str) -> str:
    """The answer of a right reply; the task's field where the reply marks none, because a tool may
    get the answer."""
    return field.strip() if field.strip() and answer.strip() == reply.strip() else answer.strip()


def calls_of(messages: Sequence[Message]) -> Iterator[Message]:
    """The tool calls of all replies, in order; what has another shape is left out."""
    for message in messages:
        calls = message.get("tool_calls") if message.get("role") == "assistant" else ()
        for call in calls if isinstance(calls, list | tuple) else ():
            if isinstance(call, dict) and isinstance(call.get("function"), dict):
                yield call


def results_of(messages: Sequence[Message]) -> dict[str, str]:
    """The texts of tool results, by the ids of their calls."""
    return {
        str(message.get("tool_call_id")): plain_text(message.get("content"))
        for message in messages
        if message.get("role") == "tool"
    }


def arguments_of(call: Message) -> dict[str, Any]:
    """The arguments of a call; empty where they are no object in JSON."""
    try:
        given = json.loads(str(call["function"].get("arguments")))
    except (ValueError, RecursionError):
        return {}
    return given if isinstance(given, dict) else {}


def _same(value: str, field: str) -> bool:
    return value.strip().casefold() == field.strip().casefold()
