"""GuestJob: the input of the process that plays an environment, as one JSON file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class GuestJob:
    """One run as the environment's side sees it, without a credential or an outside address.

    It names no rollout: those are requested one after the other once the tasks are loaded.
    `adapter` is the adapter's class as `module:class`, `gateway` the gateway's base URL.
    `tasks` is the most tasks to take from the start of the dataset, of which those from
    `first_task` on are played, where there are `indexes` only these. `seed` goes to environments
    that offer a `seed` option, which keep their own defaults where it is None. `rollout_timeout`
    is in seconds. `max_tokens`, which bounds one reply, `temperature` and `top_p` are what rollouts
    name as their sampling.
    `listed_tasks` is how many tasks are listed by their texts before the rollouts, within
    `listing_seconds`; 0 for none. `variables` are the version's, for the processes that hold its
    code alone: some of them make any program load a library.
    """

    framework: str
    adapter: str
    module: str
    tasks: int
    first_task: int = 0
    indexes: Sequence[int] = ()
    seed: int | None = 0
    concurrency: int = 4
    gateway: str = "http://127.0.0.1:8000"
    model: str = "policy"
    max_turns: int = 100
    max_tokens: int = 512
    temperature: float = 1.0
    top_p: float = 1.0
    rollout_timeout: float = 120.0
    listed_tasks: int = 0
    listing_seconds: float = 20.0
    variables: dict[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form that `read` takes."""
        return asdict(self)


def read(path: str) -> GuestJob:
    """Read the job file; raises KeyError, TypeError or ValueError on a wrong shape."""
    return GuestJob(**json.loads(Path(path).read_text(encoding="utf-8")))
