"""Rollouts of one run or several by filters and in an order, as pages and their links name them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from django.db.models import F, OrderBy, Q, QuerySet

from envyard.contract.facts import TaskResult
from envyard.contract.values import records
from registry.runs.models import Rollout, Run

MAX_TASKS = 100_000
OUTCOMES: dict[str, Q] = {
    "scored": Q(ok=True),
    "failed": Q(ok=False),
    "truncated": Q(truncated=True),
    "judged": Q(judge_calls__gt=0),
    "replayed": Q(replay__isnull=False),
}
IN_ORDER = ("task", "policy", "attempt", "pk")
SORTS: dict[str, tuple[str | OrderBy, ...]] = {
    "task": IN_ORDER,
    "finished": ("pk",),
    "reward": (F("reward").asc(nulls_last=True), *IN_ORDER),
    "-reward": (F("reward").desc(nulls_last=True), *IN_ORDER),
    "seconds": ("seconds", *IN_ORDER),
    "-seconds": ("-seconds", *IN_ORDER),
    "-tokens": ("-completion_tokens", *IN_ORDER),
    "-turns": ("-turns", *IN_ORDER),
}


@dataclass(frozen=True, slots=True)
class Selection:
    """Filters that all hold, and a key of SORTS; empty values and None filter nothing.

    `text` occurs in the stop reason, in the error or in the prompt of the task; `split` is that of
    the task."""

    policy: str = ""
    outcome: str = ""
    text: str = ""
    task: int | None = None
    split: str = ""
    min_reward: float | None = None
    max_reward: float | None = None
    min_seconds: float | None = None
    max_seconds: float | None = None
    sort: str = "task"


class Tasks:
    """The tasks that environments of runs of one version loaded: prompts and splits by index."""

    def __init__(self, *runs: Run) -> None:
        self._rows = [records(run.facts.get("tasks"), MAX_TASKS) for run in runs]

    @cached_property
    def by_index(self) -> dict[int, TaskResult]:
        """Each task by its index, without those that differ between the runs."""
        tasks: dict[int, TaskResult] = {}
        differing = set()
        for rows in self._rows:
            for task in map(TaskResult.from_dict, rows):
                if tasks.setdefault(task.index, task).hash != task.hash:
                    differing.add(task.index)
        return {index: task for index, task in tasks.items() if index not in differing}

    @property
    def splits(self) -> list[str]:
        """The names of the splits, sorted."""
        return sorted({task.split for task in self.by_index.values() if task.split})

    def with_prompt(self, text: str) -> list[int]:
        """The tasks whose prompt contains the text, in any case."""
        folded = text.casefold()
        return [n for n, task in self.by_index.items() if folded in task.prompt.casefold()]

    def in_split(self, split: str) -> list[int]:
        """The tasks of a split."""
        return [n for n, task in self.by_index.items() if task.split == split]


def rollouts(rows: QuerySet[Rollout], *, selection: Selection, tasks: Tasks) -> QuerySet[Rollout]:
    """Those of the rows that are selected, in the selected order, which is total."""
    filters = {
        "policy": selection.policy or None,
        "task": selection.task,
        "reward__gte": selection.min_reward,
        "reward__lte": selection.max_reward,
        "seconds__gte": selection.min_seconds,
        "seconds__lte": selection.max_seconds,
    }
    rows = rows.filter(**{k: v for k, v in filters.items() if v is not None})
    if selection.outcome:
        rows = rows.filter(OUTCOMES[selection.outcome])
    if selection.split:
        rows = rows.filter(task__in=tasks.in_split(selection.split))
    if selection.text:
        text = selection.text
        rows = rows.filter(
            Q(stop__icontains=text)
            | Q(error__message__icontains=text)
            | Q(error__type__icontains=text)
            | Q(task__in=tasks.with_prompt(text))
        )
    return rows.order_by(*SORTS[selection.sort])
