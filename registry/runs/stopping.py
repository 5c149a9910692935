"""Stop active runs: on request, or because their version is gone."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from envyard.contract.findings import finding
from registry import dispatch, events
from registry.accounts.models import User
from registry.catalog.models import Version
from registry.runs import endings
from registry.runs.models import Run


def stop(*, run_id: UUID, message: str, by: User | None = None) -> bool:
    """End a queued run at once; request its runner to stop a leased one, or let the lease expire.

    Those of a sharded one follow after commit (`runs.shards`). False where it has ended or is being
    stopped.
    """
    with transaction.atomic():
        run = (
            Run.objects.select_for_update(of=("self",))
            .select_related("version__environment")
            .get(pk=run_id)
        )
        if not run.is_active or run.cancel_requested_at is not None:
            return False
        run.cancel_requested_at = timezone.now()
        run.save(update_fields=["cancel_requested_at"])
        endings.keep_findings(run=run, findings=[finding("run.cancelled", message)])
        events.record(
            "run.cancel_requested",
            by=by,
            environment=run.version.environment,
            version=run.version,
            run=run,
        )
        if run.status == Run.Status.QUEUED:
            endings.end(run=run, status=Run.Status.CANCELLED)
        elif run.status == Run.Status.SHARDED:
            dispatch.enqueue_after_commit(dispatch.CONCLUDE, run_id=str(run.pk))
    return True


def evaluations_of_gone_versions() -> QuerySet[Run]:
    """Active evaluations, not yet stopped, of versions that are deleted, quarantined, or listed no
    more. A yanked version is evaluated: exact pins still install it."""
    gone = (
        ~Q(version__status=Version.Status.LISTED)
        | Q(version__deleted_at__isnull=False)
        | Q(version__quarantined_at__isnull=False)
        | Q(version__environment__quarantined_at__isnull=False)
    )
    active = Run.objects.filter(purpose=Run.Purpose.EVALUATION, status__in=Run.ACTIVE)
    return active.filter(gone, cancel_requested_at=None)


def state_of(version: Version) -> str:
    """Why no evaluation of the version may go on: `deleted`, `in quarantine`, or its status where
    that is not `listed`; empty where one may."""
    if version.deleted_at is not None:
        return "deleted"
    if version.quarantined_at is not None or version.environment.quarantined_at is not None:
        return "in quarantine"
    return "" if version.status == Version.Status.LISTED else version.status


def stop_gone(pk: UUID) -> bool:
    """Stop the evaluation of a version that is gone."""
    version = Version.objects.select_related("environment__owner").get(runs=pk)
    state = state_of(version)
    return bool(state) and stop(
        run_id=pk, message=f"{version} is {state}, there is nothing left to evaluate."
    )
