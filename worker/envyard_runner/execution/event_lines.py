"""Read the lines that a sandbox writes: events, and the tasks of a `loaded` event."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from envyard.contract.facts import Facts, TaskResult
from envyard.contract.job import JobSpec


def parse_event(line: bytes) -> dict[str, Any]:
    """Parse one event line; anything that is no JSON object becomes an event of an unknown kind."""
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        event = None
    return event if isinstance(event, dict) else {"event": "a line that is no event"}


def read_tasks(event: dict[str, Any], job: JobSpec) -> list[TaskResult]:
    """The tasks that a `loaded` event names, in order, each once and no more than the job's
    limit."""
    tasks = Facts.from_dict({"tasks": event.get("tasks")}).tasks or []
    own = job.task_indexes if isinstance(job.task_indexes, range) else frozenset(job.task_indexes)
    kept = {task.index: task for task in reversed(tasks) if task.index in own}
    return [task for _, task in sorted(kept.items())]


def lacking_tasks(tasks: Sequence[TaskResult], job: JobSpec) -> list[int]:
    """The indexes that the job's suite names and that are not among the tasks."""
    loaded = {task.index for task in tasks}
    return [index for index in job.task_indexes if index not in loaded] if job.indexes else []
