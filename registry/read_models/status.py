"""Whether the hub works, for everybody: queue, runners, models, storage and recent faults.

Counts and times alone: no name of a runner, an environment or an owner, since some are private.
"""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, cast

from django.core.cache import cache
from django.db.models import Count, Min, Q
from django.utils import timezone

from registry.accounts import runners
from registry.accounts.models import Runner
from registry.catalog.models import Version
from registry.read_models.annotations import Moment, Spec
from registry.runs.models import Run
from registry.storage import probe

KEPT = 15  # seconds that a status is kept, so that a watched page costs no queries
STORAGE_KEPT = 60
RECENT = timedelta(days=1)
ERRORED_SHARE, ERRORED_RUNS = 0.1, 3  # from both on, errored runs are an incident
OVERDUE = timedelta(hours=1)  # of the oldest queued run
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class QueueStatus:
    """What waits and what is under way."""

    waiting: Annotated[int, Spec(description="Queued runs, each shard of a large one counted.")]
    oldest_at: Annotated[Moment | None, Spec(description="When the oldest of them was queued.")]
    under_way: Annotated[int, Spec(description="Runs that runners execute.")]
    unchecked: Annotated[int, Spec(description="Uploaded versions that wait for their check.")]


@dataclass(frozen=True, slots=True)
class RunnersStatus:
    """The machines that execute runs; enabled ones alone."""

    total: int
    live: Annotated[int, Spec(description="Seen within a minute, and taking runs.")]
    out_of_service: int
    draining: int
    last_seen_at: Moment | None


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """A model that live runners have ready."""

    name: str
    runners: int


@dataclass(frozen=True, slots=True)
class RecentRuns:
    """Runs queued within a day that have ended."""

    succeeded: int
    failed: Annotated[int, Spec(description="By a fault of their environment.")]
    errored: Annotated[int, Spec(description="By a fault of the hub, a runner or the model.")]


@dataclass(frozen=True, slots=True)
class HubStatus:
    """Queue, runners, models, storage and recent faults at one time."""

    at: Moment
    incidents: Annotated[list[str], Spec(description="A sentence each; empty where all works.")]
    queue: QueueStatus
    runners: RunnersStatus
    models: list[ModelStatus]
    storage: Annotated[str, Spec(enum=["ok", "failing"])]
    recent_runs: RecentRuns
    held_versions: int


def current() -> HubStatus:
    """The status, at most KEPT seconds old."""
    return cast("HubStatus", cache.get_or_set("hub.status", measure, KEPT))


def measure() -> HubStatus:
    """The status now, in four queries; the storage's is kept for STORAGE_KEPT seconds."""
    now = timezone.now()
    rows = list(Runner.objects.filter(enabled=True).order_by("pk"))
    queue, runner_status = _queue(), _runners(rows)
    held, queue_unchecked = _versions()
    queue = QueueStatus(queue.waiting, queue.oldest_at, queue.under_way, queue_unchecked)
    recent = _recent_runs(now)
    storage = cast("str", cache.get_or_set("hub.status.storage", _storage, STORAGE_KEPT))
    return HubStatus(
        at=now,
        incidents=_incidents(now, queue, runner_status, recent, storage),
        queue=queue,
        runners=runner_status,
        models=_models(rows),
        storage=storage,
        recent_runs=recent,
        held_versions=held,
    )


def _queue() -> QueueStatus:
    queued = Q(status=Run.Status.QUEUED)
    counted = Run.with_shards.filter(queued | Q(status__in=Run.LEASED_STATES)).aggregate(
        waiting=Count("pk", filter=queued),
        oldest=Min("created_at", filter=queued),
        under_way=Count("pk", filter=~queued),
    )
    return QueueStatus(counted["waiting"], counted["oldest"], counted["under_way"], 0)


def _versions() -> tuple[int, int]:
    """The numbers of held versions and of those that wait for their check."""
    held = Q(status=Version.Status.HELD)
    unchecked = Q(status__in=(Version.Status.UPLOADED, Version.Status.CHECKING))
    counted = Version.objects.filter(held | unchecked, deleted_at=None).aggregate(
        held=Count("pk", filter=held), unchecked=Count("pk", filter=unchecked)
    )
    return counted["held"], counted["unchecked"]


def _recent_runs(now: datetime) -> RecentRuns:
    ended = (Run.Status.SUCCEEDED, Run.Status.FAILED, Run.Status.ERRORED)
    rows = Run.objects.filter(status__in=ended, created_at__gt=now - RECENT).order_by()
    counts = dict(rows.values_list("status").annotate(Count("pk")))
    return RecentRuns(*(counts.get(status, 0) for status in ended))


def _runners(rows: list[Runner]) -> RunnersStatus:
    states = [runners.state_names(row) for row in rows]
    seen = [row.last_seen_at for row in rows if row.last_seen_at]
    return RunnersStatus(
        total=len(rows),
        live=sum(not names for names in states),
        out_of_service=sum("out of service" in names for names in states),
        draining=sum("draining" in names for names in states),
        last_seen_at=max(seen, default=None),
    )


def _models(rows: list[Runner]) -> list[ModelStatus]:
    live = [row for row in rows if not runners.state_names(row)]
    counts = Counter(name for row in live for name in set(runners.models(row)))
    return [ModelStatus(name, count) for name, count in sorted(counts.items())]


def _storage() -> str:
    try:
        probe.run()
    except Exception:  # each storage raises its own; the page says that it fails, the log why
        log.exception("the storage does not work")
        return "failing"
    return "ok"


def _incidents(
    now: datetime, queue: QueueStatus, status: RunnersStatus, recent: RecentRuns, storage: str
) -> list[str]:
    sentences = []
    if storage != "ok":
        sentences.append("The storage does not work: wheels cannot be uploaded or downloaded.")
    if not status.live:
        sentences.append(
            "Runs wait, and no runner is connected: they stay queued until one is."
            if queue.waiting
            else "No runner is connected: versions that are pushed wait until one is."
        )
    elif queue.oldest_at and now - queue.oldest_at > OVERDUE:
        sentences.append("The oldest run has waited for more than an hour.")
    if status.out_of_service:
        are = "runner is" if status.out_of_service == 1 else "runners are"
        sentences.append(f"{status.out_of_service} {are} out of service: their self-check failed.")
    ended = recent.succeeded + recent.failed + recent.errored
    if recent.errored >= ERRORED_RUNS and recent.errored >= ERRORED_SHARE * ended:
        sentences.append(
            f"{recent.errored} of {ended} runs of the last day ended by a fault of the platform. "
            "Their versions are tried again, or held, never rejected."
        )
    return sentences
