"""The reference's last call with malformed values before: does the refusal name the right ones?

A lock that answers letters with the text of its own object shows the code, and no try is spent.
Pure functions of the recorded rollout and of the conversation that follows.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Sequence
from typing import Any

from envyard.contract.transcript import Transcript, clean_message
from envyard_runner.gateway.courses.corrected_calls import (
    ANNOUNCED,
    AROUND,
    SEARCHED,
    last_judged,
    unnamed_values,
)
from envyard_runner.gateway.courses.listed_values import singled_out, without
from envyard_runner.gateway.courses.replies_in_turn import (
    Course,
    first_prompts,
    recorded_replies,
    written,
)
from envyard_runner.probing.junk_calls import WRONG
from envyard_runner.probing.probes import Message
from envyard_runner.probing.submitted_answers import arguments_of, calls_of, results_of

IDENT = "call_malformed"
KINDS = 3
DIGIT = re.compile(r"\d")
# A field of an object's text before its value; in a list of what there is, others follow it.
FIELD = re.compile(r"(?<!\w)([^\W\d]\w{0,39})=[\"']?\Z")
# What offers values or shows how one looks.
OFFERS = re.compile(
    r"\b(?:available|known|existing|possible|allowed|options?|choices?|one of|did you mean|nearest"
    r"|closest|there (?:is|are)|examples?|for instance|such as|like|between|from|to)\b|\be\.g\.",
    re.IGNORECASE,
)
BESIDE = re.compile(r"(?:[,;|/]|\bor\b|\band\b|\n[ \t]*[-*\u2022]?)[ \t]{0,3}[\"'`]?\Z")
FURTHER = re.compile(r"[\"'`]?[ \t]{0,3}(?:[,;|/\n]|\bor\b|\band\b)")


def malformed(transcript: Transcript, others: Sequence[str]) -> Course | None:
    """The recorded replies, with one call before the last that may be judged, in which the values
    that neither the prompt nor a result has named have another form: letters, none, or more digits,
    in each rollout another. None where the prompt announces corrections."""
    right = last_judged(transcript)
    unnamed, prompt = unnamed_values(transcript), first_prompts(transcript)
    if right is None or not unnamed or ANNOUNCED.search(prompt):
        return None
    kind = zlib.crc32(prompt.encode()) % KINDS
    given = arguments_of(right)
    given |= {name: _of_other_form(given[name], kind) for name in unnamed}
    function = {**right["function"], "arguments": json.dumps(given, ensure_ascii=False)}
    call = {"id": IDENT, "type": "function", "function": function}
    replies = recorded_replies(transcript)
    at = next(at for at, each in enumerate(replies) if right in (each.get("tool_calls") or ()))
    trial = {"role": "assistant", "content": "", "tool_calls": [call]}
    return Course([*replies[:at], trial, *replies[at:]], written(right), written(call))


def refusal_with_value(transcript: Transcript, messages: Sequence[Message]) -> str:
    """The result in which the malformed call got a right value alone, and the call; empty where it
    got none, or one of those that a list or an example has."""
    messages = [clean_message(message) for message in messages]
    results = results_of(messages)
    call = next((each for each in calls_of(messages) if each.get("id") == IDENT), None)
    if call is None:
        return ""
    given = filter(None, map(str, arguments_of(call).values()))
    result = without(given, results.get(IDENT, "")[:SEARCHED])
    for value, candidates in unnamed_values(transcript).values():
        if singled_out(value, result, candidates) and _names(result, value):
            place = result.casefold().find(value.casefold())
            shown = result[max(0, place - AROUND) : place + len(value)]
            return f"{shown!r} to {written(call)}"
    return ""


def _of_other_form(value: Any, kind: int) -> Any:
    """Letters, nothing, or other digits and two more; of a number always the last."""
    digits = DIGIT.sub(lambda match: str((int(match[0]) + 3) % 10), str(value)) + "07"
    if not isinstance(value, str):
        return type(value)(digits)
    return (WRONG, "", digits if DIGIT.search(value) else WRONG)[kind]


def _names(result: str, value: str) -> bool:
    """Whether a result has the value in the field of an object, or beside no other one and behind
    no word that offers values."""
    place = result.casefold().find(value.casefold())
    before, behind = result[:place], result[place + len(value) :]
    if field := FIELD.search(before):
        return len(re.findall(rf"(?<!\w){field[1]}=", result)) == 1
    if BESIDE.search(before) or FURTHER.match(behind) or before.strip() == "":
        return False
    return not OFFERS.search(before[-AROUND:])
