"""Does a tool reveal the answer, or by how much a number misses it? Then one guess is enough.

`snoop` calls every tool with 1 for each number. Where a result names the answer as what was
expected, or holds a number that is the answer less 1, the tool compared the guess with the answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from envyard.contract.probes import ORACLE
from envyard_runner.gateway.chat_text import plain_text
from envyard_runner.gateway.junk_calls import presents
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.mutation.answers import find_answer

Message = dict[str, Any]

SNOOP = "snoop"
NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?!\w)")
SMALLEST = 10  # a smaller difference is there by chance
SEARCHED, KEPT = 5_000, 20  # characters of a result, and results of a rollout


@dataclass(frozen=True, slots=True)
class AnswerDifference:
    """A call with one number, and the result that reveals the answer or its difference to it."""

    given: float
    result: str
    answer: str


@dataclass(slots=True)
class AnswerDifferences:
    """The numbers that `snoop` passed to tools, with the results, and the answers of the oracle."""

    results: dict[str, list[tuple[float, str]]] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)

    def add(self, record: Record) -> None:
        """Read a rollout that ended; those of other policies are ignored."""
        task = record.rollout.split("/")[1]
        messages = record.recorder.transcript.messages
        if record.policy == SNOOP:
            self.results[record.rollout] = [*_numeric_results(messages)][:KEPT]
        elif record.policy == ORACLE and messages and not messages[-1].get("tool_calls"):
            reply = plain_text(messages[-1].get("content"))
            self.answers.setdefault(task, find_answer(reply).answer.strip())

    @property
    def revealed(self) -> dict[str, AnswerDifference]:
        """By rollout, where a result reveals the task's answer or the difference to it."""
        revealed = {}
        for rollout, results in self.results.items():
            answer = self.answers.get(rollout.split("/")[1], "")
            if NUMBER.fullmatch(answer):
                differences = (
                    AnswerDifference(given, text, answer)
                    for given, text in results
                    if _reveals(given, text, _value(answer)) or _names(given, text, answer)
                )
                if first := next(differences, None):
                    revealed[rollout] = first
        return revealed


def _numeric_results(messages: Sequence[Message]) -> Iterator[tuple[float, str]]:
    """The only number of each call that has one, with the call's result."""
    given: dict[Any, float] = {}
    for message in messages:
        for call in message.get("tool_calls") or () if message.get("role") == "assistant" else ():
            number = _only_number(call)
            if number is not None:
                given[call.get("id")] = number
        if message.get("role") == "tool" and message.get("tool_call_id") in given:
            text = plain_text(message.get("content"))[:SEARCHED]
            yield given[message.get("tool_call_id")], text


def _only_number(call: Any) -> float | None:
    function = call.get("function") if isinstance(call, dict) else None
    try:
        arguments = json.loads(function["arguments"]) if isinstance(function, dict) else {}
    except (KeyError, TypeError, ValueError, RecursionError):
        return None
    values = [*arguments.values()] if isinstance(arguments, dict) else []
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
