"""Read the lines that a sandbox writes: events, and the tasks of a `loaded` event."""

from __future__ import annotations

import json
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
    kept = {task.index: task for task in reversed(tasks) if task.index in job.task_range}
    return [task for _, task in sorted(kept.items())]
