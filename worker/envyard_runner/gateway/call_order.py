"""The calls that set values in another order."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from envyard.contract.transcript import Transcript
from envyard_runner.gateway.probes import Message
from envyard_runner.gateway.replies_in_turn import (
    Course,
    first_prompts,
    recorded_replies,
    written,
)
from envyard_runner.mutation.leeway import ORDER_IMPLIED

FEWEST_SETTINGS = 2
# Tools that set one value, whose order means nothing unless the prompt speaks of one.
SETTING = re.compile(
    r"(?:set|assign|label|tag|mark|record|enable|disable|switch|turn)(?![a-z])", re.IGNORECASE
)


def call_order(transcript: Transcript, others: Sequence[str]) -> Course | None:
    """The calls that set values in reverse order, each of something else, where the prompt speaks
    of no order."""
    replies = [dict(reply) for reply in recorded_replies(transcript)]
    calls = [call for reply in replies for call in reply.get("tool_calls") or ()]
    setting = [call["function"] for call in calls if SETTING.match(str(call["function"]["name"]))]
    names = {function["name"] for function in setting}
    targets = {_first_value(function) for function in setting}
    if len(setting) < FEWEST_SETTINGS or len(names) > 1 or len(targets) < len(setting):
        return None
    if "" in targets or ORDER_IMPLIED.search(first_prompts(transcript)):
        return None
    reversed_calls = iter([function["arguments"] for function in setting][::-1])
    for reply in replies:
        if reply.get("tool_calls"):
            reply["tool_calls"] = [_with_next(call, reversed_calls) for call in reply["tool_calls"]]
    before = ", ".join(written(call) for call in calls if SETTING.match(call["function"]["name"]))
    return Course(replies, before, "the same in reverse order")


def _first_value(function: Message) -> str:
    """The first argument of a call; empty where it has none."""
    try:
        given = json.loads(str(function.get("arguments")))
    except ValueError:
        return ""
    return str(next(iter(given.values()), "")) if isinstance(given, dict) else ""


def _with_next(call: Message, arguments: Iterator[str]) -> Message:
    """The call with the next arguments, if it sets a value."""
    if not SETTING.match(str(call["function"]["name"])):
        return call
    return {**call, "function": {**call["function"], "arguments": next(arguments)}}
