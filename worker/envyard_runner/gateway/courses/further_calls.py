"""Calls that change something with other tasks' arguments, where the prompt allows one such call.

A verifier that asks whether the right booking is among all bookings pays a policy that books
everything. Pure functions of the recorded rollout and of the conversation that follows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from envyard.contract.transcript import Transcript, clean_message
from envyard_runner.gateway.courses.replies_in_turn import (
    Course,
    first_prompts,
    masked,
    recorded_replies,
    written,
)
from envyard_runner.probing.probes import Message
from envyard_runner.probing.submitted_answers import arguments_of, calls_of, results_of

FURTHER = "call_further"  # with which the ids of such calls begin
MOST = 3  # calls
SENTENCE = re.compile(r"[^.!?\n]+")
VERB = re.compile(r"[a-z]+", re.IGNORECASE)  # at the beginning of a tool's name
ONCE = re.compile(
    r"\b(?:exactly|only|just) (?:one|once|a single)\b|\bone and only one\b|\bat most (?:one|once)\b"
    r"|\bno more than (?:one|once)\b|\b(?:no|nothing|none of the|not any) others?\b",
    re.IGNORECASE,
)


def changing_value(replies: Sequence[Message], changes: Callable[[Any], bool]) -> str:
    """The only argument of the only call that changes something; empty where there is no such
    call, or it has another number of arguments."""
    calls = [call for call in calls_of(replies) if changes(call)]
    arguments = [*arguments_of(calls[0]).values()] if len(calls) == 1 else []
    value = arguments[0] if len(arguments) == 1 else ""
    return value.strip() if isinstance(value, str) else ""


def further_calls(
    transcript: Transcript, others: Sequence[str], changes: Callable[[Any], bool]
) -> Course | None:
    """The recorded replies, and behind the only call that changes something the same with the
    arguments of `others`."""
    replies = recorded_replies(transcript)
    value = changing_value(replies, changes)
    wrong = [other for other in dict.fromkeys(others) if other and other != value][:MOST]
    if not value or not wrong:
        return None
    at = next(at for at, reply in enumerate(replies) if any(map(changes, calls_of([reply]))))
    call = next(call for call in calls_of([replies[at]]) if changes(call))
    if not _allows_one(first_prompts(transcript), str(call["function"].get("name"))):
        return None
    (parameter,) = arguments_of(call)
    calls = [
        {
            "id": f"{FURTHER}{place}",
            "type": "function",
            "function": {**call["function"], "arguments": json.dumps({parameter: other})},
        }
        for place, other in enumerate(wrong)
    ]
    further = {"role": "assistant", "content": "", "tool_calls": calls}
    after = ", ".join(map(written, [call, *calls]))
    return Course([*replies[: at + 1], further, *replies[at + 1 :]], written(call), after)


def _allows_one(prompt: str, tool: str) -> bool:
    """Whether a sentence says that what the tool does is to be done once. What something does of
    itself, as in `Only one door opens`, may be tried again."""
    verb = VERB.match(tool)
    return verb is not None and any(
        ONCE.search(each) and re.search(rf"\b{verb[0]}(?!s\b)", each, re.IGNORECASE)
        for each in SENTENCE.findall(prompt)
    )


def are_performed(messages: Sequence[Message]) -> bool:
    """Whether each further call got the result that the right one got, but for its argument: a
    tool that refuses it, or says that it takes another one's place, performs something else."""
    messages = [clean_message(message) for message in messages]
    results = results_of(messages)
    calls = [*calls_of(messages)]
    further = [call for call in calls if str(call.get("id")).startswith(FURTHER)]
    if not further:
        return False
    name = further[0]["function"].get("name")
    first = next(call for call in calls if call["function"].get("name") == name)
    returned = [masked([call], results.get(str(call.get("id")), "")) for call in (first, *further)]
    return "" not in returned and len({*returned}) == 1
