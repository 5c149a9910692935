"""Task sets of a subject, sound and with wrong labels in a part."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from envyard.contract.task_texts import LabelRule
from envyard_runner.survey.labels import label_rule

Rows = list[tuple[int, str, str]]


def rows(pairs: Iterable[tuple[str, str]]) -> Rows:
    """Prompts and answers as tasks."""
    return [(task, prompt, answer) for task, (prompt, answer) in enumerate(pairs)]


def spoiled(tasks: Rows, change: Callable[[str], str], part: int = 8) -> Rows:
    """The tasks with another answer in one of `part`."""
    return [(task, p, change(a) if task % part == 3 else a) for task, p, a in tasks]


def named(tasks: Rows, instructions: str = "") -> LabelRule:
    """The rule that a set contradicts, which a test expects."""
    rule = label_rule(tasks, instructions)
    assert rule is not None
    return rule
