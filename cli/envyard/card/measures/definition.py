"""The types of a measure: its definition (one registry entry) and its result for one run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal, Protocol

from envyard.card import statistics
from envyard.card.evidence import Evidence
from envyard.card.sources import SourceCode
from envyard.card.statistics import Interval
from envyard.contract.findings import Finding, finding

Status = Literal["pass", "warn", "fail", "unknown"]


@dataclass(frozen=True, slots=True)
class Measure:
    """One number about a version with its threshold; `low` and `high` bound it at 95 % by
    `method`. `source` says whose word it is (`sources.SOURCES`)."""

    code: str
    title: str
    value: float | None
    unit: str
    threshold: float | None
    status: Status
    n: int
    low: float | None = None
    high: float | None = None
    detail: str = ""
    method: str = ""
    source: SourceCode = "claimed"

    def to_dict(self) -> dict[str, Any]:
        """The JSON form that the card stores."""
        return asdict(self)


class OfTask(Protocol):
    """What belongs to one task: a rollout, or a mutant of one."""

    @property
    def task(self) -> int:
        """The task's index."""
        ...


@dataclass(frozen=True, slots=True)
class Reading:
    """What a measure's function computed; `threshold` and `source` replace the definition's where
    they are set."""

    value: float | None
    status: Status
    n: int
    low: float | None = None
    high: float | None = None
    detail: str = ""
    threshold: float | None = None
    method: str = ""
    source: SourceCode | None = None


def share(hits: int, n: int, status: Status, detail: str) -> Reading:
    """The rate of independent trials with Wilson's interval; unknown, whatever the status, where
    nothing was counted."""
    return _rate(hits, n, status, detail, statistics.wilson(hits, n))


def share_of_rollouts(
    rollouts: Iterable[tuple[OfTask, bool]],
    status: Status,
    detail: str,
    *,
    missing: int = 0,
) -> Reading:
    """The rate of rollouts that are hits with Wilson's interval, clustered by task; unknown,
    whatever the status, where nothing was counted.

    `missing` rollouts that were never made are no hits, each of a task of its own.
    """
    n: Counter[int] = Counter()
    hits: Counter[int] = Counter()
    for rollout, hit in rollouts:
        n[rollout.task] += 1
        hits[rollout.task] += hit
    n.update({-1 - number: 1 for number in range(missing)})
    interval = statistics.clustered_wilson({task: (hits[task], n[task]) for task in n})
    return _rate(hits.total(), n.total(), status, detail, interval)


def _rate(hits: int, n: int, status: Status, detail: str, interval: Interval) -> Reading:
    known: Status = status if n else "unknown"
    value = hits / n if n else None
    return Reading(value, known, n, interval.low, interval.high, detail, method=interval.method)


def unknown(detail: str) -> Reading:
    """A measure that nothing could be counted for."""
    return Reading(None, "unknown", 0, detail=detail)


def gate_finding(measure: Measure, evidence: Evidence) -> list[Finding]:
    """The finding of a failed gate, `card.<measure>`, with its numbers."""
    return [numbered(f"card.{measure.code}", f"{measure.title}: {measure.detail}.", measure)]


def numbered(code: str, message: str, measure: Measure) -> Finding:
    """A finding with the measure's value, threshold and n in its details."""
    return finding(code, message, value=measure.value, threshold=measure.threshold, n=measure.n)


def no_details(evidence: Evidence) -> dict[str, Any]:
    """A warning's details where the measure's own numbers are all there is."""
    return {}


@dataclass(frozen=True, slots=True)
class MeasureDefinition:
    """One measure: number, unit, threshold, source, status rule, findings and documentation.

    `source` is the weakest that the number rests on. `read` computes the number and its status.
    `question` and `advice` are its row in docs/card.md.
    `must_be_known`: an unknown result holds the version. `errors` makes the findings of a failed
    gate, `warning_details` what a warning names beside the numbers. `rollouts` are the parameters
    of a run's page that show the rollouts to read first; empty where no single filter does.
    """

    code: str
    title: str
    unit: str
    threshold: float | None
    read: Callable[[Evidence], Reading]
    question: str
    advice: str
    source: SourceCode
    must_be_known: bool = False
    rollouts: str = ""
    errors: Callable[[Measure, Evidence], list[Finding]] = gate_finding
    warning_details: Callable[[Evidence], dict[str, Any]] = no_details

    def measure(self, evidence: Evidence) -> Measure:
        """The measure's result for one run."""
        reading = self.read(evidence)
        threshold = self.threshold if reading.threshold is None else reading.threshold
        return Measure(
            code=self.code,
            title=self.title,
            value=reading.value,
            unit=self.unit,
            threshold=threshold,
            status=reading.status,
            n=reading.n,
            low=reading.low,
            high=reading.high,
            detail=reading.detail,
            method=reading.method,
            source=reading.source or self.source,
        )
