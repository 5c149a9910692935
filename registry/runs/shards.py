"""Shards: parts of an evaluation by task, which runners lease in its place, and how it ends.

A shard is a row like a run's, so queue, lease, fence, attempts and sweep treat it as one. Nothing
here locks a shard and its parent in that order: who ends a shard has locked the shard first.
Reasons: docs/decisions/0076.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F, Min, Q, QuerySet, Sum
from django.utils import timezone

from envyard.contract.facts import Facts
from envyard.contract.findings import Finding
from registry.catalog.related_models import VersionFinding
from registry.runs import endings
from registry.runs.merging import Part, contradictions, merge
from registry.runs.models import Run

Status = Run.Status
MAX_TASKS = 1000  # of one shard: a runner reports no more
MAX_FINDINGS = 200  # of a run, from all its shards
RESUMABLE = timedelta(days=1)  # later the model's name may stand for other weights
NO_RESULT = (Status.FAILED, Status.ERRORED, Status.CANCELLED)  # the first of them decides


def of(run: Run) -> QuerySet[Run]:
    """The shards of the run, by their tasks."""
    return Run.with_shards.filter(parent=run).order_by("first_task")


def size(attempts: int) -> int:
    """The most tasks of a shard, for so many attempts at each."""
    return min(MAX_TASKS, max(1, settings.HUB_SHARD_ROLLOUTS // attempts))


def split(run: Run) -> int:
    """Store the new, unsaved evaluation: queued, or sharded with queued shards where it has more
    rollouts than HUB_SHARD_ROLLOUTS. Returns the number of rows that runners can lease.

    Needs a transaction. Each shard has a turn of its own in the owner's share of the queue.
    """
    most = size(run.attempts)
    if run.tasks <= most:
        run.save(force_insert=True)
        return 1
    run.status, run.total = Status.SHARDED, run.tasks * run.attempts
    run.save(force_insert=True)
    indexes = run.task_indexes
    places = range(0, run.tasks, most)
    _queue(run, [(indexes[place], min(most, run.tasks - place)) for place in places])
    _note(run, f"split into {len(places)} shards of up to {most} tasks (HUB_SHARD_ROLLOUTS).")
    return len(places)


def resume(run: Run, ended: Run) -> int:
    """Store the new, unsaved evaluation that repeats the ended one, and queue its shards without a
    result. Those with one, of the last day, move to the new run with their rollouts. Returns the
    number of rows that runners can lease.

    Needs a transaction. Where nothing can be kept, the run is split as any other.
    """
    rows = list(of(ended).defer("facts"))
    kept = _usable(ended)
    if not kept or len(kept) == len(rows):  # all have a result where they contradict each other
        return split(run)
    run.status, run.total = Status.SHARDED, run.tasks * run.attempts
    run.done = sum(row.done for row in kept.values())
    run.save(force_insert=True)
    for row in kept.values():
        row.own_rollouts.update(run=run)
    Run.with_shards.filter(pk__in=kept).update(parent=run)
    again = [row for row in rows if row.pk not in kept]
    _queue(run, [(row.first_task, row.tasks) for row in again])
    _note(run, f"repeats run {ended.pk}: {len(kept)} shards of it are kept, {len(again)} queued.")
    _note(ended, f"{len(kept)} shards with a result belong to run {run.pk}, which repeats this.")
    return len(again)


def _usable(ended: Run) -> dict[UUID, Run]:
    """The shards of an ended run whose result another run can use: recent, and with their facts."""
    since = timezone.now() - RESUMABLE
    rows = of(ended).filter(status=Status.SUCCEEDED, ended_at__gte=since)
    whole = [row for row in rows if row.done == 0 or "tasks" in row.facts]
    for row in whole:
        row.suite = ended.suite
    return {row.pk: row for row in whole}


def _queue(run: Run, parts: Iterable[tuple[int, int]]) -> None:
    """Store a queued shard for each pair of its first task and its number of tasks."""
    Run.with_shards.bulk_create(
        Run(
            parent=run,
            first_task=first,
            tasks=tasks,
            turn=run.turn + number,
            priority=run.priority + number,
            last_notified_at=run.last_notified_at,
            **{name: getattr(run, name) for name in COPIED},
        )
        for number, (first, tasks) in enumerate(parts)
    )


COPIED = (
    *("version", "environment", "owner", "purpose", "suite", "policies", "model", "attempts"),
    *("seed", "pythons", "needs", "requested_by"),
)


def progressed(run_id: UUID) -> None:
    """Sum up the rollouts of the shards in their run, after a change of one of them."""
    rows = Run.with_shards.filter(parent=run_id).order_by()
    own = Q(started_at__gte=F("parent__created_at"))  # others began in the run that this repeats
    sums = rows.aggregate(done=Sum("done"), started=Min("started_at", filter=own))
    Run.objects.filter(pk=run_id, status=Status.SHARDED).update(
        done=sums["done"] or 0, started_at=sums["started"], last_seq=F("last_seq") + 1
    )


def conclude(run_id: UUID) -> None:
    """Bring a sharded run up to date: end shards that have nothing left to do, and the run after
    its last shard. A second call changes nothing more."""
    run = Run.objects.filter(pk=run_id, status=Status.SHARDED).first()
    if run is None:
        return
    rows = of(run)
    if run.cancel_requested_at is not None or rows.filter(status__in=NO_RESULT).exists():
        _stop(rows)
    elif not run.named_tasks:  # of those none may be missing
        _end_empty(rows)
    with transaction.atomic():
        locked = Run.objects.select_for_update(of=("self",), no_key=True)
        locked = locked.select_related("version__environment")
        run = locked.filter(pk=run_id, status=Status.SHARDED).first()
        if run is not None and not of(run).filter(status__in=Run.ACTIVE).exists():
            _end(run, list(of(run).select_related("runner")))


def _stop(rows: QuerySet[Run]) -> None:
    """Cancel the queued shards, and request the runners of the others to stop.

    Row by row and without the parent's lock, since a runner that ends a shard holds that one.
    """
    now = timezone.now()
    for pk in rows.filter(status__in=Run.ACTIVE).values_list("pk", flat=True):
        row = Run.with_shards.filter(pk=pk)
        row.filter(status=Status.QUEUED).update(
            status=Status.CANCELLED, ended_at=now, cancel_requested_at=now
        )
        row.filter(status__in=Run.LEASED_STATES, cancel_requested_at=None).update(
            cancel_requested_at=now
        )


def _end_empty(rows: QuerySet[Run]) -> None:
    """End the queued shards that begin after the last task, once a shard has shown how many tasks
    there are."""
    ended = rows.filter(status=Status.SUCCEEDED)
    for first, tasks, loaded in ended.values_list("first_task", "tasks", "facts__loaded_tasks"):
        if isinstance(loaded, int) and loaded < first + tasks:
            facts, now = {"loaded_tasks": loaded}, timezone.now()
            for pk in rows.filter(status=Status.QUEUED, first_task__gte=loaded).values_list(
                "pk", flat=True
            ):
                Run.with_shards.filter(pk=pk, status=Status.QUEUED).update(
                    status=Status.SUCCEEDED, ended_at=now, facts=facts
                )
            return


def _end(run: Run, rows: Sequence[Run]) -> None:
    """End the run, locked, by the ends of all its shards."""
    statuses = {row.status for row in rows}
    findings: list[Finding] = []
    for row in rows:
        row.suite = run.suite  # read once
    if statuses == {Status.SUCCEEDED}:
        parts = [_part(row) for row in rows]
        findings = contradictions(parts)
        codes = {each.code for each in findings}
        by_environment = codes and codes != {"run.runner_error"}
        status = Status.FAILED if by_environment else Status.ERRORED if codes else Status.SUCCEEDED
        run.facts = merge(parts).to_dict()
    elif run.cancel_requested_at is not None:
        status = Status.CANCELLED
    else:
        status = next(each for each in NO_RESULT if each in statuses)
    run.provided, run.done = rows[0].provided, sum(row.done for row in rows)
    run.total = sum(row.total or row.done for row in rows)
    run.save(update_fields=["facts", "provided", "done", "total"])
    decisive = [row for row in rows if row.status in (status, Status.SUCCEEDED)]
    endings.end(run=run, status=status, findings=[*findings, *_findings(decisive)])
    lines = [f"{_part(row)}: {row.status}, {row.done} rollouts" for row in rows]
    _note(run, f"{status.value} by its {len(rows)} shards:\n" + "\n".join(lines))
    if run.facts:
        _strip(rows)


def _strip(rows: Sequence[Run]) -> None:
    """Remove the facts about single tasks from the shards: their run has them now."""
    for row in rows:
        row.facts = {k: v for k, v in row.facts.items() if k not in ("tasks", "hashes_again")}
    Run.with_shards.bulk_update(rows, ["facts"], batch_size=100)


def _part(row: Run) -> Part:
    runner = row.runner.name if row.runner else ""
    return Part(row.task_indexes, runner, Facts.from_dict(row.facts))


def _findings(rows: Iterable[Run]) -> list[Finding]:
    """The findings of the shards, errors first, each text once."""
    stored = VersionFinding.objects.filter(run__in=[row.pk for row in rows]).order_by("pk")
    unique = {(row.code, row.message, row.where): row for row in stored}
    ordered = sorted(unique.values(), key=lambda row: ORDER.index(row.severity))
    return [Finding.from_dict(vars(row)) for row in ordered[:MAX_FINDINGS]]


ORDER = ("error", "warning", "info")


def _note(run: Run, line: str) -> None:
    """Append a line of the hub to the log of the sharded run, which no runner writes to."""
    endings.note(run, line)
    run.last_seq += 1
    run.save(update_fields=["last_seq"])
