"""InsideJob: what the process in the sandbox is told, as one JSON file."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

PATH = "/job.json"
PATH_VARIABLE = "ENVYARD_JOB"
MODEL = "model"


@dataclass(frozen=True, slots=True)
class InsideJob:
    """One run as the environment's side sees it. It holds no credential and no outside address.

    `tasks` is the most tasks to take from the start of the dataset. `attempts` is how often each
    task is tried by the policy `model`; probes try each task once. `seed` goes to environments that
    offer a `seed` option. `rollout_timeout` is in seconds, `max_tokens` bounds one reply.
    """

    framework: str
    api: str
    module: str
    policies: tuple[str, ...]
    tasks: int
    attempts: int = 1
    seed: int = 0
    concurrency: int = 4
    door: str = "http://127.0.0.1:8000"
    model: str = "model"
    max_turns: int = 32
    max_tokens: int = 512
    rollout_timeout: float = 120.0

    def attempts_of(self, policy: str) -> int:
        """How often the policy tries each task."""
        return self.attempts if policy == MODEL else 1

    def to_dict(self) -> dict[str, Any]:
        """The JSON form that `read` takes."""
        return asdict(self)


def read(path: str) -> InsideJob:
    """Read the job file; raises KeyError, TypeError or ValueError on a wrong shape."""
    data = json.loads(Path(path).read_text(encoding="utf-8"))
    data["policies"] = tuple(data["policies"])
    return InsideJob(**data)


def read_given() -> InsideJob:
    """The job of this process."""
    return read(os.environ.get(PATH_VARIABLE, PATH))
