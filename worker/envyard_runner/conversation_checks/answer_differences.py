"""Does a tool reveal the answer, or by how much a number misses it? Then one guess is enough.

`snoop` calls every tool with 1 for each number. Where a result names the answer as what was
expected, or holds a number that is the answer less 1, the tool compared the guess with the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from envyard.contract.probes import ORACLE, SNOOP
from envyard_runner.conversation_checks.answers_in_results import presents
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.mutation.answers import find_answer
from envyard_runner.probing.chat_text import plain_text
from envyard_runner.probing.page_calls import is_page_call
from envyard_runner.probing.submitted_answers import (
    Submission,
    arguments_of,
    calls_of,
    last_submission,
)

Message = dict[str, Any]

NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?!\w)")
SMALLEST = 10  # a smaller difference is there by chance
SEARCHED, KEPT = 5_000, 20  # characters of a result, and results of a rollout
# A game may say by how much a guess misses, if its prompt announces that.
ANNOUNCED = re.compile(
    r"\b(?:how (?:far|much|close|near)|distance|off by|too (?:high|low)|higher or lower|hints?|"
    r"warmer|colder)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class AnswerDifference:
    """A call with one number, and the result that reveals the answer or its difference to it."""

    given: float
    result: str
    answer: str


@dataclass(slots=True)
class AnswerDifferences:
    """The numbers that `snoop` passed to tools, with the results, and the answers of the oracle:
    those of its last replies, and those that it submitted by a tool."""

    results: dict[str, list[tuple[str, float, str]]] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)
    submitted: dict[str, Submission] = field(default_factory=dict)

    def add(self, record: Record, reference: str = "") -> None:
        """Read a rollout that ended; those of other policies are ignored. `reference` is the task's
        answer field, empty where it has none."""
        task = record.rollout.split("/")[1]
        messages = record.recorder.transcript.messages
        if record.policy == SNOOP:
            self.results[record.rollout] = [*_numeric_results(messages)][:KEPT]
        elif record.policy == ORACLE and messages:
            if submission := _submitted_number(messages, reference):
                self.submitted.setdefault(task, submission)
            if not messages[-1].get("tool_calls"):
                reply = plain_text(messages[-1].get("content"))
                self.answers.setdefault(task, find_answer(reply).answer.strip())

    @property
    def revealed(self) -> dict[str, AnswerDifference]:
        """By rollout, where a result reveals the task's answer or the difference to it."""
        revealed = {}
        for rollout, results in self.results.items():
            differences = (
                AnswerDifference(given, text, answer)
                for tool, given, text in results
                if (answer := self._answer(rollout.split("/")[1], tool))
                and (_reveals(given, text, _value(answer)) or _names(given, text, answer))
            )
            if first := next(differences, None):
                revealed[rollout] = first
        return revealed

    def _answer(self, task: str, tool: str) -> str:
        """The number with which a result of this tool is compared; empty where there is none."""
        if NUMBER.fullmatch(replied := self.answers.get(task, "")):
            return replied
        submission = self.submitted.get(task)
        return submission.value if submission and submission.tool == tool else ""


def _submitted_number(messages: Sequence[Message], reference: str) -> Submission | None:
    """The number that the last call of the oracle passed to a tool: the answer field if there is
    one, else a number that no message shows before. None where the first messages announce that
    the tool says how far a guess is off."""
    last = last_submission(messages)
    if last is None or not NUMBER.fullmatch(last.value):
        return None
    *_, call = calls_of(messages)
    before = [m for m in messages if call not in (m.get("tool_calls") or ())]
    before = [m for m in before if m.get("tool_call_id") != call.get("id")]
    first = "\n".join(
        plain_text(m.get("content")) for m in messages if m.get("role") not in ("assistant", "tool")
    )
    if ANNOUNCED.search(first[:SEARCHED]):
        return None
    if reference.strip():
        return last if last.value == reference.strip() else None
    own = re.compile(rf"(?<![\w.]){re.escape(last.value)}(?![\w.]*\w)")
    shown = any(own.search(plain_text(m.get("content"))) for m in before)
    return None if shown else last


def _numeric_results(messages: Sequence[Message]) -> Iterator[tuple[str, float, str]]:
    """Of each call with one number: the tool, the number and the call's result."""
    given: dict[Any, tuple[str, float]] = {}
    for message in messages:
        for call in calls_of([message]):
            number = _only_number(call)
            if number is not None and not is_page_call(call.get("id")):
                given[call.get("id")] = str(call["function"].get("name")), number
        if message.get("role") == "tool" and message.get("tool_call_id") in given:
            text = plain_text(message.get("content"))[:SEARCHED]
            yield *given[message.get("tool_call_id")], text


def _only_number(call: Message) -> float | None:
    values = arguments_of(call).values()
    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    return float(numbers[0]) if len(numbers) == 1 else None


def _reveals(given: float, result: str, answer: float) -> bool:
    """Whether the result holds their difference, and not the answer itself."""
    numbers = {abs(_value(each)) for each in NUMBER.findall(result)}
    difference = abs(answer - given)
    return difference >= SMALLEST and difference in numbers and abs(answer) not in numbers


def _names(given: float, result: str, answer: str) -> bool:
    """Whether the result names the answer as what was expected."""
    return given != _value(answer) and bool(presents(result, answer))


def _value(number: str) -> float:
    return float(number.replace(",", ""))
