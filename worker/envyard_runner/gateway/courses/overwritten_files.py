"""A wrong value in the file that the reference writes, and other files overwritten with nothing.

A verifier that reads its rules from files that the same tool may write finds nothing wrong where
these demand nothing. Pure functions of the recorded rollout.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from envyard.contract.transcript import Transcript
from envyard_runner.gateway.courses.replies_in_turn import (
    Course,
    first_prompts,
    recorded_replies,
)
from envyard_runner.probing.chat_text import plain_text
from envyard_runner.probing.probes import Message
from envyard_runner.probing.submitted_answers import arguments_of, calls_of, results_of
from envyard_runner.probing.tool_probes import DECIDING, FILE

IDENT = "call_emptied"
MOST_FILES, SEARCHED = 5, 20_000
DATA = re.compile(r"\.(?:json|ya?ml|csv|tsv|txt|ini|cfg|toml)$", re.IGNORECASE)
LIST = re.compile(r"cases|tests|checks|examples|rows|items|entries|list", re.IGNORECASE)
SEPARATED = re.compile(r"\.[ct]sv$", re.IGNORECASE)
DIGIT = re.compile(r"\d(?=\D*\Z)")


def miswritten(
    transcript: Transcript, others: Sequence[str], changes: Callable[[Any], bool]
) -> Course | None:
    """The recorded replies with another last digit in the last file that they write."""
    return _course(transcript, changes, further=False)


def overwritten(
    transcript: Transcript, others: Sequence[str], changes: Callable[[Any], bool]
) -> Course | None:
    """The same, and right behind it calls that leave nothing in the files of data that prompt and
    results name and the reference does not write; None where they name none."""
    return _course(transcript, changes, further=True)


def _course(
    transcript: Transcript, changes: Callable[[Any], bool], *, further: bool
) -> Course | None:
    replies = recorded_replies(transcript)
    writes = [
        (call, *parts) for call in calls_of(replies) if changes(call) and (parts := _of(call))
    ]
    files = _other_files(transcript, {path for _, path, _, _ in writes}) if writes else []
    if not writes or not files:
        return None
    call, _, path_name, text_name = writes[-1]
    given = arguments_of(call)
    text = DIGIT.sub(lambda match: str((int(match[0]) + 1) % 10), given[text_name])
    if text == given[text_name]:
        return None
    calls = [with_arguments(call, given | {text_name: text}, str(call.get("id")))]
    for place, path in enumerate(files if further else ()):
        emptied = given | {path_name: path, text_name: _emptied(path, transcript)}
        calls.append(with_arguments(call, emptied, f"{IDENT}{place}"))
    after = f"another last digit in {given[path_name]}"
    if further:
        after = f"{', '.join(files)} emptied, {after}"
    return Course(replaced(replies, call, calls), f"{given[path_name]} as it is", after)


def _of(call: Message) -> tuple[str, str, str] | None:
    """The file that a call writes, and the names of its arguments for path and content."""
    given = {name: each for name, each in arguments_of(call).items() if isinstance(each, str)}
    paths = [name for name, each in given.items() if FILE.fullmatch(each)]
    texts = [name for name in given if name not in paths]
    if len(paths) != 1 or not texts:
        return None
    return given[paths[0]], paths[0], max(texts, key=lambda name: len(given[name]))


def _other_files(transcript: Transcript, written: set[str]) -> list[str]:
    """The files of data that prompt and results name, those that may decide first."""
    results = (m for m in transcript.messages if m.get("role") == "tool")
    texts = [first_prompts(transcript), *(plain_text(m.get("content")) for m in results)]
    named = dict.fromkeys(name for text in texts for name in FILE.findall(text[:SEARCHED]))
    names = [name for name in named if DATA.search(name) and name not in written]
    return sorted(names, key=lambda name: not (DECIDING.search(name) or ".json" in name))[
        :MOST_FILES
    ]


def _emptied(path: str, transcript: Transcript) -> str:
    """A file of that name without content: of a table the first line, of JSON that was shown an
    empty value of its type."""
    shown = next(_shown(path, transcript), "")
    if SEPARATED.search(path):
        return f"{shown.splitlines()[0]}\n" if shown.strip() else "\n"
    if not path.casefold().endswith((".json", ".yaml", ".yml")):
        return "\n"
    try:
        value = json.loads(shown)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict | list):
        return json.dumps(type(value)())
    return "[]" if LIST.search(path) else "{}"


def _shown(path: str, transcript: Transcript) -> Iterator[str]:
    """What calls with this path alone returned."""
    results = results_of(transcript.messages)
    for call in calls_of(transcript.messages):
        if [*arguments_of(call).values()] == [path]:
            yield results.get(str(call.get("id")), "")


def with_arguments(call: Message, given: dict[str, Any], ident: str) -> Message:
    """The call with these arguments and this id."""
    arguments = json.dumps(given, ensure_ascii=False)
    return {**call, "id": ident, "function": {**call["function"], "arguments": arguments}}


def replaced(replies: Sequence[Message], call: Message, calls: Sequence[Message]) -> list[Message]:
    """The replies with these calls in the place of that one."""
    changed = []
    for reply in replies:
        own = [*calls_of([reply])]
        if any(each is call for each in own):
            new = [each for one in own for each in (calls if one is call else [one])]
            reply = {**reply, "tool_calls": new}
        changed.append(reply)
    return changed
