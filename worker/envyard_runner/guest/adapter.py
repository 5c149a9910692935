"""The interface between the worker and a framework adapter: tasks, rollouts, outcomes."""

from __future__ import annotations

import gc
import importlib
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from .job import GuestJob

Message = dict[str, Any]


@dataclass(slots=True)
class Task:
    """One problem as the environment loaded it.

    `hook`: it has an oracle() of its own, which is never called in this process. `prompted`:
    `prompt` is what a policy is shown first, not merely what names the task.
    """

    index: int
    hash: str
    prompt: str
    answer: str | None
    split: str | None
    hook: bool
    source: Any
    prompted: bool = True

    @property
    def reference(self) -> bool:
        """Whether anything is known about what a perfect policy would say."""
        return self.hook or self.answer is not None

    def event(self) -> dict[str, Any]:
        """Its part of the `loaded` event."""
        return {
            "index": self.index,
            "hash": self.hash,
            "prompt": self.prompt[:4_000],
            "prompted": self.prompted,
            "answer": self.answer,
            "answer_characters": len(self.answer or ""),  # events hold the beginning of long texts
            "reference": self.reference,
            "hook": self.hook,
            "split": self.split,
        }


@dataclass(slots=True)
class Rollout:
    """One attempt, under a random alias that does not reveal its policy.

    `waits_for_model` states, at a timeout, which side used the time.
    """

    job: GuestJob
    id: str
    task: Task
    waits_for_model: bool = False

    @property
    def gateway_url(self) -> str:
        """The gateway's address for this rollout."""
        return f"{self.job.gateway}/rollouts/{self.id}"

    @property
    def url(self) -> str:
        """The base URL whose calls the gateway counts for this rollout."""
        return f"{self.gateway_url}/v1"


@dataclass(slots=True)
class Outcome:
    """What came back of a rollout. `rewards` holds (score, weight), `error` why it failed."""

    rewards: dict[str, tuple[float, float]] = field(default_factory=dict)
    metrics: dict[str, float] = field(default_factory=dict)
    messages: list[Message] = field(default_factory=list)
    turns: int = 0
    stop: str | None = None
    truncated: bool = False
    scoring_seconds: float | None = None
    error: dict[str, Any] | None = None


class FrameworkAdapter(Protocol):
    """One framework. The stages are called in this order, and an error names its stage."""

    version: str
    http: Any
    seed_entry: str  # what would take a seed, as the author calls it
    seeds: dict[str, int]  # the options that take a seed, with theirs; known once tasks are loaded

    @property
    def bounded(self) -> bool:
        """Whether the tasks end; known once tasks are loaded."""
        ...

    @property
    def compares(self) -> bool:
        """Whether attempts at a task must be scored together; known once tasks are loaded."""
        ...

    def prepare(self) -> None:
        """Set up what is the framework's and ours; nothing of the environment is imported yet."""
        ...

    def import_environment(self) -> None:
        """Import the environment."""
        ...

    def load(self) -> list[Task]:
        """The first tasks, in the environment's own order."""
        ...

    def every_task(self, limit: int) -> Iterator[Task]:
        """The tasks again from the first, as they are needed, and no more than `limit`."""
        ...

    def evaluation_tasks(self, limit: int) -> Iterator[Task] | None:
        """The same of a split for evaluation, apart from that for training; None without one."""
        ...

    def fields(self, task: Task) -> dict[str, Any]:
        """All that the framework keeps of a task."""
        ...

    def shared_resources(self) -> AbstractAsyncContextManager[None]:
        """Hold what rollouts share."""
        ...

    async def play(self, rollouts: list[Rollout]) -> list[Outcome]:
        """Play one group to its end; an exception is the environment's failure."""
        ...


def load_adapter(job: GuestJob) -> FrameworkAdapter:
    """The adapter that the job names. Imported here, so that only the framework in use is."""
    gc.disable()  # a quarter of the seconds that thousands of modules take, for hardly any garbage
    try:
        module, _, name = job.adapter.partition(":")
        kind = getattr(importlib.import_module(f".{module}", __package__), name)
        adapter: FrameworkAdapter = kind(job)
    finally:
        gc.freeze()  # to look at it all takes 0.2 s, in the middle of a rollout
        gc.enable()
    return adapter
