"""Does a field whose name says so mark the answer among the records that tools return?

A record that a tool dumps whole may hold what its author only needs to make the task, such as
`injected`, which is null but in the record of the faulty service.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from envyard.contract.probes import ORACLE
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.mutation.answers import find_answer
from envyard_runner.probing.chat_text import plain_text
from envyard_runner.probing.submitted_answers import arguments_of, calls_of, known_answer

Message = dict[str, Any]

FEWEST_RECORDS, KEPT, LONGEST = 2, 100, 20_000
LONGEST_NAME = 200  # characters of a field's name that are read
# What fields are called that only the maker of a task needs.
TELLING = re.compile(
    r"_?(?:injected|planted|culprit|ground_?truth|truth|gold|secret|hidden|"
    r"is_?(?:answer|target|culprit|faulty|guilty|correct|root|solution|winner|fake|impostor))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class TellingField:
    """The field, its value in the record of the answer, and the answer."""

    name: str
    value: str
    answer: str


@dataclass(slots=True)
class TellingFields:
    """The references' rollouts in which a field marks the record of the answer, by name, and how
    many rollouts with records there are."""

    marked: dict[str, TellingField] = field(default_factory=dict)
    read: int = 0

    def add(self, record: Record, reference: str = "") -> None:
        """Read a rollout that ended; those of other policies are ignored. `reference` is the task's
        answer field, empty where it has none."""
        messages = record.recorder.transcript.messages
        if record.policy != ORACLE or self.read >= KEPT or not messages:
            return
        replied = plain_text(messages[-1].get("content"))
        answer = known_answer(replied, find_answer(replied).answer.strip(), reference)
        records = [*_records(messages)]
        if len(records) < FEWEST_RECORDS:
            return
        self.read += 1
        prompt = "\n".join(
            plain_text(m.get("content")) for m in messages if m.get("role") in ("system", "user")
        )
        marked = _marked(records, answer.casefold())
        if marked and not _is_asked(marked[0], prompt):
            self.marked[record.rollout] = TellingField(*marked, answer)


def has_word_of(name: str, prompt: str) -> bool:
    """Whether the prompt has a word of a field's or column's name, or one that begins like it."""
    words = [word for word in re.split(r"[_\W]+", name[:LONGEST_NAME].casefold()) if len(word) > 2]
    return any(re.search(rf"\b{re.escape(word[:5])}", prompt, re.IGNORECASE) for word in words)


def _records(messages: Sequence[Message]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects that calls with one text returned, with that text."""
    texts = {
        str(call.get("id")): value.strip().casefold()
        for call in calls_of(messages)
        if len(given := [*arguments_of(call).values()]) == 1 and isinstance(value := given[0], str)
    }
    for message in messages:
        name = texts.get(str(message.get("tool_call_id")))
        content = plain_text(message.get("content"))
        if message.get("role") != "tool" or not name or len(content) > LONGEST:
            continue
        try:
            value = json.loads(content)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield name, value


def _is_asked(field: str, prompt: str) -> bool:
    """Whether the prompt has the word of the field, as in `Which sample contains gold?`; a field
    such as `is_culprit` repeats the question itself."""
    word = field.strip("_").replace("_", "[ _-]?")
    return not word.casefold().startswith("is") and bool(
        re.search(rf"\b{word}\b", prompt, re.IGNORECASE)
    )


def _marked(records: Sequence[tuple[str, dict[str, Any]]], answer: str) -> tuple[str, str] | None:
    """The field that has a value in the record of the answer alone, and this value; None where the
    record has nothing else but its name: such a tool is there to tell."""
    own = [row for name, row in records if name == answer]
    others = [row for name, row in records if name != answer]
    if not own or not others:
        return None
    fields = {name: value for name, value in own[-1].items() if str(value).casefold() != answer}
    for name, value in fields.items() if len(fields) > 1 else ():
        if TELLING.fullmatch(name) and value and not any(row.get(name) for row in others):
            return name, str(value)
    return None
