"""Does a file that the reference never reads hold the answer that it computes from another one?

A file that the environment's author left behind, such as a record of how a task was made or the
answers of all tasks, makes the work needless. `snoop` reads the files that tools list.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from envyard.contract.probes import ORACLE, SNOOP
from envyard_runner.conversation_checks.early_answers import value_in
from envyard_runner.conversation_checks.keyed_answers import keyed_answer
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.mutation.answers import find_answer
from envyard_runner.mutation.wrong_answers import OPPOSITES
from envyard_runner.probing.chat_text import plain_text
from envyard_runner.probing.submitted_answers import (
    arguments_of,
    calls_of,
    is_submitted,
    results_of,
)
from envyard_runner.probing.tool_probes import FILE, is_file_of_answers

Message = dict[str, Any]

SHORTEST, LONGEST = 4, 200  # characters of an answer; a shorter one is a value by chance
SEARCHED = 50_000  # characters of a result
KEPT = 100  # rollouts
FENCED = re.compile(r"```(?:json)?[^\S\n]*\n(.*?)```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class FileRead:
    """A call with the name of a file, and its result."""

    tool: str
    file: str
    result: str


@dataclass(frozen=True, slots=True)
class Work:
    """How the reference solved a task: its answer, the tools that it read files with, all that it
    gave and was shown by these tools, and the prompt."""

    answer: str
    tools: frozenset[str]
    known: str
    prompt: str


@dataclass(frozen=True, slots=True)
class NeedlessWork:
    """A file that holds the answer of a task, and the part with that."""

    answer: str
    file: str
    shown: str


@dataclass(slots=True)
class FileAnswers:
    """The files that `snoop` read, and how the reference solved the same tasks."""

    reads: dict[str, list[FileRead]] = field(default_factory=dict)
    works: dict[str, Work] = field(default_factory=dict)

    def add(self, record: Record, reference: str = "") -> None:
        """Read a rollout that ended; those of other policies are ignored. `reference` is the task's
        answer field, empty where it has none."""
        task, messages = record.rollout.split("/")[1], record.recorder.transcript.messages
        if record.policy == SNOOP and len(self.reads) < KEPT:
            self.reads[record.rollout] = [*_file_reads(messages)]
        elif record.policy == ORACLE and (work := _work(messages, reference)):
            self.works.setdefault(task, work)

    @property
    def needless(self) -> dict[str, NeedlessWork]:
        """By rollout of `snoop`, where a file that the reference did not read holds the answer, or
        one that is named for answers has it behind an identifier of the prompt."""
        answers = {work.answer.casefold() for work in self.works.values()}
        needless = {}
        for rollout, reads in self.reads.items():
            if work := self.works.get(rollout.split("/")[1]):
                others = answers - {work.answer.casefold()}
                prompts = [each.prompt for each in self.works.values() if each is not work]
                pieces = (
                    _needless(read, work, others) or _listed(read, work, prompts) for read in reads
                )
                if first := next((piece for piece in pieces if piece), None):
                    needless[rollout] = first
        return needless


def _needless(read: FileRead, work: Work, others: Collection[str]) -> NeedlessWork | None:
    if read.tool not in work.tools or read.file in work.known:
        return None
    if _holds(work.known, work.answer) or not (shown := _holds(read.result, work.answer)):
        return None
    lists_others = any(_holds(read.result, other) for other in others)
    return None if lists_others else NeedlessWork(work.answer, read.file, shown)


def _listed(read: FileRead, work: Work, prompts: Collection[str]) -> NeedlessWork | None:
    """The entry of the task in a file that is named for answers; `prompts` are the others'."""
    if not is_file_of_answers(read.file) or read.file in work.known or read.tool not in work.tools:
        return None
    shown = keyed_answer(read.result, work.answer, work.prompt, prompts)
    return NeedlessWork(work.answer, read.file, shown[:LONGEST]) if shown else None


def _holds(text: str, answer: str) -> str:
    """The part of a text that is the answer, as a value or as the same data in JSON."""
    data = _data(answer)
    if data is None:
        return value_in(text, answer)
    return text[:LONGEST] if _data(text) == data else ""


def _data(text: str) -> Any:
    """The object or array that a text in JSON holds, fenced or not; None for any other text."""
    match = FENCED.search(text)
    try:
        value = json.loads(match[1] if match else text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) and value else None


def _file_reads(messages: Sequence[Message]) -> Iterator[FileRead]:
    """The calls whose only text is the name of a file, with their results."""
    for call, result in _results(messages):
        texts = [value for value in arguments_of(call).values() if isinstance(value, str)]
        if len(texts) == 1 and FILE.fullmatch(texts[0][: LONGEST + 1]):
            yield FileRead(str(call["function"].get("name")), texts[0], result[:SEARCHED])


def _work(messages: Sequence[Message], reference: str) -> Work | None:
    """The work of the reference; None where it reads no file, or no answer of it can be searched
    for: of its last reply, or of its last call if that submits the answer field."""
    if not messages or not any(True for _ in calls_of(messages)):
        return None
    replied = "" if messages[-1].get("tool_calls") else plain_text(messages[-1].get("content"))
    answer = find_answer(replied).answer.strip()
    submits = is_submitted(messages, reference)
    answer = reference.strip() if submits else answer
    tools = frozenset(read.tool for read in _file_reads(messages))
    searched = SHORTEST <= len(answer) <= LONGEST or _data(answer) is not None
    if not tools or not searched or answer.casefold() in OPPOSITES:
        return None
    *earlier, last = _results(messages)
    steps = earlier if submits else [*earlier, last]
    read = [result for call, result in steps if str(call["function"].get("name")) in tools]
    given = [json.dumps(call["function"], default=str) for call, _ in steps]
    prompts = [
        plain_text(m.get("content")) for m in messages if m.get("role") not in ("assistant", "tool")
    ]
    return Work(answer, tools, "\n".join([*prompts, *given, *read]), "\n".join(prompts))


def _results(messages: Sequence[Message]) -> list[tuple[Message, str]]:
    """The calls with their results; an empty text where there is none."""
    results = results_of(messages)
    return [(call, results.get(str(call.get("id")), "")) for call in calls_of(messages)]
