"""The last call that changes something, with another number or code than the prompt names.

A verifier that asks whether a refund was made pays a refund of another amount. Pure functions of
the recorded rollout.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from envyard.contract.transcript import Transcript
from envyard_runner.gateway.courses.replies_in_turn import (
    Course,
    first_prompts,
    recorded_replies,
    written,
)
from envyard_runner.probing.submitted_answers import arguments_of, calls_of

CODE = re.compile(r"(?=[\w./:-]{0,80}\d)\w{1,20}(?:[-_./:]\w{1,20}){0,4}")  # has a digit
# Texts that a tool keeps and no verifier need read.
TEXT = re.compile(r"reason|note|comment|message|text|body|description|subject|title", re.IGNORECASE)
# Where the prompt leaves something open, another one may be as right.
OPEN = re.compile(
    r"\b(?:any|some|either|whichever|about|roughly|approximately|around|at least|at most|up to"
    r"|between|within|choose|pick|your choice)\b",
    re.IGNORECASE,
)


def other_argument(
    transcript: Transcript, _: Sequence[str], changes: Callable[[Any], bool]
) -> Course | None:
    """The recorded replies, in which the last call that changes something has another argument:
    one that the prompt names, changed to one that it does not name; of several, another one in
    each rollout. None where the prompt leaves it open."""
    replies = recorded_replies(transcript)
    prompt = first_prompts(transcript)
    calls = [call for call in calls_of(replies) if changes(call)]
    if not calls or OPEN.search(prompt):
        return None
    call = calls[-1]
    arguments = arguments_of(call)
    changed = [*_changed(arguments, prompt)]
    if not changed:
        return None
    name, value = random.Random(prompt).choice(changed)  # noqa: S311  (repeatable on purpose)
    given = json.dumps({**arguments, name: value}, ensure_ascii=False)
    other = {**call, "function": {**call["function"], "arguments": given}}
    return Course([_with(reply, call, other) for reply in replies], written(call), written(other))


def _changed(arguments: dict[str, Any], prompt: str) -> Iterator[tuple[str, Any]]:
    """The names of arguments that the prompt has, with other values that it has not."""
    for name, value in arguments.items():
        if TEXT.search(name) or isinstance(value, bool) or not isinstance(value, int | str):
            continue
        text = str(value).strip()
        after = _with_other_digit(text) if CODE.fullmatch(text) else ""
        if after and _has(prompt, text) and not _has(prompt, after):
            yield name, int(after) if isinstance(value, int) else after


def _with_other_digit(text: str) -> str:
    """The text with the next last digit."""
    return re.sub(r"\d(?=\D*$)", lambda match: str((int(match[0]) + 1) % 10), text)


def _has(prompt: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(text)}(?!\w)", prompt) is not None


def _with(reply: dict[str, Any], call: Any, other: Any) -> dict[str, Any]:
    """A reply with another call in the place of this one."""
    calls = reply.get("tool_calls")
    if not isinstance(calls, list):
        return reply
    return {**reply, "tool_calls": [other if each is call else each for each in calls]}
