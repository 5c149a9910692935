"""Two sides compared on the same tasks: runs of this hub, or evaluations that people pushed.

Two runs are paired by task and attempt. A pushed evaluation is paired by task, over the means of
each task's attempts, as its reproduction is (`claims`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from envyard.card.learnability.results import bars_of
from envyard.card.paired import Comparison, Rewards, Task, compare
from envyard.card.scores import bounds_over, hull
from envyard.card.statistics import Bounds, mean
from envyard.contract.scoring import Scoring
from registry.errors import Stale
from registry.read_models import links, paired_runs
from registry.read_models.annotations import Spec, Uri
from registry.read_models.claims import SHARED, means_by_task, rewards_outside
from registry.read_models.comparable_sides import (
    Row,
    check,
    digest_of,
    environment_of,
    model_of,
)
from registry.read_models.paired_runs import ComparedTask
from registry.runs.models import Run
from registry.self_reported import samples
from registry.self_reported.models import REPORTED, Evaluation
from registry.self_reported.samples import SampleResult

ATTEMPTS, MEANS = "task and attempt", "task, over the means of its attempts"


@dataclass(frozen=True, slots=True)
class ComparedSide:
    """One side of a comparison; `mean` is over all its `n` rewards, shared tasks or not."""

    kind: Annotated[str, Spec(enum=["run", "pushed"])]
    id: str
    url: Uri
    environment: str
    version: str
    model: str
    suite: Annotated[str, Spec(description="Its name, or the start of its digest if pushed.")]
    mean: float | None
    n: int


@dataclass(frozen=True, slots=True)
class PairedBar:
    """The number of rewards of each side from `low` to below `high`, the last bar's included."""

    low: float
    high: float
    first: int
    second: int


@dataclass(frozen=True, slots=True)
class SidesComparison:
    """Two sides at the tasks that both have; `notes` say in what they may differ unseen."""

    of: Annotated[str, Spec(enum=["models", "versions", "evaluations"])]
    first: ComparedSide
    second: ComparedSide
    comparison: Annotated[Comparison, Spec(description="The first minus the second.")]
    paired_by: Annotated[str, Spec(enum=[ATTEMPTS, MEANS])]
    notes: list[str]
    bars: Annotated[list[PairedBar], Spec(description="The rewards of both, not only shared ones.")]


def side(row: Row) -> ComparedSide:
    """What the side is, without its rewards."""
    return _side(row, [])


def single_side(row: Row) -> ComparedSide:
    """The side with the mean of its own rewards, where no other one is chosen yet."""
    if isinstance(row, Run):
        return _side(row, list(paired_runs.rewards_of([row])[0][row.pk].values()))
    return _side(row, [each.reward for each in samples.results_of(evaluation=row)])


def compare_sides(first: Row, second: Row) -> tuple[SidesComparison, list[ComparedTask]]:
    """The comparison and each task that both had, the largest difference first; raises Stale where
    the sides do not compare, with what differs."""
    check(first, second)
    if isinstance(first, Run) and isinstance(second, Run):
        rewards, bounds = paired_runs.rewards_of([first, second])
        pair = rewards[first.pk], rewards[second.pk]
        values = [list(each.values()) for each in pair]
        result = _result(first, second, compare(*pair, bounds), ATTEMPTS, [], values, bounds)
        return result, paired_runs.compared_tasks(first, second, *pair)
    sides = _measured(first, second), _measured(second, first)
    notes = [note for row, each in zip((first, second), sides, strict=True) for note in each.notes]
    values = [each.values for each in sides]
    rows = zip((first, second), values, strict=True)
    bounds = hull(bounds_over(each, _declared(row)) for row, each in rows)
    notes += _outside(first, second, values)
    difference = compare(sides[0].means, sides[1].means, bounds)
    most = max(len(each.means) for each in sides)
    if difference.tasks < SHARED * most:
        notes.append(
            f"Only {difference.tasks} of {most} tasks are in both; the difference is that of these."
        )
    tasks = _tasks(sides[0], sides[1])
    return _result(first, second, difference, MEANS, notes, values, bounds), tasks


def _outside(first: Row, second: Row, values: list[list[float]]) -> list[str]:
    """A note on each pushed side with rewards outside the bounds that the hub knows."""
    sides = list(zip((first, second), values, strict=True))
    known = [
        bounds_over(rewards if isinstance(row, Run) else [], scoring)
        for row, rewards in sides
        if (scoring := _declared(row)).reward is not None or isinstance(row, Run)
    ]
    return [
        f"{row.name}: {outside}, between which the hub knows rewards; the interval is wider for it."
        for row, rewards in sides
        if known and isinstance(row, Evaluation)
        if (outside := rewards_outside(rewards, hull(known)))
    ]


def _declared(row: Row) -> Scoring:
    """What the hub knows of the range of rewards that the side's version declares."""
    if isinstance(row, Run):
        return paired_runs.declared(row)
    return paired_runs.declared_by(row.version_id) if row.version_id else Scoring()


@dataclass(frozen=True, slots=True)
class _Measured:
    """The rewards of a side, the mean of each task, the index of each task, and reservations."""

    values: list[float]
    means: Rewards
    counts: Mapping[Task, int]
    indexes: Mapping[Task, int]
    notes: list[str]


def _measured(row: Row, other: Row) -> _Measured:
    if isinstance(row, Run):
        rewards = paired_runs.rewards_of([row])[0][row.pk]
        pairs = [(task, reward) for (task, _), reward in rewards.items()]
        indexes, notes = paired_runs.indexes_of(row), list[str]()
        if isinstance(other, Evaluation) and not _hashed(samples.results_of(evaluation=other)):
            # Tasks by their index alone, as the samples name them.
            pairs = [(("", indexes.get(task, task[1])), reward) for task, reward in pairs]
            indexes = {("", index): index for index in indexes.values()}
    else:
        results = samples.results_of(evaluation=row)
        if not results:
            raise Stale(
                f"the samples of {row.name} do not name their tasks, and do not compare",
                "Push them with `hub eval --local --push`, which writes example_id.",
            )
        by_hash = _hashed(results) and not _names_indexes(other)
        keys = _keys(results) if by_hash else {each.task: ("", each.task) for each in results}
        pairs = [(keys[each.task], each.reward) for each in results]
        indexes = {task: index for index, task in keys.items()}
        notes = _reservations(row, by_hash=by_hash)
    return _Measured(
        values=[reward for _, reward in pairs],
        means=means_by_task(pairs),
        counts=Counter(task for task, _ in pairs),
        indexes=indexes,
        notes=notes,
    )


def _hashed(results: list[SampleResult]) -> bool:
    return bool(results) and all(each.hash for each in results)


def _names_indexes(row: Row) -> bool:
    return isinstance(row, Evaluation) and not _hashed(samples.results_of(evaluation=row))


def _keys(results: list[SampleResult]) -> dict[int, Task]:
    """Index -> hash with its number among those of the same hash, as `paired_runs.tasks_of`."""
    seen: Counter[str] = Counter()
    keys: dict[int, Task] = {}
    for index, digest in sorted({each.task: each.hash for each in results}.items()):
        keys[index] = (digest, seen[digest])
        seen[digest] += 1
    return keys


def _reservations(row: Evaluation, *, by_hash: bool) -> list[str]:
    notes = [f"{row.name}: {REPORTED}"]
    if not digest_of(row):
        notes.append(
            f"{row.name} names no suite: its sampling, limits and judge may be others, and the "
            "difference may come from them."
        )
    if not by_hash:
        notes.append("Tasks are paired by their index alone: the samples name no hashes of tasks.")
    return notes


def _tasks(first: _Measured, second: _Measured) -> list[ComparedTask]:
    rows = []
    for task, attempt in first.means.keys() & second.means.keys():
        means = first.means[task, attempt], second.means[task, attempt]
        rows.append(
            ComparedTask(
                first_index=first.indexes.get(task, task[1]),
                second_index=second.indexes.get(task, task[1]),
                pairs=min(first.counts[task], second.counts[task]),
                first=means[0],
                second=means[1],
                difference=means[0] - means[1],
            )
        )
    return sorted(rows, key=lambda row: (-abs(row.difference), row.first_index))


def _result(
    first: Row,
    second: Row,
    comparison: Comparison,
    paired_by: str,
    notes: list[str],
    values: list[list[float]],
    bounds: Bounds,
) -> SidesComparison:
    bars = [bars_of(each, bounds.low, bounds.high) for each in values]
    return SidesComparison(
        of=_what_differs(first, second),
        first=_side(first, values[0]),
        second=_side(second, values[1]),
        comparison=comparison,
        paired_by=paired_by,
        notes=list(dict.fromkeys(notes)),
        bars=[
            PairedBar(one.low, one.high, one.count, two.count)
            for one, two in zip(*bars, strict=True)
        ],
    )


def _side(row: Row, values: list[float]) -> ComparedSide:
    run = isinstance(row, Run)
    return ComparedSide(
        kind="run" if run else "pushed",
        id=str(row.pk),
        url=links.run(row) if isinstance(row, Run) else links.evaluation(row),
        environment=str(environment_of(row)),
        version=row.version.version if row.version else "",
        model=model_of(row),
        suite=str(row.suite or "") if isinstance(row, Run) else digest_of(row)[:12],
        mean=mean(values),
        n=len(values),
    )


def _what_differs(first: Row, second: Row) -> str:
    if model_of(first) != model_of(second):
        return "models"
    return "versions" if first.version_id != second.version_id else "evaluations"
