"""Push an evaluation: create, update, end and delete it. Callers have checked permissions."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from registry import events, storage
from registry.accounts.models import Owner, User
from registry.catalog.models import Environment, Version
from registry.errors import HubError, NotFound, Stale
from registry.self_reported.claims import Claims
from registry.self_reported.models import Evaluation, SampleBatch
from registry.storage.unnamed import delete_unnamed

RUNNING, COMPLETED, FAILED, CANCELLED = Evaluation.Status
MAX_EVALUATIONS = 1000  # of one person for one environment


def create(
    *,
    environment: Environment,
    version: Version | None,
    owner: Owner,
    by: User,
    claims: Claims,
    is_public: bool = False,
) -> Evaluation:
    """A running evaluation without samples, of a version if one is known."""
    pushed = Evaluation.objects.filter(environment=environment, created_by=by).count()
    if pushed >= MAX_EVALUATIONS:
        raise HubError(
            "request.too_large",
            f"you have pushed {pushed} evaluations of {environment}; "
            f"the limit is {MAX_EVALUATIONS}",
            "Delete some of them first.",
            413,
        )
    with transaction.atomic():
        evaluation = Evaluation.objects.create(
            environment=environment,
            version=version,
            owner=owner,
            created_by=by,
            is_public=is_public,
            **claims.values(),
        )
        _record("pushed", evaluation, by)
    return evaluation


def _record(change: str, evaluation: Evaluation, by: User) -> None:
    """Record it in the journal of its owner, and in that of the environment where that has another
    owner who may see it."""
    environment = evaluation.environment
    pk, of = str(evaluation.pk), str(environment)
    is_foreign = environment.owner_id != evaluation.owner_id
    if is_foreign:
        events.record(f"evaluation.{change}", by=by, owner=evaluation.owner, evaluation=pk, of=of)
    if evaluation.is_public or not is_foreign:
        events.record(f"evaluation.{change}", by=by, environment=environment, evaluation=pk, of=of)


def update(*, evaluation: Evaluation, claims: Claims) -> None:
    """Replace the fields of `claims` and leave the others."""
    values = claims.values() | {"updated_at": timezone.now()}
    if not Evaluation.objects.filter(pk=evaluation.pk).update(**values):
        raise NotFound
    for name, value in values.items():
        setattr(evaluation, name, value)


def end(*, evaluation: Evaluation, status: str, error_message: str = "") -> None:
    """End it; raises Stale where it ended with another status before. A completed one may be
    completed again, since samples may be added to it."""
    fields = {
        "status": status,
        "error_message": error_message,
        "ended_at": timezone.now(),
        "updated_at": timezone.now(),
    }
    before = {RUNNING, COMPLETED} if status == COMPLETED else {RUNNING}
    rows = Evaluation.objects.filter(pk=evaluation.pk, status__in=before)
    if not rows.update(**fields):
        now = Evaluation.objects.filter(pk=evaluation.pk).first()
        if now is None:
            raise NotFound
        raise Stale(f"the evaluation is {now.status} and does not become {status}")
    evaluation.refresh_from_db()


def delete(*, evaluation: Evaluation, by: User) -> None:
    """Delete it with its samples."""
    digests = list(evaluation.batches.values_list("sha256", flat=True))
    with transaction.atomic():
        _record("deleted", evaluation, by)
        evaluation.delete()
    for sha256 in digests:
        delete_unnamed(storage.key("samples", sha256), SampleBatch.objects.filter(sha256=sha256))
