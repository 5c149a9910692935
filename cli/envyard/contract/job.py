"""JobSpec: all that a runner is told about one run. It holds no credential but the run token."""

from __future__ import annotations

import hashlib
import re
from dataclasses import asdict, dataclass, field
from typing import Any

RUNS = "runs"
MODEL = "model"


def queue_for(model: str) -> str:
    """The queue that rings for runs of this model, for those of probes alone where it is empty.

    Any broker takes the name; models that differ have queues that differ.
    """
    if not model:
        return RUNS
    plain = re.sub(r"[^A-Za-z0-9_-]", "-", model)[:40]
    return f"{RUNS}-{plain}-{hashlib.sha256(model.encode()).hexdigest()[:8]}"


@dataclass(frozen=True, slots=True)
class WheelRef:
    """Where the version's wheel is and what its bytes must be."""

    url: str
    filename: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class RunLimits:
    """Bounds of one run: seconds, bytes and counts."""

    wall_seconds: float = 900.0
    rollout_seconds: float = 120.0
    install_seconds: float = 600.0
    cpu_seconds: int = 900
    memory_bytes: int = 4 << 30
    pids: int = 256
    tmp_bytes: int = 256 << 20
    log_bytes: int = 1 << 20
    max_turns: int = 32
    max_tokens: int = 512
    calls_per_rollout: int = 64


@dataclass(frozen=True, slots=True)
class JobSpec:
    """One run: this version, these policies, so many tasks and attempts, within these limits.

    `tasks` is the most tasks to take from the start of the dataset; `attempts` the rollouts of
    each task for the model (probes get one). `model` names the policy `model` stands for; how it
    is reached is the runner's own setting and never part of the job. Dependencies are resolved as
    they were at `uploaded_at` (ISO 8601).
    """

    run: str
    attempt: int
    run_token: str
    environment: str
    version: str
    wheel: WheelRef
    framework: str
    api: str
    module: str
    entry: str
    policies: tuple[str, ...]
    tasks: int
    attempts: int
    seed: int
    lease_seconds: float
    model: str = ""
    uploaded_at: str = ""
    concurrency: int = 4
    limits: RunLimits = field(default_factory=RunLimits)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form sent to the runner."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> JobSpec:
        """Read the hub's JSON form; raises KeyError or TypeError on a wrong shape."""
        fields = {name: data[name] for name in cls.__dataclass_fields__ if name in data}
        fields["wheel"] = WheelRef(**data["wheel"])
        fields["policies"] = tuple(data["policies"])
        fields["limits"] = RunLimits(**data.get("limits", {}))
        return cls(**fields)
