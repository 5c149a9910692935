"""JobSpec: everything a runner gets about one run. Its only credential is the run token."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from envyard.contract.data_lock import DataLock
from envyard.contract.survey import SURVEY_SECONDS
from envyard.contract.task_indexes import part_of

EMPTY = DataLock().to_dict()
RUNS = "runs"
MODEL = "model"


def queue_for(model: str) -> str:
    """The queue of notifications for runs of this model; without a model, for runs of probes alone.

    The name is valid for every broker; different models have different queues.
    """
    if not model:
        return RUNS
    plain = re.sub(r"[^A-Za-z0-9_-]", "-", model)[:40]
    return f"{RUNS}-{plain}-{hashlib.sha256(model.encode()).hexdigest()[:8]}"


@dataclass(frozen=True, slots=True)
class WheelRef:
    """The address of the version's wheel, and the hash and size of its bytes."""

    url: str
    filename: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class GitArchive:
    """A distribution that the version takes from a git repository: the archive of the commit's
    files, and the folder of it that is built ("" for its top)."""

    name: str
    repository: str
    commit: str
    subdirectory: str
    archive: WheelRef

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> GitArchive:
        """Read the JSON form."""
        return cls(**{**data, "archive": WheelRef(**data["archive"])})


@dataclass(frozen=True, slots=True)
class BoundSecret:
    """A secret of the environment by its name, and the hosts that may receive its value."""

    name: str
    hosts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunLimits:
    """Bounds of one run: seconds, bytes and counts.

    The judge's calls and tokens, of a rollout and of the run, are apart from the policy's.
    """

    wall_seconds: float = 900.0
    rollout_seconds: float = 120.0
    install_seconds: float = 600.0
    cpu_seconds: int = 900
    memory_bytes: int = 4 << 30
    pids: int = 256
    tmp_bytes: int = 256 << 20
    log_bytes: int = 1 << 20
    max_turns: int = 100
    max_tokens: int = 512
    calls_per_rollout: int = 200
    judge_calls_per_rollout: int = 32
    judge_tokens_per_rollout: int = 200_000
    judge_calls: int = 4000
    judge_tokens: int = 10_000_000
    judge_max_tokens: int = 2048


@dataclass(frozen=True, slots=True)
class JobSpec:
    """One run: a version, its policies, tasks and attempts, and the limits.

    `tasks` is the maximum number of tasks, from the start of the dataset or, for a shard, from
    `first_task` on; where the suite names tasks, `indexes` are those up to the last of this job.
    `attempts` are the rollouts of each task for the model (probes get one). `model` is the name of
    the model behind the policy `model`; its address is the runner's own setting and
    never part of the job. Dependencies are
    resolved as they were at `uploaded_at` (ISO 8601). Data sets are read as `data_lock` has them;
    a run may extend it unless it is frozen. `judge_model` is the name of the model that answers the
    environment's own calls, empty without one; `declares_judge` where the wheel declares that it
    makes such calls. `variables` are the environment's public ones, `hosts` those that it may
    reach, `declared_hosts` those that the wheel declares; values of `secrets` are fetched apart,
    with the run token. `git_sources` are dependencies that no index has. `temperature` is that of
    all calls to the model. `survey_tasks` is how many tasks are listed at most, within
    `survey_seconds`, to be compared and sampled; 0 for no survey.
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
    first_task: int = 0
    indexes: tuple[int, ...] = ()
    model: str = ""
    uploaded_at: str = ""
    concurrency: int = 4
    temperature: float = 1.0
    data_lock: DataLock = field(default_factory=DataLock)
    data_frozen: bool = False
    judge_model: str = ""
    declares_judge: bool = False
    variables: dict[str, str] = field(default_factory=dict)
    hosts: tuple[str, ...] = ()
    declared_hosts: tuple[str, ...] = ()
    secrets: tuple[BoundSecret, ...] = ()
    git_sources: tuple[GitArchive, ...] = ()
    limits: RunLimits = field(default_factory=RunLimits)
    survey_tasks: int = 0
    survey_seconds: float = SURVEY_SECONDS

    @property
    def task_indexes(self) -> Sequence[int]:
        """The indexes of its tasks, ascending; of those there are at most."""
        return part_of(self.indexes, self.first_task, self.tasks)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form sent to the runner."""
        return asdict(self) | {"data_lock": self.data_lock.to_dict()}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> JobSpec:
        """Read the hub's JSON form; raises KeyError, TypeError or ValueError on a wrong shape."""
        fields = {name: data[name] for name in cls.__dataclass_fields__ if name in data}
        fields["wheel"] = WheelRef(**data["wheel"])
        fields["policies"] = tuple(data["policies"])
        fields["data_lock"] = DataLock.from_dict(data.get("data_lock") or EMPTY)
        fields["hosts"] = tuple(data.get("hosts", ()))
        fields["indexes"] = tuple(data.get("indexes", ()))
        fields["declared_hosts"] = tuple(data.get("declared_hosts", ()))
        fields["secrets"] = tuple(
            BoundSecret(secret["name"], tuple(secret["hosts"]))
            for secret in data.get("secrets", ())
        )
        fields["git_sources"] = tuple(map(GitArchive.from_dict, data.get("git_sources", ())))
        fields["limits"] = RunLimits(**data.get("limits", {}))
        return cls(**fields)
