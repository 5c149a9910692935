"""What runners and the hub tell each other: the contract's own dataclasses."""

from __future__ import annotations

from pydantic import RootModel

from envyard.contract.job import JobSpec
from envyard.contract.runner_events import Events, Finish
from registry.api.schema.base import Moment, Shape


class Presence(Shape):
    """How the hub sees the runner of a token, by its name; a draining one is given no new run."""

    runner: str
    draining: bool


class OutOfService(Shape):
    """Why a runner takes no runs by its own decision; `check` is what its self-check found last."""

    since: Moment | None
    reason: str
    check: str


class LentRunner(Shape):
    """A runner; `held` runs are under way there, `ending` says that it drains by its own word,
    `away` that it has ended or was not heard of for a minute."""

    id: int
    name: str
    enabled: bool
    models: list[str]
    pythons: list[str]
    held: int
    draining_since: Moment | None
    ending: bool
    away: bool
    out_of_service: OutOfService | None
    last_seen_at: Moment | None


class Job(RootModel[JobSpec]):
    """One run to execute."""


class Batch(RootModel[Events]):
    """What happened since the last batch."""


class Ending(RootModel[Finish]):
    """How the attempt ended."""


class Heard(Shape):
    """How long the lease holds now, and whether to stop."""

    lease_seconds: float
    cancel: bool


class Nothing(Shape):
    """An empty object."""
