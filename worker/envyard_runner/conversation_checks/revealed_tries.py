"""Does a tool that takes no argument show what the reference finds by trying?

`snoop` calls such tools first. A status that contains the combination of a vault makes the tries
needless; a list of what may be tried contains the values of earlier tries too, and is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from envyard.contract.probes import ORACLE, SNOOP
from envyard_runner.gateway.courses.replies_in_turn import masked
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.probing.chat_text import plain_text
from envyard_runner.probing.junk_calls import is_bare_call
from envyard_runner.probing.submitted_answers import (
    arguments_of,
    calls_of,
    last_submission,
    results_of,
)

Message = dict[str, Any]

SHORTEST, LONGEST = 3, 80  # characters of a value
SEARCHED, KEPT, AROUND = 5_000, 100, 60


@dataclass(frozen=True, slots=True)
class Tries:
    """The values that a reference passed to one tool, the last one with another result than all
    before it, and the tools that it called or that its prompt names."""

    value: str
    earlier: frozenset[str]
    called: frozenset[str]
    prompt: str

    def needs(self, tool: str) -> bool:
        """Whether the reference calls this tool, or the prompt names it."""
        return tool in self.called or _named(tool, self.prompt) is not None


@dataclass(frozen=True, slots=True)
class RevealedTry:
    """The tool that takes nothing, its result around the value, and the value."""

    tool: str
    shown: str
    value: str


@dataclass(slots=True)
class RevealedTries:
    """Results of tools that `snoop` called without arguments, by rollout, and the tries of the
    references, by task."""

    results: dict[str, dict[str, str]] = field(default_factory=dict)
    tries: dict[str, Tries] = field(default_factory=dict)

    def add(self, record: Record) -> None:
        """Read a rollout that ended; those of other policies are ignored."""
        messages, task = record.recorder.transcript.messages, record.rollout.split("/")[1]
        if record.policy == SNOOP and len(self.results) < KEPT:
            self.results[record.rollout] = _bare_results(messages)
        elif record.policy == ORACLE and (tries := _tries(messages)):
            self.tries.setdefault(task, tries)

    @property
    def revealed(self) -> dict[str, RevealedTry]:
        """By rollout of `snoop`, where a tool that the reference does not call, and its prompt does
        not name, shows its last value, and neither an earlier one nor that of another task."""
        values = {tries.value for tries in self.tries.values()}
        revealed = {}
        for rollout, results in self.results.items():
            if tries := self.tries.get(rollout.split("/")[1]):
                others = (tries.earlier | values) - {tries.value}
                for tool, result in results.items():
                    match = _named(tries.value, result)
                    if (
                        match
                        and not tries.needs(tool)
                        and not any(_named(other, result) for other in others)
                    ):
                        shown = result[max(0, match.start() - AROUND) : match.end() + AROUND]
                        revealed[rollout] = RevealedTry(tool, shown, tries.value)
        return revealed


def _bare_results(messages: Sequence[Message]) -> dict[str, str]:
    names = {
        call.get("id"): str(call["function"].get("name"))
        for call in calls_of(messages)
        if is_bare_call(call.get("id"))
    }
    return {
        names[message.get("tool_call_id")]: plain_text(message.get("content"))[:SEARCHED]
        for message in messages
        if message.get("role") == "tool" and message.get("tool_call_id") in names
    }


def _tries(messages: Sequence[Message]) -> Tries | None:
    """None where the last call is not the last of several values of one tool, where its result is
    that of an earlier one, as of moves to several places, or where the prompt or a result of the
    rollout names the value."""
    last = last_submission(messages)
    if last is None or not SHORTEST <= len(last.value) <= LONGEST:
        return None
    calls = [*calls_of(messages)]
    same = [call for call in calls if str(call["function"].get("name")) == last.tool]
    given = [[*map(str, arguments_of(call).values())] for call in same]
    earlier = {values[0] for values in given if len(values) == 1} - {last.value}
    if not earlier or not _succeeds(same, messages):
        return None
    texts = [plain_text(m.get("content")) for m in messages if m.get("role") != "assistant"]
    if any(_named(last.value, text) for text in texts):
        return None
    prompt = "\n".join(
        plain_text(m.get("content")) for m in messages if m.get("role") in ("system", "user")
    )
    called = frozenset(str(call["function"].get("name")) for call in calls)
    return Tries(last.value, frozenset(earlier), called, prompt)


def _succeeds(calls: Sequence[Message], messages: Sequence[Message]) -> bool:
    """Whether the last of these calls has another result than the others, but for its argument."""
    results = results_of(messages)
    *earlier, last = (masked([call], results.get(str(call.get("id")), "")) for call in calls)
    return last not in earlier


def _named(value: str, text: str) -> re.Match[str] | None:
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE)
