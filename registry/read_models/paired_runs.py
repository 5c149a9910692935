"""Rewards of runs by task and attempt, and which runs may be compared."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

from envyard.card.paired import Comparison, Rewards, Task, compare
from envyard.card.scores import bounds_over, hull
from envyard.card.statistics import Bounds, mean
from envyard.contract.job import MODEL
from envyard.contract.scoring import Scoring
from envyard.contract.values import record, records, text
from registry.errors import Stale
from registry.read_models import links
from registry.read_models.annotations import Spec, Uri
from registry.runs.models import Rollout, Run

MAX_TASKS = 1_000_000


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """One side of a comparison."""

    run: str
    url: Uri
    version: str
    model: str


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Two models on one version, or one model on two versions, at the tasks that both runs had."""

    of: Annotated[str, Spec(enum=["models", "versions"])]
    suite: str
    first: ComparedRun
    second: ComparedRun
    comparison: Annotated[
        Comparison,
        Spec(description="The first minus the second; pairs have the same task and attempt."),
    ]


@dataclass(frozen=True, slots=True)
class ComparedTask:
    """A task that both runs had: its index in each, and the means over its pairs of rollouts."""

    first_index: int
    second_index: int
    pairs: int
    first: float
    second: float
    difference: float


def rewards_of(runs: Iterable[Run]) -> tuple[dict[UUID, Rewards], Bounds]:
    """The model's rewards in each run that succeeded, and the narrowest bounds that contain
    those of each run; one query."""
    by_id = {run.pk: run for run in with_facts(runs)}
    tasks = {pk: tasks_of(run) for pk, run in by_id.items()}
    rows = Rollout.objects.filter(run__in=by_id, policy=MODEL, ok=True, reward__isnull=False)
    rewards: dict[UUID, dict[tuple[Task, int], float]] = defaultdict(dict)
    for pk, task, attempt, reward in rows.values_list("run_id", "task", "attempt", "reward"):
        if f"{MODEL}/{task}/{attempt}" in record(by_id[pk].facts.get("not_counted")):
            continue
        rewards[pk][tasks[pk].get(task, ("", task)), attempt] = float(reward or 0.0)
    bounds = [bounds_over([*rewards[pk].values()], declared(run)) for pk, run in by_id.items()]
    return {pk: rewards[pk] for pk in by_id}, hull(bounds)


def with_facts(runs: Iterable[Run]) -> list[Run]:
    """The runs with their facts; one query for those that were loaded without."""
    rows = list(runs)
    lacking = [run.pk for run in rows if "facts" in run.get_deferred_fields()]
    facts = (
        dict(Run.with_shards.filter(pk__in=lacking).values_list("pk", "facts")) if lacking else {}
    )
    for run in rows:
        if run.pk in facts:
            run.facts = facts[run.pk]
    return rows


def declared(run: Run | None) -> Scoring:
    """What the run's version declares about its rewards."""
    return Scoring.from_dict(record(run.facts.get("scoring")) if run else {})


def declared_by(version: int) -> Scoring:
    """What the version declares, as its newest run with a result read it; one query."""
    rows = Run.objects.filter(version=version, status=Run.Status.SUCCEEDED).only("facts")
    return declared(rows.order_by("-created_at").first())


def indexes_of(run: Run) -> dict[Task, int]:
    """The index of each task in the run."""
    return {task: index for index, task in tasks_of(run).items()}


def tasks_of(run: Run) -> dict[int, Task]:
    """Index -> hash of the task with its number among those of the same hash."""
    seen: Counter[str] = Counter()
    tasks: dict[int, Task] = {}
    for row in records(run.facts.get("tasks"), MAX_TASKS):
        index, digest = row.get("index"), text(row.get("hash"), 64)
        if isinstance(index, int) and digest:
            tasks[index] = (digest, seen[digest])
            seen[digest] += 1
    return tasks


def comparison(first: Run, second: Run) -> RunComparison:
    """Compare two runs; raises Stale where they do not compare, with what differs."""
    check(first, second)
    rewards, bounds = rewards_of([first, second])
    return RunComparison(
        of="models" if first.version_id == second.version_id else "versions",
        suite=first.suite.name if first.suite else "",
        first=_side(first),
        second=_side(second),
        comparison=compare(rewards[first.pk], rewards[second.pk], bounds),
    )


def compared_tasks(first: Run, second: Run, one: Rewards, two: Rewards) -> list[ComparedTask]:
    """Each task that both runs had, by the rewards of each, the largest difference first."""
    pairs: dict[Task, list[tuple[float, float]]] = defaultdict(list)
    for task, attempt in one.keys() & two.keys():
        pairs[task].append((one[task, attempt], two[task, attempt]))
    indexes = indexes_of(first), indexes_of(second)
    rows = []
    for task, values in pairs.items():
        means = [mean(column) or 0.0 for column in zip(*values, strict=True)]
        rows.append(
            ComparedTask(
                first_index=indexes[0].get(task, task[1]),
                second_index=indexes[1].get(task, task[1]),
                pairs=len(values),
                first=means[0],
                second=means[1],
                difference=means[0] - means[1],
            )
        )
    return sorted(rows, key=lambda row: (-abs(row.difference), row.first_index))


def check(first: Run, second: Run) -> None:
    """Raise Stale where the runs do not compare, with what differs."""
    for run in (first, second):
        if run.status != Run.Status.SUCCEEDED or MODEL not in run.policies:
            raise Stale(
                f"run {run.pk} has no result of a model", "Compare runs that succeeded with one."
            )
    if first.suite is None or second.suite is None or first.suite.digest != second.suite.digest:
        names = [
            f"{run.suite} {run.suite.digest[:12]}" if run.suite else "none"
            for run in (first, second)
        ]
        raise Stale(
            f"the runs have other suites, {names[0]} and {names[1]}, and do not compare",
            "Request both by the same suite: hub eval --suite.",
        )
    if first.version.environment_id != second.version.environment_id:
        raise Stale(
            f"{first.version.environment} and {second.version.environment} share no tasks",
            "Compare runs of one environment.",
        )
    if first.version_id != second.version_id and first.model != second.model:
        raise Stale(
            f"the runs differ in version ({first.version.version}, {second.version.version}) and "
            f"in model ({first.model}, {second.model})",
            "Compare two models on one version, or one model on two versions.",
        )


def _side(run: Run) -> ComparedRun:
    return ComparedRun(str(run.pk), links.run(run), run.version.version, run.model)
