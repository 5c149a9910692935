"""Does a record that a tool returns for what the prompt names hold an answer to be worked out?

Where a prompt has rules by which the answer is to be worked out, no field of a record should hold
the result. Pure functions of a conversation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from itertools import takewhile
from typing import Any

from envyard.contract.probes import SNOOP
from envyard_runner.conversation_checks.telling_fields import has_word_of
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.mutation.answers import find_answer
from envyard_runner.probing.chat_text import plain_text
from envyard_runner.probing.named_calls import is_named_call, is_quoted_call
from envyard_runner.probing.submitted_answers import calls_of, results_of

Message = dict[str, Any]

# What says that an answer is to be worked out.
COMPUTED = re.compile(
    r"\bround(?:ed|ing)?\b(?= (?:to|up|down|off|it|the|each|all|half)\b)"
    r"|\bcalculat(?:e|es|ed|ing|ion)\b|\bcomput(?:e|es|ed|ing|ation)\b|\bwork out\b"
    r"|\brules?:[^?]{0,300}?(?:\d ?%|\w [*x\u00d7+] \w|\b(?:times|plus|minus)\b)"
    r"|\bformula\b|\badd up\b",
    re.IGNORECASE,
)
FEWEST_FIELDS, SHORTEST = 3, 3  # an answer of fewer characters is there by chance
LONGEST = 20_000  # characters of a record


@dataclass(frozen=True, slots=True)
class ComputedField:
    """The tool, and the field of its record that holds the answer."""

    tool: str
    name: str
    answer: str


@dataclass(slots=True)
class ComputedFields:
    """The rollouts of `snoop` in which a record held the answer, by name, and how many rollouts
    got a record for an identifier of their prompt."""

    shown: dict[str, ComputedField] = field(default_factory=dict)
    read: int = 0

    def add(self, record: Record, reference: str = "") -> None:
        """Read a rollout that ended; those of other policies are ignored. `reference` is the task's
        answer field or what its reference replies with, empty where it has none."""
        messages = record.recorder.transcript.messages
        answer = find_answer(reference).answer.strip()
        if record.policy != SNOOP or len(answer) < SHORTEST:
            return
        opening = takewhile(lambda message: message.get("role") != "assistant", messages)
        prompts = [plain_text(m.get("content")) for m in opening]
        records = [*_records(messages)]
        if not records or not any(map(COMPUTED.search, prompts)):
            return
        question = prompts[-1]
        self.read += 1
        for tool, row in records:
            for name, value in row.items():
                if _same(value, answer) and not has_word_of(name, question):
                    self.shown[record.rollout] = ComputedField(tool, name, answer)


def _records(messages: Sequence[Message]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects that these calls returned, with the names of their tools."""
    results = results_of(messages)
    for call in calls_of(messages):
        if not is_named_call(call.get("id")) or is_quoted_call(call.get("id")):
            continue
        content = results.get(str(call.get("id")), "")
        try:
            value = json.loads(content) if len(content) <= LONGEST else None
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and len(value) >= FEWEST_FIELDS:
            yield str(call["function"].get("name")), value


def _same(value: Any, answer: str) -> bool:
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        return False
    if str(value).strip().casefold() == answer.casefold():
        return True
    try:
        return Decimal(str(value)) == Decimal(answer)
    except InvalidOperation:
        return False
