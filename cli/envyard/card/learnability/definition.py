"""The types of a model's measure: its input, its definition (one registry entry), its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from envyard.card import statistics
from envyard.card.sources import SourceCode
from envyard.card.statistics import Bounds, Interval, no_interval
from envyard.contract.runner_events import RolloutResult

NO_INTERVAL = no_interval()


@dataclass(frozen=True, slots=True)
class ModelEvidence:
    """The completed rollouts of one model in one run.

    `rewards` are those of each task in the order of its attempts, within `bounds`, which contain
    the declared range where the version declares one. A rollout is
    solved from `solved_from` on. `baseline` is the name and mean reward of the best-paid policy
    that does no work, None where none was rewarded; `constant` is what one answer to every task
    would earn.
    """

    rollouts: tuple[RolloutResult, ...]
    rewards: Mapping[int, tuple[float, ...]]
    bounds: Bounds
    solved_from: float
    baseline: tuple[str, float] | None
    constant: ModelReading
    declares_range: bool = False

    def solved(self, task: int) -> int:
        """How many of the task's rollouts are solved."""
        return sum(reward >= self.solved_from for reward in self.rewards[task])

    @property
    def n(self) -> int:
        """The number of rewards."""
        return sum(map(len, self.rewards.values()))


@dataclass(frozen=True, slots=True)
class ModelReading:
    """What a measure's function computed from `n` rollouts of `tasks` tasks; unknown where `value`
    is None, for the reason in `detail`."""

    value: float | None
    n: int
    tasks: int
    interval: Interval = NO_INTERVAL
    detail: str = ""


def unknown(detail: str) -> ModelReading:
    """A measure that nothing could be counted for."""
    return ModelReading(None, 0, 0, detail=detail)


def mean_over_tasks(
    evidence: ModelEvidence, shares: Mapping[int, float], *, size: int
) -> ModelReading:
    """The mean of one share a task, each from `size` rollouts of it or more; unknown where no task
    has that many."""
    if not shares:
        return unknown(f"no task has {size} rollouts")
    interval = statistics.bounded_mean({task: [s] for task, s in shares.items()}, Bounds(0.0, 1.0))
    n = sum(len(evidence.rewards[task]) for task in shares)
    return ModelReading(statistics.mean(list(shares.values())), n, len(shares), interval)


def share_of(counts: Mapping[int, tuple[int, int]], detail: str = "") -> ModelReading:
    """The share of all rollouts that count, from (how many count, how many there are) by task."""
    hits, n = (sum(column) for column in zip(*counts.values(), strict=True)) if counts else (0, 0)
    if not n:
        return unknown("no rollout completed")
    return ModelReading(hits / n, n, len(counts), statistics.clustered_wilson(counts), detail)


@dataclass(frozen=True, slots=True)
class ModelMeasure:
    """One number about a model in an environment; `low` and `high` bound it at 95 % by `method`,
    and are None for percentiles and totals, which describe the rollouts seen. `source` says whose
    word it is (`sources.SOURCES`)."""

    code: str
    title: str
    value: float | None
    unit: str
    n: int
    tasks: int
    low: float | None = None
    high: float | None = None
    method: str = ""
    detail: str = ""
    source: SourceCode = "claimed"

    def to_dict(self) -> dict[str, Any]:
        """The JSON form that the card stores."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ModelMeasureDefinition:
    """One measure of a model: number, unit, source and its row in docs/card.md."""

    code: str
    title: str
    unit: str
    source: SourceCode
    read: Callable[[ModelEvidence], ModelReading]
    meaning: str

    def measure(self, evidence: ModelEvidence) -> ModelMeasure:
        """The measure's result for one model."""
        return self.result(self.read(evidence))

    def result(self, reading: ModelReading) -> ModelMeasure:
        """The reading with code, title and unit."""
        return ModelMeasure(
            code=self.code,
            title=self.title,
            value=reading.value,
            unit=self.unit,
            n=reading.n,
            tasks=reading.tasks,
            low=reading.interval.low,
            high=reading.interval.high,
            method=reading.interval.method,
            detail=reading.detail,
            source=self.source,
        )
