"""Recover what timed out: expired leases, and steps whose message or worker was lost."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet, Subquery

from envyard.contract.findings import finding
from registry import dispatch, events
from registry.accounts import runners
from registry.catalog.lifecycle import move
from registry.catalog.models import Version
from registry.catalog.related_models import VersionFinding
from registry.errors import Stale
from registry.pipeline import (
    CHECKING,
    EVALUATING,
    HELD,
    UPLOADED,
    Stage,
    evaluate,
    retry_wait,
)
from registry.runs import provided
from registry.runs.endings import replace_findings
from registry.runs.models import Run
from registry.runs.pythons import fits
from registry.runs.sweep import sweep as sweep_runs

log = logging.getLogger(__name__)

TRIES = 6  # half an hour in all, with the pause after the last one


def step_timeout() -> timedelta:
    """The time after which a step counts as lost; doubled with every try."""
    return timedelta(seconds=1.5 * settings.HUB_SWEEP_SECONDS)


def sweep(*, now: datetime) -> None:
    """Move every run and version that timed out; a second call changes nothing more."""
    sweep_runs(now=now)
    _resume(_without_python())
    _resume_lacking()
    stuck = Q(status__in=(UPLOADED, CHECKING)) | (
        Q(status=EVALUATING) & ~Exists(_deciding().filter(ended_at=None))
    )
    waiting = Version.objects.filter(stuck, deleted_at=None, status_at__lt=now - step_timeout())
    _each(waiting.select_related("environment__owner"), partial(_recover, now=now))


def _deciding() -> QuerySet[Run]:
    """The deciding runs of the version of the outer query."""
    return Run.objects.deciding().filter(version=OuterRef("pk"))


def _each(versions: Iterable[Version], act: Callable[[Version], None]) -> None:
    """Act on every version. One that fails must not block the others."""
    for version in versions:
        try:
            act(version)
        except Exception:
            log.exception("%s could not be recovered, the next sweep tries again", version)


def _without_python() -> QuerySet[Version]:
    """Held versions, none quarantined, whose last run ended because no runner had its Python."""
    last_run = _deciding().order_by("-created_at")
    ended = VersionFinding.objects.filter(run=OuterRef("last"), code="run.no_python")
    versions = Version.objects.filter(
        status=HELD, deleted_at=None, quarantined_at=None, environment__quarantined_at=None
    )
    return versions.annotate(last=Subquery(last_run.values("pk")[:1])).filter(Exists(ended))


def _resume(held: QuerySet[Version]) -> None:
    """Evaluate the versions for which a live runner has a Python now."""
    offered = runners.pythons_offered()

    def act(version: Version) -> None:
        if any(fits(version, python) for python in offered):
            _evaluate(version, "a runner has its Python now")

    _each(held.select_related("environment__owner") if offered else (), act)


def _evaluate(version: Version, reason: str) -> None:
    with suppress(Stale), transaction.atomic():
        move(version, EVALUATING, reason=reason)
        evaluate(version)


def _resume_lacking() -> None:
    """Evaluate held versions that lacked something which somebody has provided since.

    Provisions that a run of the version had already are not tried again, and `retry_wait` bounds
    how often.
    """
    live = list(runners.alive())
    ended = VersionFinding.objects.deciding().filter(
        version=OuterRef("pk"), stage=Stage.RUN, code__in=provided.CODES
    )
    held = Version.objects.filter(
        Exists(ended),
        status=HELD,
        deleted_at=None,
        quarantined_at=None,
        environment__quarantined_at=None,
    )
    rows = held.select_related("environment__owner").prefetch_related(
        Prefetch("findings", VersionFinding.objects.deciding()), "runs"
    )

    def act(version: Version) -> None:
        if provided.newly_met(version, live) and not retry_wait(version):
            _evaluate(version, "what it lacked is provided now")

    _each(rows.iterator(chunk_size=200) if live else (), act)


def _recover(version: Version, now: datetime) -> None:
    """Start the step that should be running: the check, or the judgement of the last run."""
    if version.status != EVALUATING:
        _send_again(version, now, partial(dispatch.enqueue, dispatch.CHECK, version_id=version.pk))
        return
    last = version.runs.deciding().order_by("-created_at").first()
    if last is None:
        evaluate(version)
    elif last.ended_at is not None and last.ended_at < now - step_timeout():
        _send_again(version, now, partial(dispatch.enqueue, dispatch.JUDGE, run_id=str(last.pk)))


def _send_again(version: Version, now: datetime, send: Callable[[], bool]) -> None:
    """Send the step again with growing pauses; hold a version that still fails after the last try.

    A version that no worker has begun to check is never held: nothing was tried yet.
    """
    sent = version.events.filter(verb="version.sent_again", at__gte=version.status_at)
    tries, last = sent.count(), sent.last()
    if now - (last.at if last else version.status_at) < step_timeout() * 2 ** min(tries, TRIES):
        return
    if tries >= TRIES and version.status != UPLOADED:
        _hold(version, f"The hub failed {tries + 1} times while the version was {version.status}.")
        return
    log.warning("%s has been %s for too long, its step is sent again", version, version.status)
    events.record("version.sent_again", environment=version.environment, version=version)
    send()


def _hold(version: Version, reason: str) -> None:
    stage = Stage.CHECK if version.status == CHECKING else Stage.CARD
    broken = finding(
        "hub.error",
        reason,
        hint="Retry the version with `hub retry` or on its page; the hub's log has the error.",
    )
    with suppress(Stale), transaction.atomic():
        replace_findings(version, stage, [broken])
        move(version, HELD, reason=reason)
