"""The order in which queued runs are taken: fair between owners, with first versions preferred.

Start-time fair queueing: the runs of each owner have consecutive turns, and an owner without queued
runs begins at the turn that the queue has reached. The priority of a run is its turn, plus some
turns where it is less urgent: so the next run is the first row of one index however many wait, and
no owner waits for all runs of another.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db.models import Count, Exists, Max, Min, OuterRef, Q

from registry.accounts import runners
from registry.accounts.models import Owner, Runner
from registry.catalog.models import Version
from registry.runs import limits, provided, pythons
from registry.runs.lost_attempt_models import LostAttempt
from registry.runs.models import Run

# Turns by which a run is delayed behind more urgent ones.
FIRST_VERSION_DELAY, FURTHER_VERSION_DELAY, RERUN_DELAY = 0, 2, 10
REMEASUREMENT_DELAY = 1000


@dataclass(frozen=True, slots=True)
class Position:
    """The number of queued runs of its model before it and in all, of live runners that can execute
    it, when the oldest of those runs was queued, and how many others runners execute now."""

    before: int
    waiting: int
    runners: int
    oldest_at: datetime
    under_way: int


def assign(version: Version, *, owner: int | None = None) -> tuple[int, int]:
    """Turn and priority of a run of the version that is queued now in the owner's share, by default
    that of the environment's.

    Two requests of one owner at the same moment may get the same turn, which hardly matters.
    """
    owner = version.environment.owner_id if owner is None else owner
    turn = max(_current_priority(), _last_turn(owner) + 1)
    return turn, turn + _delay(version)


def _last_turn(owner: int) -> int:
    """The last turn of the owner's active runs; -1 where there is none. Queued and leased ones are
    queried separately: for a single status the index gives the maximum, however many there are."""
    owner_runs = Run.with_shards.filter(owner=owner)
    parts = (
        owner_runs.filter(status=Run.Status.QUEUED),
        owner_runs.filter(status__in=Run.LEASED_STATES),
    )
    last = [part.aggregate(last=Max("turn"))["last"] for part in parts]
    return max((turn for turn in last if turn is not None), default=-1)


def _current_priority() -> int:
    """The priority that the queue has reached: of the last run leased, else the turn of the first
    one that waits."""
    leased = Run.with_shards.filter(status__in=Run.LEASED_STATES).aggregate(at=Max("priority"))[
        "at"
    ]
    if leased is not None:
        return int(leased)
    queued = Run.with_shards.filter(status=Run.Status.QUEUED).order_by("priority", "created_at")
    return queued.values_list("turn", flat=True).first() or 0


def _delay(version: Version) -> int:
    if version.runs.exists():
        return RERUN_DELAY
    other_versions = version.environment.versions.exclude(pk=version.pk)
    return FURTHER_VERSION_DELAY if other_versions.exists() else FIRST_VERSION_DELAY


def head(
    *,
    runner: Runner,
    models: Collection[str],
    without: Collection[int],
    others: Collection[Runner] = (),
    now: datetime,
) -> Run | None:
    """The next run, locked, that needs no other models than these and has none of those owners.

    It admits one of the runner's Pythons, and needs nothing that this runner lacks and one of the
    `others`, which are the other live runners, provides. A run of which this runner lost an attempt
    is reserved for others for a while, if one of them with its model lost none. Needs a
    transaction. Rows that another runner is leasing at the moment are skipped.
    """
    waiting = Run.with_shards.filter(ready(now), status=Run.Status.QUEUED, model__in=["", *models])
    for model, other_runners in elsewhere(others, models=models).items():
        waiting = waiting.filter(
            ~Q(model=model) | ~_reserved_for_others(runner, other_runners, now)
        )
    return (
        waiting.filter(pythons.runnable(runners.pythons(runner)), provided.suitable(runner, others))
        .exclude(owner__in=without)
        .order_by("priority", "created_at")
        .select_for_update(skip_locked=True)
        .first()
    )


def _reserved_for_others(runner: Runner, other_runners: Collection[int], now: datetime) -> Q:
    """Runs of which this runner lost an attempt, for SAME_RUNNER_PAUSE after they may begin again,
    unless each of the others lost an attempt of it as well.

    Without `not_before` that is when the attempt was lost: it lasted longer than the pause.
    """
    since = now - limits.SAME_RUNNER_PAUSE
    lost_attempts = LostAttempt.objects.filter(run=OuterRef("pk"))
    own_attempts = lost_attempts.filter(runner=runner, handed_back=False)
    lately = Q(not_before__gt=since) | Q(not_before=None) & Exists(
        lost_attempts.filter(at__gt=since)
    )
    attempts = LostAttempt.objects.filter(run=OuterRef(OuterRef("pk")), handed_back=False)
    without = Runner.objects.filter(
        ~Exists(attempts.filter(runner=OuterRef("pk"))), pk__in=other_runners
    )
    return Q(Exists(own_attempts)) & lately & Q(Exists(without))


def ready(now: datetime) -> Q:
    """Runs whose pause after a lost attempt, if any, is over."""
    return Q(not_before=None) | Q(not_before__lte=now)


def elsewhere(others: Iterable[Runner], *, models: Collection[str]) -> dict[str, list[int]]:
    """By each of the models, "" standing for none, the other live runners that can serve it."""
    served: dict[str, list[int]] = {}
    for other_runner in others:
        for name in {"", *runners.models(other_runner)} & {"", *models}:
            served.setdefault(name, []).append(other_runner.pk)
    return served


def busy_owners() -> set[int]:
    """The owners that have HUB_OWNER_RUNS leased runs."""
    leased = Run.with_shards.filter(status__in=Run.LEASED_STATES).order_by()
    counted = leased.values("owner").annotate(runs=Count("pk"))
    return set(counted.filter(runs__gte=settings.HUB_OWNER_RUNS).values_list("owner", flat=True))


def is_busy(owner: int) -> bool:
    """Whether the owner has that many; exact, as the owner's row stays locked until the commit."""
    Owner.objects.select_for_update(no_key=True).get(pk=owner)
    leased = Run.with_shards.filter(owner=owner, status__in=Run.LEASED_STATES).count()
    return leased >= settings.HUB_OWNER_RUNS


def position(run: Run) -> Position | None:
    """The position of a queued run, or of the first shard of a run none of whose shards is leased;
    None for any other."""
    row = waiting_row(run)
    if row is None:
        return None
    run = row
    earlier = Q(priority__lt=run.priority) | Q(priority=run.priority, created_at__lt=run.created_at)
    waiting = Run.with_shards.filter(status=Run.Status.QUEUED, model=run.model)
    # Of columns that the index has, so that no row is read.
    counted = waiting.aggregate(
        before=Count("created_at", filter=earlier),
        all=Count("created_at"),
        oldest=Min("created_at"),
    )
    leased = Run.with_shards.filter(status__in=Run.LEASED_STATES, model=run.model)
    alive, able = runners.with_model(run.model)
    return Position(
        before=counted["before"],
        waiting=counted["all"],
        runners=able if run.model else alive,
        oldest_at=counted["oldest"] or run.created_at,
        under_way=leased.count(),
    )


def waiting_row(run: Run) -> Run | None:
    """The queued row for which the whole run waits: itself, or a shard while none is leased."""
    if run.status != Run.Status.SHARDED:
        return run if run.status == Run.Status.QUEUED else None
    rows = Run.with_shards.filter(parent=run)
    if rows.filter(status__in=Run.LEASED_STATES).exists():
        return None
    return rows.filter(status=Run.Status.QUEUED).order_by("priority").first()
