"""Move runs whose time is over: an expired lease, a run that no runner takes."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from envyard.contract.findings import finding
from registry.accounts.models import Runner
from registry.runs import endings, limits, pythons, shards, stopping
from registry.runs.attempts import by_runner
from registry.runs.models import Run

log = logging.getLogger(__name__)

BATCH = 500


@dataclass(frozen=True, slots=True)
class SweepResult:
    """The number of runs that lost their lease, and of those that no runner took."""

    expired: int
    abandoned: int


def sweep(*, now: datetime) -> SweepResult:
    """Move every run whose time is over to its next attempt or its end; safe to run twice."""
    over = Q(lease_expires_at__lt=now)
    expired = Run.with_shards.filter(over, status__in=Run.LEASED_STATES)
    # A run that lost an attempt was taken when that began, however long ago it was created; the
    # condition on `created_at` is implied, and is there for the index.
    since = now - limits.MAX_QUEUED
    old = Run.with_shards.filter(status=Run.Status.QUEUED, created_at__lt=since)
    queued = old.annotate(since=Coalesce("started_at", "created_at")).filter(since__lt=since)
    others = Run.with_shards.filter(parent=OuterRef("parent"), started_at__gte=since)
    sharded = Run.objects.filter(status=Run.Status.SHARDED)
    _each(stopping.evaluations_of_gone_versions().order_by("created_at"), stopping.stop_gone)
    _each(sharded.order_by("created_at"), _conclude)  # whose message was lost
    return SweepResult(
        expired=_each(
            expired.order_by("lease_expires_at"),
            partial(_lose, still=over, reason="stopped reporting", now=now, silent=True),
        ),
        abandoned=_each(queued.filter(~Exists(others)).order_by("created_at"), _abandon),
    )


def _each(runs: QuerySet[Run], act: Callable[[UUID], bool]) -> int:
    """The number of runs that moved. One that cannot be moved must not block the others."""
    moved = 0
    for pk in runs.values_list("pk", flat=True)[:BATCH]:
        try:
            moved += act(pk)
        except Exception:
            log.exception("run %s could not be moved, the next sweep tries again", pk)
    return moved


def _conclude(pk: UUID) -> bool:
    shards.conclude(pk)
    return True


def requeue_runs_of(*, runner: Runner, reason: str) -> None:
    """Move every run leased to the runner to its next attempt or its end, whatever its lease;
    `reason` completes "Runner X ..."."""
    for pk in Run.with_shards.filter(runner=runner, status__in=Run.LEASED_STATES).values_list(
        "pk", flat=True
    ):
        _lose(pk, Q(runner=runner), reason, now=timezone.now(), silent=False)


def _lose(pk: UUID, still: Q, reason: str, *, now: datetime, silent: bool) -> bool:
    """Move one run in a transaction, after a second look under lock: a batch may have arrived.

    A run taken from a runner that was not `silent` counts as handed back.
    """
    with transaction.atomic():
        run = (
            Run.with_shards.select_for_update(of=("self",))
            .select_related("version__environment", "runner")
            .filter(still, pk=pk, status__in=Run.LEASED_STATES)
            .first()
        )
        if run is None:
            return False
        if run.cancel_requested_at is not None:
            endings.note(run, "the runner did not answer the request to stop; the run ends here.")
            return endings.end(run=run, status=Run.Status.CANCELLED)
        expired = finding(
            "run.lease_expired", f"Runner {run.runner} {reason} while the run was {run.status}."
        )
        return endings.next_attempt(
            run=run, findings=[expired], now=now, silent=silent, handed_back=not silent
        )


def _abandon(pk: UUID) -> bool:
    with transaction.atomic():
        run = (
            Run.with_shards.select_for_update(of=("self",))
            .select_related("version__environment")
            .filter(pk=pk, status=Run.Status.QUEUED)
            .first()
        )
        if run is None:
            return False
        hours = limits.MAX_QUEUED.total_seconds() / 3600
        message = f"No runner took this run within {hours:.0f} hours."
        endings.note(run, message)
        rows = list(run.lost_attempts.order_by("attempt"))
        before = f" Earlier attempts: {by_runner(rows)}." if rows else ""
        never = finding("run.never_taken", f"{message}{before}")
        if lacks := pythons.lacking(run):
            never = finding("run.no_python", lacks)
        return endings.end(run=run, status=Run.Status.ERRORED, findings=[never])
