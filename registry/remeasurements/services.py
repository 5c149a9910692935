"""Request a further measurement of a listed version, and conclude it once its run has ended."""

from __future__ import annotations

import math
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from envyard.contract.rules import RULES
from registry import events, pipeline
from registry.accounts import mail, owner_notices
from registry.accounts.models import User
from registry.card import disputed_labels, signing
from registry.card import services as card
from registry.card.remeasurement_models import Remeasurement
from registry.catalog.models import Version
from registry.catalog.related_models import VersionFinding
from registry.errors import Forbidden, HubError, Stale
from registry.runs import services as runs
from registry.runs.endings import store_findings
from registry.runs.models import Run

Outcome, Reason = Remeasurement.Outcome, Remeasurement.Reason
REQUEST_PAUSE = timedelta(days=1)  # between requests for one version by its owners
FAILED = """{version} was measured again by rules {rules} and does not pass any more:

{summary}

The measurement was repeated, with the same result. The version stays listed; its page shows the
failure:

{page}

Mend the environment, raise its version and push it. If the hub is wrong, ask its staff; they and
you can have it measured again on that page, or with `hub retry {version}`.
"""


def request(*, version: Version, reason: str, by: User | None = None) -> Remeasurement:
    """Queue a run that measures the version again, after the runs of people; returns the pending
    measurement where there is one. Raises Stale where the version is not listed."""
    if version.status != Version.Status.LISTED or version.deleted_at is not None:
        raise Stale(f"{version} is {version.status}; only a listed version is measured again")
    try:
        with transaction.atomic():
            run = runs.request(
                version=version,
                policies=settings.HUB_POLICIES,
                model=settings.HUB_MODEL,
                by=by,
                purpose=Run.Purpose.REMEASUREMENT,
            )
            return Remeasurement.objects.create(
                version=version,
                run=run,
                reason=reason,
                requested_by=by,
                rules=RULES,
                release=card.newest_release(version.framework),
            )
    except IntegrityError:
        return version.remeasurements.get(outcome=Outcome.PENDING)


def retry(*, version: Version, by: User) -> None:
    """Evaluate a held version again, or measure a listed one again; raises what `pipeline.retry`
    and `request_by` raise."""
    if version.status == Version.Status.LISTED:
        request_by(version=version, by=by)
    else:
        pipeline.retry(version=version, by=by)


def request_by(*, version: Version, by: User) -> Remeasurement:
    """Request one for its owners or for staff.

    Raises Stale where the version is not listed, Forbidden where it is in quarantine, and
    request.throttled (429) within REQUEST_PAUSE of the last request; the last two not for staff.
    """
    if not by.is_staff:
        if version.quarantined_at or version.environment.quarantined_at:
            raise Forbidden(f"{version} is in quarantine", "Ask the hub's staff.")
        _refuse_too_early(version)
    return request(version=version, reason=Reason.REQUESTED, by=by)


def _refuse_too_early(version: Version) -> None:
    requested = version.remeasurements.filter(reason=Reason.REQUESTED)
    last = requested.exclude(outcome=Outcome.PENDING).first()
    wait = last.requested_at + REQUEST_PAUSE - timezone.now() if last else timedelta(0)
    if wait > timedelta(0):
        seconds = math.ceil(wait.total_seconds())
        raise HubError(
            "request.throttled",
            f"{version} was measured again on request within the last day; the next request is "
            f"possible in {seconds} seconds",
            "Its page shows the result. Staff can request one at once.",
            429,
            {"retry_after": seconds},
        )


def conclude(run_id: str) -> None:
    """Decide by the ended run of a further measurement whether its version still passes; nothing
    for any other run, and a second call changes nothing."""
    with transaction.atomic():
        row = (
            Remeasurement.objects.select_for_update(of=("self",))
            .select_related("run__version__environment__owner")
            .filter(run__pk=UUID(run_id), outcome=Outcome.PENDING, run__ended_at__isnull=False)
            .first()
        )
        if row is None:
            return
        run = row.run
        version, required = run.version, settings.HUB_REQUIRED_POLICIES
        if run.status == Run.Status.SUCCEEDED:
            findings = card.verdict(run=run, required_policies=required)
            store_findings(version, VersionFinding.Stage.CARD, findings, run)
            disputed_labels.keep(run)
        to, summary = pipeline.decide(run)
        row.outcome, row.summary = _outcome(row, to), summary
        row.concluded_at = timezone.now()
        row.save(update_fields=["outcome", "summary", "concluded_at"])
        if row.outcome == Outcome.PASSED:
            card.compute(run=run)
        is_evidence = run.status == Run.Status.SUCCEEDED or row.outcome == Outcome.FAILED
        if is_evidence and row.outcome != Outcome.UNCONFIRMED:
            signing.sign(run=run, required_policies=required)
        events.record(
            "version.remeasured",
            environment=version.environment,
            version=version,
            run=run,
            outcome=row.outcome,
            reason=summary,
        )
        if row.outcome == Outcome.FAILED:
            _notify_owners(row, version)


def _outcome(row: Remeasurement, decided: str) -> str:
    """A fault of the platform decides nothing, and a failure only counts once it was repeated."""
    if decided == pipeline.LISTED:
        return Outcome.PASSED
    if decided != pipeline.REJECTED:
        return Outcome.UNDECIDED
    earlier = row.version.remeasurements.exclude(outcome__in=(Outcome.PENDING, Outcome.UNDECIDED))
    last = earlier.order_by("-concluded_at", "-pk").first()
    repeated = last is not None and last.outcome in (Outcome.UNCONFIRMED, Outcome.FAILED)
    return Outcome.FAILED if repeated else Outcome.UNCONFIRMED


def _notify_owners(row: Remeasurement, version: Version) -> None:
    """Mail the owners once, when a version that passed does not any more."""
    earlier = version.remeasurements.decisive().exclude(pk=row.pk).first()
    if earlier is not None and earlier.outcome == Outcome.FAILED:
        return
    environment = version.environment
    place = (environment.owner.name, environment.name, version.version)
    text = FAILED.format(
        version=version,
        rules=row.rules,
        summary=row.summary,
        page=settings.HUB_URL + reverse("version", args=place),
    )
    for person in owner_notices.owners(environment.owner):
        mail.send(to=person.email, subject=f"{version} does not pass any more", text=text)
