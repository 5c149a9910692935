"""HostConfig: which rollouts are played, as one JSON file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .sampling import sampling_of


@dataclass(frozen=True, slots=True)
class PlannedRollout:
    """One rollout: its name, the index of its task, and the base URL of the model that answers."""

    name: str
    task: int
    base_url: str


@dataclass(frozen=True, slots=True)
class HostConfig:
    """The environment, the sampling, and the rollouts.

    `adapter` is that of the framework, `tasks` is the most tasks to take from the start of
    the dataset, `seed` is None where the environment's options keep their own. `max_tokens`, which
    bounds one reply, `temperature` and `top_p` are what rollouts name. `groups` are rollouts of
    one task that are scored together; `concurrency` of them are played at once, in their order. A
    process that computes references instead may take `reference_seconds` for one, looks up other
    tasks' references where `pairs` is set, and computes all replies to what tasks begin with that
    it can within `opening_seconds`.
    """

    adapter: str
    module: str
    tasks: int
    seed: int | None
    model: str
    max_turns: int
    max_tokens: int
    temperature: float
    top_p: float
    concurrency: int
    groups: tuple[tuple[PlannedRollout, ...], ...] = ()
    reference_seconds: float = 0.0
    pairs: bool = False
    opening_seconds: float = 0.0

    @property
    def sampling(self) -> dict[str, Any]:
        """The sampling arguments of a rollout."""
        return sampling_of(self.temperature, self.top_p, self.max_tokens)

    def to_json(self) -> bytes:
        """The form that `read` takes."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def read(cls, path: str) -> HostConfig:
        """Read the file; raises KeyError, TypeError or ValueError on a wrong shape."""
        fields: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
        groups = fields.pop("groups")
        planned = tuple(tuple(PlannedRollout(**row) for row in group) for group in groups)
        return cls(**fields, groups=planned)
