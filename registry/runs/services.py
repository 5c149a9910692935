"""What the hub does with runs: request, ring, lease, cancel. What runners tell is in `reports`."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from envyard.contract.codes import finding
from envyard.contract.job import MODEL, queue_for
from registry import doorbell, events
from registry.accounts.models import Runner, User
from registry.catalog.models import Version
from registry.errors import Forbidden, HubError
from registry.runs import endings, limits
from registry.runs.models import Run
from registry.runs.tickets import Ticket, sign_ticket

POLL_AMONG = 50


def request(
    *, version: Version, policies: Sequence[str], model: str = "", by: User | None = None
) -> Run:
    """Queue a run of the version and ring after commit; the one under way where there is one.

    The seed comes from the wheel's bytes: the same version is always asked the same.
    """
    try:
        with transaction.atomic():
            run = Run.objects.create(
                version=version,
                policies=list(policies),
                model=model if MODEL in policies else "",
                tasks=settings.HUB_SMOKE_TASKS,
                attempts=settings.HUB_SMOKE_ATTEMPTS,
                seed=int(version.sha256[:8], 16),
                requested_by=by,
                rung_at=timezone.now(),
            )
            events.record(
                "run.requested", by=by, environment=version.environment, version=version, run=run
            )
            endings.ring_after_commit(run, run.attempt)
    except IntegrityError:
        return Run.objects.get(version=version, status__in=Run.ACTIVE)
    return run


def ring_again() -> int:
    """Ring for queued runs that nobody took, ever more rarely the longer they wait; how many.

    A run that lost an attempt waits since that began.
    """
    now = timezone.now()
    rung = 0
    for run in Run.objects.filter(status=Run.Status.QUEUED).order_by("created_at")[:1000]:
        since = run.started_at or run.created_at
        last = run.rung_at or since
        if now - last >= max(limits.ring_again(), (last - since) / 2):
            Run.objects.filter(pk=run.pk, status=Run.Status.QUEUED).update(rung_at=now)
            ticket = sign_ticket(run_id=run.pk, attempt=run.attempt)
            rung += doorbell.send(doorbell.RUN, queue=queue_for(run.model), ticket=ticket)
    return rung


def lease(
    *, runner: Runner, ticket: Ticket | None = None, models: Collection[str] = ()
) -> Run | None:
    """Give the runner the ticket's attempt, or the oldest queued run that it can do; else None.

    `models` are those the runner has just now; it can do what asks for none without them.
    Exactly one of several runners gets an attempt. Raises HubError runner.superseded (409) for a
    ticket that came too late, Forbidden for a disabled runner.
    """
    if not runner.enabled:
        raise Forbidden(f"runner {runner.name!r} is disabled", "Ask the hub's staff to enable it.")
    if ticket is not None:
        run = _take(ticket, runner)
        if run is None:
            raise HubError(
                "runner.superseded",
                f"attempt {ticket.attempt} of run {ticket.run} is not waiting any more",
                "Nothing to do: drop this ticket.",
                status=409,
            )
        return run
    waiting = Run.objects.filter(status=Run.Status.QUEUED, model__in=["", *models])
    waiting = waiting.order_by("created_at")
    for pk, attempt in waiting.values_list("pk", "attempt")[:POLL_AMONG]:
        run = _take(Ticket(pk, attempt), runner)
        if run is not None:
            return run
    return None


def _take(ticket: Ticket, runner: Runner) -> Run | None:
    now = timezone.now()
    with transaction.atomic():
        taken = Run.objects.filter(
            pk=ticket.run, attempt=ticket.attempt, status=Run.Status.QUEUED
        ).update(
            status=Run.Status.LEASED,
            runner=runner,
            lease_expires_at=now + limits.lease(),
            started_at=now,
        )
        if not taken:
            return None
        run = Run.objects.select_related("version__environment__owner").get(pk=ticket.run)
        version = run.version
        if version.status != Version.Status.EVALUATING or version.deleted_at is not None:
            message = f"{version} is {version.status}, there is nothing left to evaluate."
            gone = finding("run.cancelled", message, severity="info")
            endings.end(run=run, status=Run.Status.CANCELLED, findings=[gone])
            return None
        events.record(
            "run.leased",
            environment=version.environment,
            version=version,
            run=run,
            runner=runner.name,
            attempt=run.attempt,
        )
    return run


def cancel(*, run: Run, by: User) -> None:
    """End a queued run at once; ask the runner of a held one to stop, or let its lease run out."""
    with transaction.atomic():
        run = (
            Run.objects.select_for_update(of=("self",))
            .select_related("version__environment")
            .get(pk=run.pk)
        )
        if not run.is_active or run.cancel_requested_at is not None:
            return
        run.cancel_requested_at = timezone.now()
        run.save(update_fields=["cancel_requested_at"])
        asked = finding("run.cancelled", f"Cancelled by {by.username}.", severity="info")
        endings.keep_findings(run=run, findings=[asked])
        events.record(
            "run.cancel_requested",
            by=by,
            environment=run.version.environment,
            version=run.version,
            run=run,
        )
        if run.status == Run.Status.QUEUED:
            endings.end(run=run, status=Run.Status.CANCELLED)
