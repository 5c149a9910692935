"""The story of a version: uploaded -> checking -> evaluating -> listed, rejected or held.

    check     puts the wheel in its place where its upload could not, reads it again, by the rules
              that the author's machine has too, and finds out what kind of environment it is;
              errors reject
    evaluate  requests a run, which a runner takes, reports on and ends
    judge     looks at the ended run: measured well, the version is listed; measured badly, or
              failed by its own fault, it is rejected; where nobody could tell, it is held
    retry     takes a held version up again, for its people or for staff
    rejudge   goes back to the step that rejected a version, for staff

Each step looks at the row first and moves it by compare-and-swap, so that a message may be lost,
doubled or late. A step that breaks leaves the version where it was, and `recovery` sends it again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from envyard.contract import examine as contract
from envyard.contract.codes import CODES
from envyard.contract.detect import Detection
from envyard.contract.findings import Finding
from registry import dispatch, events, limits, storage
from registry.accounts.models import User
from registry.card import services as card
from registry.catalog.lifecycle import move
from registry.catalog.models import Version
from registry.catalog.related_models import VersionFinding
from registry.catalog.similar import name_findings
from registry.errors import Forbidden, HubError, Stale
from registry.runs import services as runs
from registry.runs.endings import store_findings
from registry.runs.models import Run
from registry.uploads import staging

UPLOADED, CHECKING, EVALUATING, LISTED, REJECTED, HELD = Version.Status
Stage = VersionFinding.Stage
RETRY_PAUSE, LONGEST_RETRY_PAUSE = timedelta(minutes=1), timedelta(hours=1)
LONGEST_REASON = 400
UNDER_WAY = "It is under way: `hub info {version}` shows its run."
NOT_HELD: dict[str, str] = {
    UPLOADED: UNDER_WAY,
    CHECKING: UNDER_WAY,
    EVALUATING: UNDER_WAY,
    LISTED: "There is nothing to retry.",
    REJECTED: "Mend the environment, raise the version and push again; where the hub was wrong, "
    "its staff can judge the rejection again.",
}


def check(version_id: int) -> None:
    """Check an uploaded version; then it is evaluating, or rejected with its findings."""
    version = _version(version_id)
    if version is None or version.status not in (UPLOADED, CHECKING):
        return
    with suppress(Stale):  # somebody else did it meanwhile
        if version.status == UPLOADED:
            staging.promote(version)
            move(version, CHECKING)
        findings, found = examine(version)
        findings = [*findings, *name_findings(version.environment)]
        with transaction.atomic():
            keep(version, Stage.CHECK, findings)
            errors = [one for one in findings if one.severity == "error"]
            if errors:
                own = any(is_authors(one) for one in errors)
                move(version, REJECTED if own else HELD, reason=_reason(errors))
                return
            version.framework, version.api = found.framework, found.api
            version.module, version.entry = found.module, found.entry
            version.save(update_fields=["framework", "api", "module", "entry"])
            move(version, EVALUATING)
            evaluate(version)


def examine(version: Version) -> tuple[list[Finding], Detection]:
    """The static checks' findings on the stored wheel, and what the wheel holds.

    Raises storage.Corrupt where the storage has other bytes than were uploaded.
    """
    key = storage.key("wheels", version.sha256)
    with storage.get().file(key) as path:
        storage.check(storage.digest(path), version.sha256, key)
        return contract.examine(path, filename=version.filename, limits=limits.wheels())


def evaluate(version: Version, *, by: User | None = None) -> Run:
    """Request the run that decides; what an earlier run said of the version no longer counts."""
    version.findings.exclude(stage=Stage.CHECK).delete()
    return runs.request(
        version=version, policies=settings.HUB_POLICIES, model=settings.HUB_MODEL, by=by
    )


def judge(run_id: str) -> None:
    """Decide on the version by its newest run, once that has ended."""
    run = Run.objects.select_related("version__environment__owner").filter(pk=run_id).first()
    if run is None or run.is_active or run.version.status != EVALUATING:
        return
    version = run.version
    if version.runs.order_by("-created_at").values_list("pk", flat=True).first() != run.pk:
        return
    with suppress(Stale), transaction.atomic():
        if run.status == Run.Status.SUCCEEDED:
            card.compute(run=run)
            required = settings.HUB_REQUIRED_POLICIES
            findings = card.verdict(run=run, required_policies=required)
            keep(version, Stage.CARD, findings, run)
        to, reason = decide(run)
        move(version, to, reason=reason)


def decide(run: Run) -> tuple[Version.Status, str]:
    """Where the run's ending and its findings put the version, and why.

    Only a fault of the environment rejects: what the platform failed to do is held.
    """
    found = list(run.findings.all())
    errors = [one for one in found if one.severity == "error"]
    own = _own_errors(found)
    if run.status == Run.Status.FAILED:
        return REJECTED, _reason(errors or found)
    if run.status != Run.Status.SUCCEEDED:
        return HELD, _reason(errors or found)
    if own:
        return REJECTED, _reason(own)
    return (HELD, _reason(errors)) if errors else (LISTED, "")


def is_authors(found: Finding | VersionFinding) -> bool:
    """Whether the author must act; a code that nobody knows counts so."""
    return found.code not in CODES or CODES[found.code].fault == "environment"


def retry(*, version: Version, by: User) -> None:
    """Take a held version up again where it was left.

    Raises Stale where it is not held, Forbidden where it is in quarantine, and request.throttled
    (429) before `retry_wait` is over; the last two not for staff.
    """
    if version.status != HELD:
        raise Stale(
            f"{version} is {version.status}; only a held version can be retried",
            NOT_HELD.get(version.status, "").format(version=version),
        )
    if not by.is_staff:
        _refuse_too_early(version)
    with transaction.atomic():
        _begin_again(version, EVALUATING if version.framework else CHECKING, by, "retried")


def retry_wait(version: Version) -> timedelta:
    """How long its people must still wait before they may retry the held version.

    Nothing the first time within a day, then a minute after it was held, and twice that each time.
    """
    now = timezone.now()
    earlier = version.events.filter(
        verb__in=("version.checking", "version.evaluating"),
        data__before=HELD,
        at__gt=now - timedelta(days=1),
    ).count()
    if not earlier:
        return timedelta(0)
    pause = min(RETRY_PAUSE * (1 << min(earlier - 1, 10)), LONGEST_RETRY_PAUSE)
    return max(version.status_at + pause - now, timedelta(0))


def _refuse_too_early(version: Version) -> None:
    if version.quarantined_at or version.environment.quarantined_at:
        raise Forbidden(f"{version} is in quarantine", "Ask the hub's staff.")
    seconds = math.ceil(retry_wait(version).total_seconds())
    if seconds > 0:
        raise HubError(
            "request.throttled",
            f"{version} was retried within the last day and is held again; the next retry is in "
            f"{seconds} seconds",
            "Its findings name what was wrong with the runners. Staff can retry it at once.",
            429,
            {"retry_after": seconds},
        )


def retry_pushed(*, version: Version, by: User) -> str:
    """Retry a held version whose bytes were pushed again; what became of it, in a few words."""
    if version.status != HELD:
        return f"it is {version.status}"
    try:
        retry(version=version, by=by)
    except HubError as refusal:
        return f"it is held and was not retried: {refusal.message}"
    return "it was held and is evaluated again"


def retry_run(*, run: Run, by: User) -> Run:
    """Queue a run in the place of one that was cancelled or that the platform failed; raises Stale
    where the run is under way or the version has moved on since, and what `retry` raises."""
    version = run.version
    newest = version.runs.order_by("-created_at").values_list("pk", flat=True).first()
    if run.is_active:
        raise Stale(f"run {run.pk} is {run.status}", f"Follow it: hub logs -f {run.pk}")
    if newest != run.pk:
        raise Stale(f"run {run.pk} is not the newest of {version}", f"Retry run {newest}.")
    with transaction.atomic():
        retry(version=version, by=by)
        return version.runs.get(status=Run.Status.QUEUED)


def rejudge(*, version: Version, reason: str, by: User | None = None) -> None:
    """Decide again on a rejected version, after a rule was changed or a fault of the hub mended.

    It goes back to the step that rejected it: the check; the verdict on its last run, where that
    run succeeded; else a new run. Raises Stale where the version is not rejected, request.invalid
    without a reason.
    """
    reason = reason.strip()
    if not 1 <= len(reason) <= LONGEST_REASON:
        raise HubError(
            "request.invalid",
            f"reason must have 1 to {LONGEST_REASON} characters",
            "Name the rule or the fault that was mended: the journal keeps it.",
            details={"field": "reason"},
        )
    if version.status != REJECTED:
        raise Stale(f"{version} is {version.status}; only a rejected version is judged again")
    run = version.runs.order_by("-created_at").first()
    with transaction.atomic():
        events.record(
            "version.rejudged",
            by=by,
            environment=version.environment,
            version=version,
            reason=reason,
        )
        if run is None or version.findings.filter(stage=Stage.CHECK, severity="error").exists():
            _begin_again(version, CHECKING, by, "judged again")
        elif run.status == Run.Status.SUCCEEDED and not _own_errors(
            run.findings.filter(stage=Stage.RUN)
        ):
            move(version, EVALUATING, by=by, reason="judged again by its last run")
            dispatch.enqueue_after_commit(dispatch.JUDGE, run_id=str(run.pk))
        else:
            _begin_again(version, EVALUATING, by, "judged again")


def _begin_again(version: Version, step: Version.Status, by: User | None, reason: str) -> None:
    """Move the version back to the check or to a new run, which begins after the commit."""
    move(version, step, by=by, reason=reason)
    if step == CHECKING:
        dispatch.enqueue_after_commit(dispatch.CHECK, version_id=version.pk)
    else:
        evaluate(version, by=by)


def _own_errors(found: Iterable[VersionFinding]) -> list[VersionFinding]:
    """The errors among them that are the environment's fault; an unknown code is."""
    return [one for one in found if one.severity == "error" and is_authors(one)]


def _version(version_id: int) -> Version | None:
    return (
        Version.objects.select_related("environment__owner")
        .filter(pk=version_id, deleted_at=None)
        .first()
    )


def keep(version: Version, stage: str, findings: Iterable[Finding], run: Run | None = None) -> None:
    """Replace what this stage has found about the version."""
    version.findings.filter(stage=stage).delete()
    store_findings(version, stage, findings, run)


def _reason(found: Sequence[Finding | VersionFinding]) -> str:
    return "; ".join(one.message for one in found[:3])[:1000]
