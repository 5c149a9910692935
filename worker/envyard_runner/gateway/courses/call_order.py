"""The calls that set values in another order."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from envyard.contract.transcript import Transcript
from envyard_runner.gateway.courses.replies_in_turn import (
    Course,
    first_prompts,
    recorded_replies,
    written,
)
from envyard_runner.mutation.open_forms import ORDER_IMPLIED
from envyard_runner.probing.probes import Message

FEWEST_SETTINGS = 2
# Tools that set one value, whose order means nothing unless the prompt speaks of one: a turn to the
# left and one to the right are moves.
SETTING = re.compile(
    r"(?:set|assign|label|tag|mark|enable|disable|(?:switch|turn)_(?:on|off))(?![a-z])",
    re.IGNORECASE,
)


def call_order(transcript: Transcript, others: Sequence[str]) -> Course | None:
    """The calls that set values in reverse order, each of something else, where the prompt speaks
    of no order."""
    replies = recorded_replies(transcript)
    calls = [call for reply in replies for call in reply.get("tool_calls") or () if _sets(call)]
    names = {call["function"]["name"] for call in calls}
    targets = {_target(call) for call in calls}
    if len(calls) < FEWEST_SETTINGS or len(names) > 1 or len(targets) < len(calls):
        return None
    if "" in targets or ORDER_IMPLIED.search(first_prompts(transcript)):
        return None
    reversed_arguments = iter([call["function"]["arguments"] for call in calls][::-1])
    before = ", ".join(map(written, calls))
    return Course(
        [_reordered(reply, reversed_arguments) for reply in replies],
        before,
        "the same in reverse order",
    )


def _sets(call: Any) -> bool:
    """Whether a call sets a value, by its tool's name; one of an unusual shape does not."""
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("arguments"), str):
        return False
    return SETTING.match(str(function.get("name"))) is not None


def _target(call: Message) -> str:
    """The first argument of a call; empty where it has none."""
    try:
        given = json.loads(call["function"]["arguments"])
    except (ValueError, RecursionError):
        return ""
    return str(next(iter(given.values()), "")) if isinstance(given, dict) else ""


def _reordered(reply: Message, arguments: Iterator[str]) -> Message:
    """The reply whose calls that set values have the next arguments."""
    if not reply.get("tool_calls"):
        return reply
    calls = [
        {**call, "function": {**call["function"], "arguments": next(arguments)}}
        if _sets(call)
        else call
        for call in reply["tool_calls"]
    ]
    return {**reply, "tool_calls": calls}
