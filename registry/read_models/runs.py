"""Runs as the pages and the API show them.

Functions in the plural take a page of rows and cost a fixed number of queries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any
from uuid import UUID

from envyard.contract.codes import CODES
from envyard.contract.job import MODEL
from envyard.contract.probes import PROBE_NAMES
from envyard.contract.task_indexes import indexes_text
from registry.catalog.related_models import VersionFinding
from registry.read_models import links
from registry.read_models.annotations import (
    Moment,
    Sha256,
    Spec,
    StoredModelResults,
    StoredScore,
    Uri,
    extended,
)
from registry.read_models.costs import ModelCost, of_models
from registry.read_models.disputed_labels import of_evaluation
from registry.read_models.model_results import of_run
from registry.read_models.scores import of_runs
from registry.runs import queue, shards, waiting
from registry.runs.models import Run
from registry.runs.queue import Position

POLICIES = f"{', '.join(PROBE_NAMES)}, {MODEL}"


@dataclass(frozen=True, slots=True)
class RecordedFinding:
    """One result of one check, of a run or of the card, with a stable code."""

    stage: Annotated[str, Spec(enum=VersionFinding.Stage.values)]
    code: str
    severity: Annotated[str, Spec(enum=["error", "warning", "info"])]
    message: str
    hint: str
    where: str
    details: dict[str, Any]
    run: str | None


@dataclass(frozen=True, slots=True)
class RunSuite:
    """The suite of a run; results compare only where the digest is the same."""

    name: str
    digest: Sha256


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One evaluation of one version, as lists show it."""

    id: UUID
    environment: str
    version: str
    purpose: Annotated[
        str,
        Spec(
            enum=Run.Purpose.values,
            description="Whether it decides on its version, or measures a model on a listed one.",
        ),
    ]
    suite: Annotated[RunSuite | None, Spec(description="Null for runs from before suites.")]
    status: Annotated[str, Spec(enum=Run.Status.values)]
    attempt: int
    policies: Annotated[list[str], Spec(description=POLICIES)]
    model: str
    done: int
    total: int
    created_at: Moment
    started_at: Moment | None
    ended_at: Moment | None
    runner: str | None
    scores: list[StoredScore]
    url: Uri


@dataclass(frozen=True, slots=True)
class LostAttempt:
    """An attempt that ended without a result."""

    attempt: int
    runner: str
    counted: Annotated[
        bool,
        Spec(description="It used up one of the attempts that a run has: its code had begun."),
    ]
    handed_back: Annotated[bool, Spec(description="Its runner was stopped or taken out.")]
    code: str
    message: str
    at: Moment


@dataclass(frozen=True, slots=True)
class RunShard:
    """A part of a run by task that one runner leases; `id` is that of its log."""

    id: UUID
    first_task: int
    last_task: Annotated[int, Spec(description="If the data set has as many.")]
    tasks: int
    status: Annotated[str, Spec(enum=Run.Status.values)]
    attempt: int
    runner: str | None
    done: int
    total: int
    url: Uri


@dataclass(frozen=True, slots=True)
class FollowedRun(RunSummary):
    """A run and its position in the queue; `not_before` is when its next attempt may begin."""

    queue: Position | None
    not_before: Moment | None
    lost_attempts: list[LostAttempt]


@dataclass(frozen=True, slots=True)
class RunDetail(FollowedRun):
    """A run with its findings."""

    facts: Annotated[dict[str, Any], Spec(description="What the runner noted about the wheel.")]
    findings: list[RecordedFinding]
    parent: Annotated[UUID | None, Spec(description="The run of which this is a shard.")]
    shards: Annotated[
        list[RunShard], Spec(description="Those of a run that was split, by their tasks.")
    ]
    first_task: int
    last_task: Annotated[int, Spec(description="If the data set has as many.")]
    tasks: int
    named_tasks: Annotated[
        str,
        Spec(description="Those that the suite names by index; empty where it takes the first."),
    ]
    attempts: int
    seed: int
    variables: Annotated[dict[str, str], Spec(description="The public variables that it had.")]
    hosts: Annotated[list[str], Spec(description="The hosts that it might reach.")]
    models: Annotated[
        list[StoredModelResults],
        Spec(description="What its model can learn and what that costs, once it succeeded."),
    ]
    costs: Annotated[
        list[ModelCost], Spec(description="In money, where the operator names prices.")
    ]


def summaries(runs: Sequence[Run]) -> list[RunSummary]:
    """RunSummary of each; rows come with version, environment, owner, runner and suite."""
    scores = of_runs(runs)
    return [_summary(run, scores[run.pk]) for run in runs]


def summary(run: Run) -> RunSummary:
    """RunSummary."""
    return summaries([run])[0]


def _summary(run: Run, scores: list[StoredScore]) -> RunSummary:
    return RunSummary(
        id=run.pk,
        environment=str(run.version.environment),
        version=run.version.version,
        purpose=run.purpose,
        suite=RunSuite(run.suite.name, run.suite.digest) if run.suite else None,
        status=run.status,
        attempt=run.attempt,
        policies=run.policies,
        model=run.model,
        done=run.done,
        total=run.total,
        created_at=run.created_at,
        started_at=run.started_at,
        ended_at=run.ended_at,
        runner=run.runner.name if run.runner else None,
        scores=scores,
        url=links.run(run),
    )


def followed(run: Run) -> FollowedRun:
    """FollowedRun; `not_before` is null unless the run waits for that time."""
    return extended(
        FollowedRun,
        summary(run),
        queue=queue.position(run),
        not_before=waiting.paused(run),
        lost_attempts=_lost_attempts(run),
    )


def _lost_attempts(run: Run) -> list[LostAttempt]:
    # A run in its first attempt has lost none, unless that was the last one too.
    if run.attempt <= 1 and run.status != Run.Status.ERRORED:
        return []
    return [
        LostAttempt(
            attempt=row.attempt,
            runner=row.runner_name,
            counted=row.counted,
            handed_back=row.handed_back,
            code=row.code,
            message=row.message,
            at=row.at,
        )
        for row in run.lost_attempts.all()
    ]


def detail(run: Run) -> RunDetail:
    """RunDetail."""
    models = of_run(run)
    return extended(
        RunDetail,
        followed(run),
        facts=run.facts,
        findings=[*map(finding, run.findings.all()), *_disputed(run)],
        parent=run.parent_id,
        shards=_shards(run),
        first_task=run.first_task,
        last_task=run.task_indexes[-1],
        tasks=run.tasks,
        named_tasks=indexes_text(run.named_tasks),
        attempts=run.attempts,
        seed=run.seed,
        variables=run.provided.get("variables", {}),
        hosts=run.provided.get("hosts", []),
        models=models,
        costs=of_models(models),
    )


def _disputed(run: Run) -> list[RecordedFinding]:
    """The warning about labels that all attempts of an evaluation's model dispute."""
    disputed = of_evaluation(run)
    if disputed is None:
        return []
    return [
        RecordedFinding(
            stage=VersionFinding.Stage.CARD,
            code=disputed.code,
            severity=disputed.severity,
            message=disputed.message,
            hint=CODES[disputed.code].hint,
            where="",
            details={"tasks": [asdict(task) for task in disputed.tasks]},
            run=str(run.pk),
        )
    ]


def _shards(run: Run) -> list[RunShard]:
    if not run.is_evaluation or run.parent_id is not None:
        return []
    rows = list(shards.of(run).select_related("runner").defer("facts"))
    for row in rows:
        row.suite = run.suite
    return [
        RunShard(
            id=row.pk,
            first_task=row.first_task,
            last_task=row.task_indexes[-1],
            tasks=row.tasks,
            status=row.status,
            attempt=row.attempt,
            runner=row.runner.name if row.runner else None,
            done=row.done,
            total=row.total,
            url=links.run(row),
        )
        for row in rows
    ]


def finding(row: VersionFinding) -> RecordedFinding:
    """One finding of a check, a run or the card."""
    return RecordedFinding(
        stage=row.stage,
        code=row.code,
        severity=row.severity,
        message=row.message,
        hint=row.hint,
        where=row.where,
        details=row.details,
        run=str(row.run_id) if row.run_id else None,
    )
