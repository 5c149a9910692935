"""The lifecycle of a version: uploaded -> checking -> evaluating -> listed, rejected or held.

    check     promotes the staged wheel where its upload could not, reads it again by the rules that
              `hub check` applies too, and detects the framework; errors reject
    evaluate  requests a run, which a runner executes
    judge     decides by the ended run: the version is listed, or rejected where the environment is
              at fault, or held where the platform is
    retry     restarts a held version, for its owners or for staff
    rejudge   goes back to the step that rejected a version, for staff

Each step reads the row first and moves it by compare-and-swap, so that a message may be lost,
duplicated or late. A step that fails leaves the status as it was, and `recovery` sends it again.
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
from envyard.contract.findings import Finding, is_requirement
from registry import dispatch, events, storage
from registry.accounts.models import User
from registry.card import disputed_labels, signing
from registry.card import services as card
from registry.catalog.lifecycle import move
from registry.catalog.models import Version
from registry.catalog.related_models import VersionFinding, VersionNeed
from registry.catalog.similar import name_findings
from registry.errors import Forbidden, HubError, Stale
from registry.git_sources import services as git_sources
from registry.provisions import hosts
from registry.runs import services as runs
from registry.runs.endings import replace_findings
from registry.runs.models import Run
from registry.runs.queries import newest_deciding
from registry.uploads import limits, staging

UPLOADED, CHECKING, EVALUATING, LISTED, REJECTED, HELD = Version.Status
Stage = VersionFinding.Stage
RETRY_PAUSE, MAX_RETRY_PAUSE = timedelta(minutes=1), timedelta(hours=1)
MAX_REASON = 400
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
    with suppress(Stale):  # another worker did it meanwhile
        if version.status == UPLOADED:
            staging.promote(version)
            move(version, CHECKING)
        findings, detection = examine(version)
        findings = [*findings, *name_findings(version.environment)]
        if not any(finding.severity == "error" for finding in findings):
            findings += git_sources.pin(version)
        with transaction.atomic():
            replace_findings(version, Stage.CHECK, findings)
            errors = [finding for finding in findings if finding.severity == "error"]
            if errors:
                by_author = any(is_author_fault(finding) for finding in errors)
                move(version, REJECTED if by_author else HELD, reason=_reason(errors))
                return
            _store_detection(version, detection)
            move(version, EVALUATING)
            evaluate(version)


def _store_detection(version: Version, detection: Detection) -> None:
    """Store the environment that the wheel holds, what it needs and what it declares."""
    version.framework, version.api = detection.framework, detection.api
    version.module, version.entry = detection.module, detection.entry
    version.variables = detection.variables
    version.save(update_fields=["framework", "api", "module", "entry", "variables"])
    version.needs.all().delete()
    needs = [VersionNeed(version=version, **need.to_dict()) for need in detection.needs]
    VersionNeed.objects.bulk_create(needs)
    declared = [need for need in detection.needs if need.kind == "host" and need.declared]
    hosts.declare_by_wheel(version, [name for need in declared for name in need.names])


def examine(version: Version) -> tuple[list[Finding], Detection]:
    """The findings of the static checks on the stored wheel, and the detected framework.

    Raises storage.Corrupt where the stored bytes are not those that were uploaded.
    """
    key = storage.key("wheels", version.sha256)
    with storage.get().file(key) as path:
        storage.check(storage.digest(path), version.sha256, key)
        allowed = settings.HUB_GIT_REPOSITORIES
        return contract.examine(
            path, filename=version.filename, limits=limits.wheels(), repositories=allowed
        )


def evaluate(version: Version, *, by: User | None = None) -> Run:
    """Request the run that decides; findings of earlier runs are deleted."""
    version.findings.deciding().exclude(stage=Stage.CHECK).delete()
    return runs.request(
        version=version, policies=settings.HUB_POLICIES, model=settings.HUB_MODEL, by=by
    )


def judge(run_id: str) -> None:
    """Decide on the version by its newest run, once that has ended."""
    run = Run.objects.select_related("version__environment__owner").filter(pk=run_id).first()
    if run is None or run.is_active or run.version.status != EVALUATING:
        return
    if newest_deciding(run.version) != run.pk:
        return
    version = run.version
    with suppress(Stale), transaction.atomic():
        if run.status == Run.Status.SUCCEEDED:
            card.compute(run=run)
            required = settings.HUB_REQUIRED_POLICIES
            findings = card.verdict(run=run, required_policies=required)
            replace_findings(version, Stage.CARD, findings, run)
            disputed_labels.keep(run)
            signing.sign(run=run, required_policies=required)
        to, reason = decide(run)
        move(version, to, reason=reason)


def decide(run: Run) -> tuple[Version.Status, str]:
    """The status that the run's end and its findings lead to, with the reason.

    Only a fault of the environment rejects; after a fault of the platform, or for want of something
    outside the sandbox, the version is held.
    """
    findings = list(run.findings.all())
    errors = [finding for finding in findings if finding.severity == "error"]
    if requirements := [finding for finding in errors if is_requirement(finding.code)]:
        return HELD, _reason(requirements)
    author_errors = _author_errors(findings)
    if run.status == Run.Status.FAILED:
        return REJECTED, _reason(errors or findings)
    if run.status != Run.Status.SUCCEEDED:
        return HELD, _reason(errors or findings)
    if author_errors:
        return REJECTED, _reason(author_errors)
    return (HELD, _reason(errors)) if errors else (LISTED, "")


def is_author_fault(finding: Finding | VersionFinding) -> bool:
    """Whether the author must act; so it is for an unknown code."""
    return finding.code not in CODES or CODES[finding.code].fault == "environment"


def retry(*, version: Version, by: User) -> None:
    """Restart a held version at the step where it was held.

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
        _restart(version, EVALUATING if version.framework else CHECKING, by, "retried")


def retry_wait(version: Version) -> timedelta:
    """How long its owners must still wait before they may retry the held version.

    No time for the first retry within a day, then a minute after it was held, doubled each time.
    """
    now = timezone.now()
    earlier = version.events.filter(
        verb__in=("version.checking", "version.evaluating"),
        data__before=HELD,
        at__gt=now - timedelta(days=1),
    ).count()
    if not earlier:
        return timedelta(0)
    pause = min(RETRY_PAUSE * (1 << min(earlier - 1, 10)), MAX_RETRY_PAUSE)
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
    """Retry a held version whose bytes were pushed again; returns the outcome in a few words."""
    if version.status != HELD:
        return f"it is {version.status}"
    try:
        retry(version=version, by=by)
    except HubError as refusal:
        return f"it is held and was not retried: {refusal.message}"
    return "it was held and is evaluated again"


def retry_run(*, run: Run, by: User) -> Run:
    """Queue a run in place of one that was cancelled or failed because of the platform.

    Raises Stale where the run is active or not the newest, and what `retry` raises."""
    version = run.version
    newest = newest_deciding(version)
    if run.is_active:
        raise Stale(f"run {run.pk} is {run.status}", f"Follow it: hub logs -f {run.pk}")
    if newest != run.pk:
        raise Stale(f"run {run.pk} is not the newest of {version}", f"Retry run {newest}.")
    with transaction.atomic():
        retry(version=version, by=by)
        return version.runs.deciding().get(status=Run.Status.QUEUED)


def rejudge(*, version: Version, reason: str, by: User | None = None) -> None:
    """Decide again on a rejected version, after a rule changed or a bug of the hub was fixed.

    The version goes back to the step that rejected it: the check; the verdict on its last run,
    where that run succeeded; else a new run. Raises Stale where the version is not rejected,
    request.invalid without a reason.
    """
    reason = reason.strip()
    if not 1 <= len(reason) <= MAX_REASON:
        raise HubError(
            "request.invalid",
            f"reason must have 1 to {MAX_REASON} characters",
            "Name the rule or the fault that was mended: the journal keeps it.",
            details={"field": "reason"},
        )
    if version.status != REJECTED:
        raise Stale(f"{version} is {version.status}; only a rejected version is judged again")
    run = version.runs.deciding().order_by("-created_at").first()
    with transaction.atomic():
        env = version.environment
        events.record("version.rejudged", by=by, environment=env, version=version, reason=reason)
        if run is None or version.findings.filter(stage=Stage.CHECK, severity="error").exists():
            _restart(version, CHECKING, by, "judged again")
        elif run.status == Run.Status.SUCCEEDED and not _author_errors(
            run.findings.filter(stage=Stage.RUN)
        ):
            move(version, EVALUATING, by=by, reason="judged again by its last run")
            dispatch.enqueue_after_commit(dispatch.JUDGE, run_id=str(run.pk))
        else:
            _restart(version, EVALUATING, by, "judged again")


def _restart(version: Version, step: Version.Status, by: User | None, reason: str) -> None:
    """Move the version back to the check or to a new run, which starts after the commit."""
    move(version, step, by=by, reason=reason)
    if step == CHECKING:
        dispatch.enqueue_after_commit(dispatch.CHECK, version_id=version.pk)
    else:
        evaluate(version, by=by)


def _author_errors(findings: Iterable[VersionFinding]) -> list[VersionFinding]:
    """The errors that are the fault of the environment; an unknown code is one."""
    return [
        finding for finding in findings if finding.severity == "error" and is_author_fault(finding)
    ]


def _version(version_id: int) -> Version | None:
    return (
        Version.objects.select_related("environment__owner")
        .filter(pk=version_id, deleted_at=None)
        .first()
    )


def _reason(findings: Sequence[Finding | VersionFinding]) -> str:
    return "; ".join(finding.message for finding in findings[:3])[:1000]
