"""One question that several tasks have, with other options, and another right one.

Where most of such questions have one right option, the others have a wrong letter: options were
moved after their letter was read.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from envyard_runner.mutation.answers import OPTION
from envyard_runner.survey.listing import Listed
from envyard_runner.survey.option_ranks import LETTERS, RANKED, right_option

MAX_TASKS = 2_000
MOST = 4  # tasks of one question: a question of many tasks is a template
FEWEST, AGREEING = 2, 5  # pairs with another right option, and with the same one
SHARE = 0.25  # of all pairs that must agree
COMPARED = re.compile(r"\b(?:of|from|among) (?:these|those|the following|the options)\b")
QUESTION = re.compile(r"(?<![^.?!\n])[^.?!\n]*\?")  # from the beginning of its sentence


@dataclass(frozen=True, slots=True)
class Choice:
    """A task with options, all in small letters, and the place of the right one."""

    task: Listed
    options: tuple[str, ...]
    place: int

    @property
    def right(self) -> str:
        """The text of the right option."""
        return self.options[self.place]

    @property
    def shown(self) -> Listed:
        """The task with the whole option as its answer."""
        return replace(self.task, answer=f"{LETTERS[self.place]}) {self.right}")


def disagreeing(tasks: Sequence[Listed]) -> list[tuple[Listed, Listed]]:
    """Pairs of tasks with one question, of which one has the right option of the other among its
    own and another answer; none where questions compare their options."""
    pairs = [pair for group in _groups(tasks[:MAX_TASKS]) for pair in combinations(group, 2)]
    alike = sum(one.right == other.right for one, other in pairs)
    unlike = [pair for pair in pairs if _contradict(*pair)]
    if len(unlike) < FEWEST or alike < max(AGREEING, SHARE * (alike + len(unlike))):
        return []
    return [(one.shown, other.shown) for one, other in unlike]


def _contradict(one: Choice, other: Choice) -> bool:
    shared = one.right in other.options or other.right in one.options
    return one.right != other.right and shared


def _groups(tasks: Sequence[Listed]) -> Iterator[list[Choice]]:
    """The tasks of each question that a few of them have and that is no comparison."""
    groups: defaultdict[str, list[Choice]] = defaultdict(list)
    for task in tasks:
        row = right_option(task.prompt, task.answer) if task.answer and not task.shown else None
        if row is not None:
            stem = " ".join(OPTION.sub("", task.prompt).casefold().split())
            options = tuple(text.casefold() for text in row[0])
            groups[stem].append(Choice(task, options, row[1]))
    for stem, group in groups.items():
        question = " ".join(QUESTION.findall(stem))
        compares = RANKED.search(question) or COMPARED.search(question)
        if question and 2 <= len(group) <= MOST and not compares:
            yield group
