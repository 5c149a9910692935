"""Does the first result of a search name what is searched, behind words such as `caused by`?

A status that repeats the errors of all services behind it names the broken one before any other was
looked at. A tool that is there to return the answer is no search: the reference calls it once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from envyard.contract.probes import ORACLE, SNOOP
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.mutation.answers import find_answer
from envyard_runner.probing.chat_text import plain_text
from envyard_runner.probing.named_calls import is_quoted_call
from envyard_runner.probing.submitted_answers import (
    arguments_of,
    calls_of,
    known_answer,
    results_of,
)

Message = dict[str, Any]

FEWEST_CALLS, FEWEST_LINKS = 3, 2
SHORTEST, LONGEST = 3, 80  # characters of an answer
SEARCHED, KEPT = 20_000, 100  # characters of a result, and rollouts
# What stands before the cause, the culprit or the end of a search.
TELLING = re.compile(
    r"\b(?:caused by|(?:root )?cause(?: is| was)?\b:?|because of|due to|origin(?:ates?|ated|ating)"
    r" (?:in|from|at|with)|origin(?: is| was)?:|traced (?:back )?to|to blame(?: is| was)?:?|blames?"
    r"|blamed on|culprit(?: is| was)?:?|(?:faulty|broken|guilty|defective)(?: \w+)?"
    r"(?: is| was)?:|(?:fault|leak|error|problem|failure) (?:is |was |lies )?(?:in|at|on|with)"
    r"|brought down by|triggered by|ends (?:up )?(?:in|at)|hidden (?:in|at|under))"
    r"[ \t]*(?:the |a )?[\"'`*]{0,3}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class NamedCause:
    """The tool, the part of its result that names the answer, and the answer. `is_search` where the
    reference goes on to other things, or the result names a whole chain of them."""

    tool: str
    shown: str
    answer: str
    is_search: bool


@dataclass(slots=True)
class NamedCauses:
    """The results for what prompts name, or the first of references, by rollout, and the tasks'
    answers."""

    results: dict[str, list[tuple[Message, str]]] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)

    def add(self, record: Record, answer: str = "", reference: str = "") -> None:
        """Read a rollout that ended. `answer` is what the task's reference replies with, if that is
        a field, `reference` the answer field; both are empty where it has none."""
        messages, task = record.recorder.transcript.messages, record.rollout.split("/")[1]
        if record.policy not in (ORACLE, SNOOP) or not messages or len(self.results) >= KEPT:
            return
        right = find_answer(answer or reference).answer.strip()
        if record.policy == ORACLE:
            replied = plain_text(messages[-1].get("content"))
            right = known_answer(replied, find_answer(replied).answer, reference)
        if SHORTEST <= len(right) <= LONGEST:
            self.answers.setdefault(task, right)
        texts = results_of(messages)
        calls = [*_first_calls(messages, record.policy)]
        if calls:
            shown = [(call, texts.get(str(call.get("id")), "")[:SEARCHED]) for call in calls]
            self.results[record.rollout] = shown

    def named(self, policy: str) -> tuple[dict[str, NamedCause], int]:
        """By rollout of a policy, where a result names the answer behind such words; and how many
        of its rollouts had a result and a known answer."""
        named, read = {}, 0
        for rollout, shown in self.results.items():
            played, task, _ = rollout.split("/")
            answer = self.answers.get(task, "")
            if played != policy or not answer:
                continue
            read += 1
            if cause := _cause(shown, answer, goes_on=policy == ORACLE):
                named[rollout] = cause
        return named, read


def _cause(
    shown: Sequence[tuple[Message, str]], answer: str, *, goes_on: bool
) -> NamedCause | None:
    """The first result that names the answer, of a call that does not give it."""
    for call, result in shown:
        text = "" if _gives(call, answer) else _told(result, answer)
        if text:
            is_search = goes_on or _links(text) >= FEWEST_LINKS
            return NamedCause(str(call["function"].get("name")), text, answer, is_search)
    return None


def _first_calls(messages: Sequence[Message], policy: str) -> Iterator[Message]:
    """Of `snoop` the calls with a name of the prompt; of a reference that calls one tool for
    several things its first call."""
    calls = [*calls_of(messages)]
    if policy == SNOOP:
        yield from (call for call in calls if is_quoted_call(call.get("id")))
        return
    name = calls[0]["function"].get("name") if calls else None
    given = {
        str(call["function"].get("arguments"))
        for call in calls
        if call["function"].get("name") == name
    }
    if len(given) >= FEWEST_CALLS:
        yield calls[0]


def _gives(call: Message, answer: str) -> bool:
    return any(str(each).casefold() == answer.casefold() for each in arguments_of(call).values())


def _told(result: str, answer: str) -> str:
    """The line up to the answer behind a telling word; empty where there is none."""
    whole = re.compile(rf"{re.escape(answer)}(?![\w-]|\.\w)", re.IGNORECASE)
    for match in TELLING.finditer(result):
        if named := whole.match(result, match.end()):
            start = result.rfind("\n", 0, match.start()) + 1
            return result[start : named.end()].strip()
    return ""


def _links(shown: str) -> int:
    """How many telling words a line has up to the answer."""
    return sum(1 for _ in TELLING.finditer(shown))
