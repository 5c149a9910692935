"""Questions about something that the prompt lacks, such as a row of a table that was cut.

Most questions name something that the rest of their prompt has. Those that do not cannot be
answered, unless their answers state just that.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from envyard_runner.survey.listing import WHOLE, Listed, plain

ENOUGH, FEWEST, MOST = 20, 3, 0.4  # tasks with such names, and how many of them lack one
RARE = 0.1  # share of the questions with a word that is no name
ELSEWHERE = 2  # other prompts that must have the name beside their question
DIFFERENT = 0.5  # answers to such questions: one answer to all of them says that it is absent
LABELS = 3  # different answers of all tasks, up to which the task may be whether something is there
QUESTION = re.compile(r"(?<![^.?!\n])[^.?!\n]*\?")  # from the beginning of its sentence
NAME = re.compile(r"(?<![\w-])[^\W\d_][\w-]{2,29}(?![\w-])")
# A time names an entry, except where it is compared with those of the entries.
TIME = re.compile(r"(?<![\d:.])(\d{1,2}):(\d\d)(?![\d:])")
COMPARED = re.compile(
    r"\b(?:after|before|since|until|till?|from|to|by|than|between|and|or|at|around|past|about|for"
    r"|is|was|now|shows?|reads?|says?|an?|arriving|leaving|starting|ending)"
    r" \d{1,2}:\d\d(?: ?[-\u2013] ?\d{1,2}:\d\d)?"
    r"|\d{1,2}:\d\d ?[-\u2013] ?\d{1,2}:\d\d",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Question:
    """A task's place, the words of its question, and those of the rest of its prompt."""

    place: int
    words: frozenset[str]
    rest: frozenset[str]
    answer: str


def absent_names(tasks: Sequence[Listed]) -> list[int]:
    """The places of the tasks whose question names what the rest of their prompt lacks."""
    questions = [row for place, task in enumerate(tasks) if (row := _question(place, task))]
    counts = Counter(word for row in questions for word in row.words)
    rests = Counter(word for row in questions for word in row.rest)
    naming = [
        (row, names)
        for row in questions
        if (names := _names(row, counts, rests, most=RARE * len(questions)))
    ]
    lacking = [row for row, names in naming if not names <= row.rest]
    answers = {row.answer for row in lacking}
    few = len({row.answer for row in questions}) <= LABELS
    if len(naming) < ENOUGH or few or len(answers) < DIFFERENT * len(lacking):
        return []
    if not FEWEST <= len(lacking) <= MOST * len(naming):
        return []
    return [row.place for row in lacking]


def _question(place: int, task: Listed) -> Question | None:
    """The last question of a prompt and the rest; None without one, or where the prompt is cut."""
    matches = [*QUESTION.finditer(task.prompt)]
    if not matches or len(task.prompt) >= WHOLE or task.answer is None:
        return None
    last = matches[-1]
    rest = task.prompt[: last.start()] + task.prompt[last.end() :]
    words = _words(last[0]) | _times(COMPARED.sub(" ", last[0]))
    return Question(place, words, _words(rest) | _times(rest), plain(task.answer))


def _times(text: str) -> frozenset[str]:
    """Its times by a clock of twelve hours: a table may have 15:05 where a question has 3:05 pm."""
    return frozenset(f"{int(hour) % 12}:{minute}" for hour, minute in TIME.findall(text))


def _words(text: str) -> frozenset[str]:
    """Its words without case and plural."""
    return frozenset(word.casefold().removesuffix("s") for word in NAME.findall(text))


def _names(
    row: Question, counts: Counter[str], rests: Counter[str], *, most: float
) -> frozenset[str]:
    """The words of a question that few questions have and other prompts list."""
    return frozenset(
        word
        for word in row.words
        if counts[word] <= most and rests[word] - (word in row.rest) >= ELSEWHERE
    )
