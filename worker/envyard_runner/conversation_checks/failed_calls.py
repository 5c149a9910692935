"""Do the tools cover the things that the later tasks name?

The reference calls them for things that its task names. Where all of these calls fail in the tasks
behind some place, and succeed in those before it, no policy can look anything up there.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from envyard.contract.probes import ORACLE
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.mutation.answers import find_answer
from envyard_runner.probing.chat_text import plain_text
from envyard_runner.probing.submitted_answers import calls_of, results_of

Message = dict[str, Any]

FAILED = re.compile(
    r"(?:\A|[\"'\[(<])\W{0,3}(?:\w{1,20} ){0,2}error\b(?! of)|\b\w{2,20}Error:"
    r"|\b(?:not found|unknown|does(?: not|n't) exist|no such|out of range|not in the)\b"
    r"|\bno \w{1,20} (?:has|have|with|named|called|matches|for|of)\b|\bcannot find\b",
    re.IGNORECASE,
)
MEASURE = re.compile(r"\b(?:standard|mean|squared|absolute|relative|rounding) error", re.IGNORECASE)
LONGEST = 200  # characters of a result that says no more than that
# An answer that states just that nothing is there.
NOTHING = re.compile(r"\b(?:unknown|none|nothing|not|no|n/a|missing|absent|0)\b", re.IGNORECASE)
FEWEST, BEFORE = 2, 3  # tasks whose calls all fail, and tasks before them whose calls succeed


@dataclass(frozen=True, slots=True)
class FailedTask:
    """A task's answer, and a call of its reference with the result."""

    answer: str
    call: str
    result: str


@dataclass(slots=True)
class FailedCalls:
    """The tasks whose references called tools: what failed in each, None where a call succeeded."""

    tasks: dict[int, FailedTask | None] = field(default_factory=dict)

    def add(self, task: int, record: Record) -> None:
        """Read a rollout that ended; those of other policies or without calls are ignored."""
        messages = record.recorder.transcript.messages
        if record.policy != ORACLE or not messages:
            return
        results = results_of(messages)
        # Of a call that is repeated, the last result counts: a tool may rightly fail at times.
        last = {
            _described(call): results.get(str(call.get("id")), "") for call in calls_of(messages)
        }
        if not last:
            return
        reply = plain_text(messages[-1].get("content"))
        call, result = next(iter(last.items()))
        answer = find_answer(reply).answer.strip()
        failed = all(_is_failure(each, answer) for each in last.values())
        self.tasks[task] = FailedTask(answer, call, result) if failed else None

    @property
    def late(self) -> dict[int, FailedTask]:
        """The tasks from the first whose calls all fail, if they do in all behind it; none where
        these have one answer, or answers that say that nothing is there."""
        order = sorted(self.tasks)
        failed = {task: each for task in order if (each := self.tasks[task])}
        first = min(failed, default=0)
        if len(failed) < FEWEST or sum(task < first for task in order) < BEFORE:
            return {}
        whole = all(self.tasks[task] for task in order if task >= first)
        answers = {each.answer.casefold() for each in failed.values()}
        stated = any(NOTHING.search(answer) for answer in answers)
        return failed if whole and len(answers) > 1 and not stated else {}


def _is_failure(result: str, answer: str) -> bool:
    """Whether the result says that the call failed, and has no answer."""
    if len(result) > LONGEST or not FAILED.search(result) or MEASURE.search(result):
        return False
    return not answer or re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", result) is None


def _described(call: Message) -> str:
    function = call["function"]
    return f"{function.get('name')}({json.dumps(function.get('arguments'), default=str)[:200]})"
