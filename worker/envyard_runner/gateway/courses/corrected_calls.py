"""The reference's last call with wrong arguments before: does a result name the right ones?

A ticket that may be filed again, and says which device had the fault, leaves nothing to find. Pure
functions of the recorded rollout and of the conversation that follows.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from envyard.contract.transcript import Transcript, clean_message
from envyard_runner.gateway.courses.listed_values import (
    is_alternative,
    listed_with,
    singled_out,
    without,
)
from envyard_runner.gateway.courses.replies_in_turn import (
    Course,
    first_prompts,
    recorded_replies,
    written,
)
from envyard_runner.probing.chat_text import plain_text
from envyard_runner.probing.probes import Message
from envyard_runner.probing.submitted_answers import arguments_of, calls_of, results_of
from envyard_runner.probing.tool_schemas import LOOKUP, SHOWS, name_of, parameters_of

IDENT = "call_wrong"  # with which the ids of wrong calls begin
WHOLLY_WRONG, MOST_CALLS = 2, 4
SHORTEST, LONGEST = 3, 80  # characters of an argument; a shorter one is in a result by chance
SEARCHED, AROUND = 5_000, 40  # characters of a result, and of an excerpt before a value
# Texts and queries, of which many are as right.
FREE = re.compile(
    r"reason|note|comment|message|text|body|content|description|subject|title|summary|remark"
    r"|sql|query|statement|expression|formula|command|script|regex|keyword|search|url|path",
    re.IGNORECASE,
)
# Where the prompt says that a wrong value is corrected.
ANNOUNCED = re.compile(
    r"\bhints?\b|\b(?:shows?|tells?|names?|reveals?|says?|gives?)(?: you)? (?:the|what is)"
    r" (?:right|correct)\b|\bcorrects? (?:you|it|wrong)\b",
    re.IGNORECASE,
)


def last_judged(transcript: Transcript) -> Message | None:
    """The last call that may be judged: of a tool with arguments that looks nothing up by its
    name; None where the rollout has none."""
    calls = [
        call
        for call in calls_of(recorded_replies(transcript))
        if arguments_of(call) and not LOOKUP.match(_name(call)) and not SHOWS.search(_name(call))
    ]
    return calls[-1] if calls else None


def judged_arguments(transcript: Transcript) -> str:
    """The last call that may be judged as JSON, for the courses of other tasks; empty without."""
    call = last_judged(transcript)
    return json.dumps({"name": _name(call), "given": arguments_of(call)}) if call else ""


def corrected(transcript: Transcript, others: Sequence[str]) -> Course | None:
    """The recorded replies, with wrong calls before the last one that may be judged: two that are
    wrong in all values that neither the prompt nor a result has named, then one for each of
    several. `others` are the calls of other tasks, by `judged_arguments`."""
    right = last_judged(transcript)
    unnamed = unnamed_values(transcript)
    if right is None or not unnamed or ANNOUNCED.search(first_prompts(transcript)):
        return None
    wrong = {name: _wrong_values(transcript, right, name, others) for name in unnamed}
    wrong = {name: values for name, values in wrong.items() if values}
    changes = [{name: values[at % len(values)] for name, values in wrong.items()} for at in (0, 1)]
    changes += [{name: values[0]} for name, values in wrong.items()] if len(wrong) > 1 else []
    distinct = [each for at, each in enumerate(changes) if each and each not in changes[:at]]
    if not distinct:
        return None
    calls: list[Message] = []
    for place, change in enumerate(distinct[:MOST_CALLS]):
        given = json.dumps({**arguments_of(right), **change}, ensure_ascii=False)
        function = {**right["function"], "arguments": given}
        calls.append({"id": f"{IDENT}{place}", "type": "function", "function": function})
    replies = recorded_replies(transcript)
    at = next(at for at, each in enumerate(replies) if right in (each.get("tool_calls") or ()))
    tries = {"role": "assistant", "content": "", "tool_calls": calls}
    after = ", ".join(map(written, calls))
    return Course([*replies[:at], tries, *replies[at:]], written(right), after)


def correction(transcript: Transcript, messages: Sequence[Message]) -> str:
    """The result in which a wrong call got a right value that it did not give, and the call; empty
    where none did. `messages` are the conversation of the course, as the environment sent it."""
    messages = [clean_message(message) for message in messages]
    unnamed, results = unnamed_values(transcript), results_of(messages)
    for call in calls_of(messages):
        if not str(call.get("id")).startswith(IDENT):
            continue
        given = arguments_of(call)
        result = results.get(str(call.get("id")), "")[:SEARCHED]
        result = without(map(str, given.values()), result)
        for name, (value, candidates) in unnamed.items():
            is_wrong = str(given.get(name)).casefold() != value.casefold()
            named = singled_out(value, result, candidates) and not is_alternative(value, result)
            if is_wrong and named:
                place = result.casefold().find(value.casefold())
                shown = result[max(0, place - AROUND) : place + len(value)]
                return f"{shown!r} to {written(call)}"
    return ""


def unnamed_values(transcript: Transcript) -> dict[str, tuple[str, list[str]]]:
    """The arguments of the last call that may be judged which neither the prompt nor an earlier
    result gives, by name: each as text, with the values of the list that the prompt or the tool's
    description has of it. A value that is one of such a list is not given."""
    right = last_judged(transcript)
    if right is None:
        return {}
    texts, shown = [first_prompts(transcript)], [*_earlier_results(transcript, right)]
    unnamed = {}
    for name, given in arguments_of(right).items():
        value, schema = str(given).strip(), _schema(transcript, right, name)
        is_plain = isinstance(given, str | int | float) and not isinstance(given, bool)
        options = schema.get("enum")
        listed = [*map(str, options)] if isinstance(options, list) else []
        if not is_plain or not SHORTEST <= len(value) <= LONGEST:
            continue
        if FREE.search(name) and not listed:
            continue
        described = [*texts, *_descriptions(transcript, right, schema)]
        candidates = [*dict.fromkeys([*listed, *listed_with(value, described)])]
        if not any(singled_out(value, text, candidates) for text in [*texts, *shown]):
            unnamed[name] = value, candidates
    return unnamed


def _wrong_values(
    transcript: Transcript, right: Message, name: str, others: Sequence[str]
) -> list[Any]:
    """Values of the same kind that are not right: of a list of candidates, else of other tasks or
    with another last digit; others first in each task."""
    given = arguments_of(right)[name]
    value, candidates = unnamed_values(transcript)[name]
    wrong: list[Any] = [each for each in candidates if each.casefold() != value.casefold()]
    if wrong:
        start = zlib.crc32(first_prompts(transcript).encode()) % len(wrong)
        wrong = [*wrong[start:], *wrong[:start]]
    else:
        wrong = [*_values_of(others, _name(right), name)]
        wrong += [re.sub(r"\d(?=\D*$)", lambda match: str((int(match[0]) + 1) % 10), value)]
    kept: list[Any] = []
    for each in wrong:
        try:
            other = type(given)(each)
        except (TypeError, ValueError, OverflowError):
            continue
        if str(other).casefold() != value.casefold() and other not in kept:
            kept.append(other)
    return kept[:WHOLLY_WRONG]


def _values_of(others: Sequence[str], tool: str, name: str) -> Iterator[Any]:
    for text in dict.fromkeys(others):
        call = json.loads(text) if text else {}
        given = call.get("given") if call.get("name") == tool else None
        if isinstance(given, dict) and isinstance(given.get(name), str | int | float):
            yield given[name]


def _earlier_results(transcript: Transcript, right: Message) -> Iterator[str]:
    """What the calls before this one returned, without the values that they gave, and what the
    environment sent between them."""
    calls: dict[str, Message] = {}
    for node in transcript.nodes:
        message = node.message
        if right in (message.get("tool_calls") or ()):
            return
        calls |= {str(call.get("id")): call for call in calls_of([message])}
        text = plain_text(message.get("content"))[:SEARCHED]
        if message.get("role") == "tool":
            call = calls.get(str(message.get("tool_call_id")))
            yield without(map(str, arguments_of(call).values()) if call else (), text)
        elif message.get("role") == "user":
            yield text


def _tool(transcript: Transcript, call: Message) -> Mapping[str, Any]:
    place = transcript.calls[0].tools
    offered = transcript.tools[place] if place >= 0 else []
    tool = next((each for each in offered if name_of(each) == _name(call)), {})
    function = tool.get("function")
    return function if isinstance(function, dict) else {}


def _schema(transcript: Transcript, call: Message, name: str) -> Mapping[str, Any]:
    schema = parameters_of(dict(_tool(transcript, call))).get(name)
    return schema if isinstance(schema, dict) else {}


def _descriptions(
    transcript: Transcript, call: Message, schema: Mapping[str, Any]
) -> Iterator[str]:
    for described in (_tool(transcript, call), schema):
        if isinstance(text := described.get("description"), str):
            yield text


def _name(call: Message) -> str:
    return str(call["function"].get("name"))
