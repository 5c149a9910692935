"""Does a column in a tool's listing mark the row of the answer?

Where the reference reads one row after the other, a column that the prompt does not name, such as
the months since the last service, should not be largest in the row of the answer each time, nor
have a word, such as `role=target`, that no other row has. Where the prompt asks for what is largest
of all, in whatever words, or names that word, the column is what is to be read.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from envyard.contract.probes import ORACLE
from envyard_runner.conversation_checks.telling_fields import has_word_of
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.mutation.answers import find_answer
from envyard_runner.probing.chat_text import plain_text
from envyard_runner.probing.submitted_answers import arguments_of, calls_of, known_answer

Message = dict[str, Any]

FEWEST_ROWS, KEPT, LONGEST = 3, 100, 20_000
MOST_VALUES, LONGEST_VALUE = 200, 200  # arguments of calls that name rows, and their characters
DIRECTIONS = ("largest", "smallest")
CHANCE = 0.001  # that some column is extreme in all rollouts
# What asks for the largest or the smallest of all: "Who earns most?" for a column `salary`.
SUPERLATIVE = re.compile(
    r"\b(?<!at )(?:most|least|fewest|maxim\w{1,5}|minim\w{1,5}|top|best"
    r"|worst|(?:larg|small|high|low|great|bigg|old|new|young|earli|long|short|heavi|light|cheap"
    r"|costli|dear|fast|slow|hott|warm|cold|cool"
    r"|near|far|furth|tall|rich|poor|strong|weak|busi|clos|deep|wid)est)\b(?! likely)",
    re.IGNORECASE,
)
NUMBER = re.compile(r"-?\d{1,12}(?:\.\d{1,12})?")
COLUMN = re.compile(
    rf"([A-Za-z_]\w{{1,39}})[=:]\s{{0,3}}({NUMBER.pattern}|[A-Za-z][\w-]{{0,39}})(?![\w.])"
)


@dataclass(frozen=True, slots=True)
class Row:
    """One entry of a listing: its text, and its numbers and words by the names of their columns."""

    text: str
    numbers: Mapping[str, float]
    words: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ExtremeRow:
    """The row of the answer, the answer, and how many rows the listing has."""

    text: str
    answer: str
    rows: int


@dataclass(slots=True)
class ExtremeRows:
    """The references' rollouts that read rows of a listing, by column and what the row of the
    answer has there (`largest`, `smallest`, or a word), and the number of rows of each."""

    marked: dict[tuple[str, str], dict[str, ExtremeRow]] = field(default_factory=dict)
    read: dict[str, int] = field(default_factory=dict)

    def add(self, record: Record, reference: str = "") -> None:
        """Read a rollout that ended; those of other policies are ignored. `reference` is the task's
        answer field, empty where it has none."""
        messages = record.recorder.transcript.messages
        if record.policy != ORACLE or len(self.read) >= KEPT or not messages:
            return
        replied = plain_text(messages[-1].get("content"))
        answer = known_answer(replied, find_answer(replied).answer.strip(), reference)
        rows = _listed(messages, answer)
        own = [row for row in rows if _names(row, answer)]
        if len(own) != 1:
            return
        self.read[record.rollout] = len(rows)
        row = ExtremeRow(own[0].text, answer, len(rows))
        prompt = "\n".join(
            plain_text(m.get("content")) for m in messages if m.get("role") in ("system", "user")
        )
        for name, direction in _extremes(own[0], rows):
            if not has_word_of(name, prompt) and not _asks_for(direction, prompt):
                self.marked.setdefault((name, direction), {})[record.rollout] = row

    @property
    def telling(self) -> tuple[str, str] | None:
        """The column and direction that mark the answer in each rollout, where chance does not
        explain it."""
        for column, rollouts in self.marked.items():
            chance = math.prod(1 / each.rows for each in rollouts.values()) * 2 * len(self.marked)
            answers = {each.answer for each in rollouts.values()}
            if rollouts.keys() == self.read.keys() and chance < CHANCE and len(answers) > 1:
                return column
        return None


def _listed(messages: Sequence[Message], answer: str) -> list[Row]:
    """The rows of the first listing that names the answer, of which later calls read two."""
    if not 0 < len(answer) <= LONGEST_VALUE:
        return []
    for place, message in enumerate(messages):
        content = plain_text(message.get("content"))
        if message.get("role") != "tool" or len(content) > LONGEST:
            continue
        rows = _rows(content)
        if len(rows) >= FEWEST_ROWS and any(_names(row, answer) for row in rows):
            return rows if _are_read(rows, messages[place:]) else []
    return []


def _rows(text: str) -> list[Row]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        lines = [line for line in text.splitlines() if COLUMN.search(line)]
        return [_row(line) for line in lines]
    lists = [value, *value.values()] if isinstance(value, dict) else [value]
    rows = next((each for each in lists if isinstance(each, list)), [])
    return [
        Row(json.dumps(row), _numbers(row), {k: v for k, v in row.items() if isinstance(v, str)})
        for row in rows
        if isinstance(row, dict)
    ]


def _row(line: str) -> Row:
    values = dict(COLUMN.findall(line))
    numbers = {name: float(value) for name, value in values.items() if NUMBER.fullmatch(value)}
    return Row(line, numbers, {n: v for n, v in values.items() if n not in numbers})


def _numbers(row: Mapping[str, Any]) -> dict[str, float]:
    return {
        name: float(value)
        for name, value in row.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15
    }


def _asks_for(direction: str, prompt: str) -> bool:
    """Whether the prompt asks for the extreme of a column, or for the row with a word."""
    if direction in DIRECTIONS:
        return SUPERLATIVE.search(prompt) is not None
    return has_word_of(direction, prompt)


def _names(row: Row, value: str) -> bool:
    return bool(re.search(rf"(?<![\w-]){re.escape(value)}(?![\w-])", row.text, re.IGNORECASE))


def _are_read(rows: Sequence[Row], messages: Sequence[Message]) -> bool:
    """Whether the arguments of calls name two rows, each of which no other row has."""
    given = (arguments_of(call).values() for call in calls_of(messages))
    texts = {str(value) for values in given for value in values if value}
    values = [text for text in sorted(texts) if len(text) <= LONGEST_VALUE][:MOST_VALUES]
    read = {hits[0] for value in values if len(hits := [*_places(rows, value)]) == 1}
    return len(read) > 1


def _places(rows: Sequence[Row], value: str) -> Iterator[int]:
    for place, row in enumerate(rows):
        if _names(row, value):
            yield place


def _extremes(own: Row, rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    """The columns in which the row's number is larger, or smaller, than that of all others, or has
    a word that none of them has."""
    for name, number in own.numbers.items():
        others = [row.numbers.get(name) for row in rows if row is not own]
        known = [each for each in others if each is not None]
        if len(known) < len(others):
            continue
        if number > max(known):
            yield name, DIRECTIONS[0]
        elif number < min(known):
            yield name, DIRECTIONS[1]
    for name, word in own.words.items():
        words = [row.words.get(name) for row in rows if row is not own]
        if None not in words and word not in words:
            yield name, word
