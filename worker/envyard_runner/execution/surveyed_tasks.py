"""Which tasks of a survey are played."""

from __future__ import annotations

from collections.abc import Sequence

from envyard.contract.facts import TaskResult
from envyard_runner.execution.guest_programs import REFERENCED_TASKS

PLAYED = 20  # references, spread over all tasks


def spread(tasks: Sequence[TaskResult]) -> list[TaskResult]:
    """At most PLAYED tasks that have a reference, from the first to the last at equal distances.

    The process that calls oracle() loads the first REFERENCED_TASKS.
    """
    able = [
        task
        for task in tasks
        if task.reference and not (task.hook and task.index >= REFERENCED_TASKS)
    ]
    if len(able) <= PLAYED:
        return able
    return [able[round(at * (len(able) - 1) / (PLAYED - 1))] for at in range(PLAYED)]
