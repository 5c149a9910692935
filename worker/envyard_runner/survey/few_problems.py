"""How many different problems tasks pose, without names, numbers and sentences that decide nothing.

Prompts that differ in who asks, or in a sentence about the weather, are one problem. What is left
out must change no answer: tasks that are equal without it have equal answers, and there are too
many of them for chance.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

from envyard_runner.survey.listing import Listed, plain

FEWEST, MAX_TASKS = 40, 2_000
ALIGNED = 0.8  # of the tasks, whose prompts have the usual number of sentences
MOST_SENTENCES = 40
REPEATS = 5  # tasks of each problem on average, from which on the problems are few
LABELS, MOST_COMMON = 3, 0.6  # different answers, and the largest share of one
CHANCE = math.log(1e-9)  # of equal answers in all groups, if the prompts decided nothing
SENTENCE_END = re.compile(r"(?<=[.?!;:])\s+")
NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,:]\d+)*(?![\w.]*\d)")
NAME = re.compile(r"\b[A-Z][^\W\dA-Z_]+\b")  # also Chloé

Key = tuple[str, ...]
Row = tuple[Key, str]  # the sentences of a prompt, and its answer


def few_problems(tasks: Sequence[Listed]) -> int:
    """The number of different problems where they are few, 0 where they are not, or unknown."""
    rows = [
        (task.prompt, task.shown, plain(task.answer))
        for task in tasks[:MAX_TASKS]
        if task.prompt and task.answer is not None
    ]
    answers = Counter(answer for *_, answer in rows)
    varied = len(answers) >= LABELS and max(answers.values()) <= MOST_COMMON * len(rows)
    if len(rows) < max(FEWEST, ALIGNED * len(tasks[:MAX_TASKS])) or not varied:
        return 0
    counts = [
        problems
        for mask in MASKS
        if (problems := _count([(_sentences(mask(p), shown), a) for p, shown, a in rows], answers))
    ]
    return min(counts, default=0)


def _count(rows: list[Row], answers: Counter[str]) -> int:
    """The problems of masked prompts, after the sentences that decide nothing were left out."""
    usual, _ = Counter(len(key) for key, _ in rows).most_common(1)[0]
    aligned = [row for row in rows if len(row[0]) == usual]
    if len(aligned) < ALIGNED * len(rows) or usual > MOST_SENTENCES or not decides(aligned):
        return 0
    varied = [at for at in range(usual) if len({key[at] for key, _ in aligned}) > 1]
    for at in sorted(varied, key=lambda at: -len({key[at] for key, _ in aligned})):
        shorter = [((*key[:at], "", *key[at + 1 :]), answer) for key, answer in aligned]
        if decides(shorter):
            aligned = shorter
    groups = Counter(key for key, _ in aligned)
    few = len(groups) * REPEATS <= len(aligned)
    return len(groups) if few and log_chance(aligned, answers) < CHANCE else 0


def decides(rows: Sequence[Row]) -> bool:
    """Whether equal sentences have equal answers."""
    groups: defaultdict[Key, set[str]] = defaultdict(set)
    for key, answer in rows:
        groups[key].add(answer)
    return all(len(group) == 1 for group in groups.values())


def log_chance(rows: Sequence[Row], answers: Counter[str]) -> float:
    """The logarithm of the probability that answers dealt at random are equal in all groups."""
    groups = Counter(rows)
    total = answers.total()
    return sum(
        (size - 1) * math.log(answers[answer] / total) for (_, answer), size in groups.items()
    )


def _sentences(prompt: str, shown: str) -> Key:
    """The sentences and lines of a prompt, and what is shown beyond its text."""
    sentences = (each for line in prompt.splitlines() for each in SENTENCE_END.split(line.strip()))
    return (*(" ".join(each.split()) for each in sentences if each), shown)


def _numbers(prompt: str) -> str:
    return NUMBER.sub("#", prompt)


def _names(prompt: str) -> str:
    return NAME.sub("@", prompt)


def _names_and_numbers(prompt: str) -> str:
    return _names(_numbers(prompt))


MASKS: tuple[Callable[[str], str], ...] = (_names_and_numbers, _names, _numbers)
