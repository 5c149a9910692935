"""Push an evaluation: create it, say more about it, end it, take it away. Callers asked
`permissions`."""

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
MOST = 1000  # of one person for one environment


def create(
    *,
    environment: Environment,
    version: Version | None,
    owner: Owner,
    by: User,
    claims: Claims,
    is_public: bool = False,
) -> Evaluation:
    """A running evaluation without samples, of the version where one is known."""
    pushed = Evaluation.objects.filter(environment=environment, created_by=by).count()
    if pushed >= MOST:
        raise HubError(
            "request.too_large",
            f"you have pushed {pushed} evaluations of {environment}; the limit is {MOST}",
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
            **claims.said(),
        )
        _record("pushed", evaluation, by)
    return evaluation


def _record(what: str, evaluation: Evaluation, by: User) -> None:
    """In the journal of whose evaluation it is, and in the environment's where that is another's
    and may know of it."""
    environment = evaluation.environment
    pk, of = str(evaluation.pk), str(environment)
    theirs = environment.owner_id != evaluation.owner_id
    if theirs:
        events.record(f"evaluation.{what}", by=by, owner=evaluation.owner, evaluation=pk, of=of)
    if evaluation.is_public or not theirs:
        events.record(f"evaluation.{what}", by=by, environment=environment, evaluation=pk, of=of)


def update(*, evaluation: Evaluation, claims: Claims) -> None:
    """Replace what is said anew and leave the rest."""
    said = claims.said() | {"updated_at": timezone.now()}
    if not Evaluation.objects.filter(pk=evaluation.pk).update(**said):
        raise NotFound
    for name, value in said.items():
        setattr(evaluation, name, value)


def end(*, evaluation: Evaluation, status: str, error_message: str = "") -> None:
    """Close it; raises Stale where it ended otherwise before. A completed one may be completed
    again, since samples may be added to it."""
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
    """Take it away with its samples."""
    digests = list(evaluation.batches.values_list("sha256", flat=True))
    with transaction.atomic():
        _record("deleted", evaluation, by)
        evaluation.delete()
    for sha256 in digests:
        delete_unnamed(storage.key("samples", sha256), SampleBatch.objects.filter(sha256=sha256))
