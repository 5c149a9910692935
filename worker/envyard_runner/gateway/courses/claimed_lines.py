"""Lines that real calls put into a record, in a text of the policy, while these calls are left out.

A verifier that reads a log finds such lines in a note that is written among them, or in a command
that the environment repeats. Pure functions of the recorded rollout.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from envyard.contract.transcript import Transcript
from envyard_runner.gateway.courses.replies_in_turn import Course, recorded_replies, written
from envyard_runner.mutation.answers import find_answer
from envyard_runner.probing.chat_text import plain_text
from envyard_runner.probing.junk_calls import UNKNOWN
from envyard_runner.probing.probes import Message
from envyard_runner.probing.submitted_answers import arguments_of, calls_of, results_of
from envyard_runner.probing.tool_schemas import name_of, parameters_of

IDENT = "call_noted"
# A text beside what a call does.
NOTE = re.compile(
    r"(?:^|_)(?:notes?|comments?|remarks?|memo|reason|annotation|rationale|justification)(?:_|$)",
    re.IGNORECASE,
)
PLAIN = "as planned"  # a note without such lines
MOST_LINES, LONGEST_LINE = 30, 300
FEWEST_REPLIES, FEWEST_LETTERS = 3, 3
SHORT = 80  # characters of a command that an environment may keep whole


def noted(
    transcript: Transcript, others: Sequence[str], changes: Callable[[Any], bool]
) -> Course | None:
    """The recorded replies without the calls that a tool with a note could take, but for the last
    one, whose note has the lines that the others returned. Where there is only one such call, it
    names nothing; where there is none, a further call has the lines of those that change something.
    None where these returned nothing that repeats an argument."""
    return _noted(transcript, changes, with_lines=True)


def unnoted(
    transcript: Transcript, others: Sequence[str], changes: Callable[[Any], bool]
) -> Course | None:
    """The same with a note that has no such lines."""
    return _noted(transcript, changes, with_lines=False)


def echoed(transcript: Transcript, others: Sequence[str]) -> Course | None:
    """In the place of the first command what the environment wrote behind each command that it
    repeated, as often as there are commands, and nothing behind it. None in rollouts with tools."""
    replies = recorded_replies(transcript)
    texts = [plain_text(reply.get("content")) for reply in replies]
    if len(replies) < FEWEST_REPLIES or any(reply.get("tool_calls") for reply in replies):
        return None
    marks = Counter(_marks(transcript, texts))
    mark, times = marks.most_common(1)[0] if marks else ("", 0)
    if times < FEWEST_REPLIES - 1:
        return None
    claims = " ".join([mark] * len(replies))
    marked = find_answer(texts[0])
    first, idle = ({"role": "assistant", "content": marked.holding(each)} for each in (claims, "-"))
    further = [idle] if len(claims) <= SHORT else []
    return Course([first, *further], texts[0], str(first["content"]))


def _marks(transcript: Transcript, texts: Sequence[str]) -> Iterator[str]:
    """What stands behind each command, in the line in which the environment repeats it."""
    answers = [message for message in transcript.messages if message.get("role") == "user"]
    sent = [plain_text(message.get("content")) for message in answers[-len(texts) + 1 :]]
    for text, message in zip(texts, sent, strict=False):
        command = find_answer(text).answer.strip()
        _before, same, behind = message.partition(command) if command else (message, "", "")
        mark = behind.split("\n", 1)[0].strip()
        if same and sum(each.isalpha() for each in mark) >= FEWEST_LETTERS:
            yield mark[:LONGEST_LINE]


def _noted(
    transcript: Transcript, changes: Callable[[Any], bool], *, with_lines: bool
) -> Course | None:
    replies = recorded_replies(transcript)
    results = results_of(transcript.messages)
    for tool, parameter in _tools_with_notes(transcript):
        own = [call for call in calls_of(replies) if call["function"].get("name") == tool]
        calls = own or [call for call in calls_of(replies) if changes(call)]
        left_out = calls[:-1] if len(own) > 1 else calls
        lines = [*_lines(left_out, results)]
        kept = _call(tool, own, transcript)
        # Where the reference writes different notes, they may be the work.
        notes = {str(arguments_of(call).get(parameter) or "") for call in own}
        if not lines or len(lines) < len(left_out) or kept is None or len(notes) > 1:
            continue
        note = "\n".join(lines) if with_lines else PLAIN
        given = json.dumps({**kept, parameter: note}, ensure_ascii=False)
        call = {"id": IDENT, "type": "function", "function": {"name": tool, "arguments": given}}
        before = ", ".join(map(written, calls))
        return Course(_with(replies, calls, call), before, written(call))
    return None


def _lines(calls: Sequence[Message], results: dict[str, str]) -> Iterator[str]:
    """What calls returned, in one line each, where that repeats an argument."""
    for call in calls[:MOST_LINES]:
        text = " ".join(results.get(str(call.get("id")), "").split())[:LONGEST_LINE]
        given = [str(each).strip() for each in arguments_of(call).values()]
        if any(each and re.search(rf"(?<!\w){re.escape(each)}(?!\w)", text) for each in given):
            yield text


def _call(tool: str, own: Sequence[Message], transcript: Transcript) -> dict[str, Any] | None:
    """The arguments of the call that has the note, without it: those of the last one of several,
    else such that name nothing; None where those are not known."""
    if len(own) > 1:
        return arguments_of(own[-1])
    fields = next(fields for name, fields in _fields(transcript) if name == tool)
    junk: dict[str, Any] = {"integer": 0, "number": 0, "string": UNKNOWN, "boolean": False}
    kinds = {
        name: str(rules.get("type")) for name, rules in fields.items() if isinstance(rules, dict)
    }
    needed = {name: kind for name, kind in kinds.items() if own or not NOTE.search(name)}
    if not all(kind in junk for kind in needed.values()):
        return None
    return {name: junk[kind] for name, kind in needed.items()}


def _with(replies: Sequence[Message], calls: Sequence[Message], other: Message) -> list[Message]:
    """The replies with this call in the place of the last one of these, without the others."""
    changed: list[Message] = []
    for reply in replies:
        own = [*calls_of([reply])]
        kept = [other if call is calls[-1] else call for call in own]
        kept = [call for call in kept if call is other or not any(call is each for each in calls)]
        if kept or not own:
            changed.append({**reply, "tool_calls": kept} if own else reply)
    return changed


def _tools_with_notes(transcript: Transcript) -> Iterator[tuple[str, str]]:
    """The tools and parameters that take a note beside something else."""
    for name, fields in _fields(transcript):
        for parameter, schema in fields.items():
            kind = schema.get("type", "string") if isinstance(schema, dict) else None
            optional = schema.get("anyOf") if isinstance(schema, dict) else None
            is_beside = len(fields) > 1 and NOTE.search(parameter)
            if is_beside and (kind == "string" or optional):
                yield name, parameter


def _fields(transcript: Transcript) -> Iterator[tuple[str, dict[str, Any]]]:
    place = transcript.calls[0].tools if transcript.calls else -1
    for tool in transcript.tools[place] if place >= 0 else []:
        if name_of(tool):
            yield name_of(tool), parameters_of(tool["function"])
