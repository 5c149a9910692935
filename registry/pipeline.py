"""The story of a version: uploaded -> checking -> evaluating -> listed, rejected or held.

    check     puts the wheel in its place where its upload could not, reads it again, by the rules
              that the author's machine has too, and finds out what kind of environment it is;
              errors reject
    evaluate  requests a run, which a runner takes, reports on and ends
    judge     looks at the ended run: measured well, the version is listed; measured badly, or
              failed by its own fault, it is rejected; where nobody could tell, it is held for staff

Each step looks at the row first and moves it by compare-and-swap, so that a message may be lost,
doubled or late. A step that breaks leaves the version where it was, and `recovery` sends it again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress

from django.conf import settings
from django.db import transaction

from envyard.contract import examine as contract
from envyard.contract.codes import CATALOGUE, Finding
from envyard.contract.detect import Detection
from registry import doorbell, limits, storage
from registry.accounts.models import User
from registry.card import services as card
from registry.catalog.lifecycle import move
from registry.catalog.models import Version, VersionFinding
from registry.catalog.similar import name_findings
from registry.errors import Stale
from registry.runs import services as runs
from registry.runs.endings import store_findings
from registry.runs.models import Run
from registry.uploads import staging

UPLOADED, CHECKING, EVALUATING, LISTED, REJECTED, HELD = Version.Status
Stage = VersionFinding.Stage


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
                move(version, REJECTED, reason=_reason(errors))
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
    own = [o for o in errors if o.code not in CATALOGUE or CATALOGUE[o.code].fault == "environment"]
    if run.status == Run.Status.FAILED:
        return REJECTED, _reason(errors or found)
    if run.status != Run.Status.SUCCEEDED:
        return HELD, _reason(errors or found)
    if own:
        return REJECTED, _reason(own)
    return (HELD, _reason(errors)) if errors else (LISTED, "")


def retry(*, version: Version, by: User) -> None:
    """Take a held version up again where it was left; raises Stale where it is not held."""
    if version.status != HELD:
        raise Stale(f"{version} is {version.status}; only a held version can be retried")
    with transaction.atomic():
        if version.framework:
            move(version, EVALUATING, by=by, reason="retried")
            evaluate(version, by=by)
        else:
            move(version, CHECKING, by=by, reason="retried")
            doorbell.after_commit(doorbell.CHECK, version_id=version.pk)


def retry_cancelled(*, run: Run, by: User) -> Run:
    """Queue a run in the place of a cancelled one; Stale where the version has moved on since."""
    version = run.version
    newest = version.runs.order_by("-created_at").values_list("pk", flat=True).first()
    if run.status != Run.Status.CANCELLED or newest != run.pk:
        raise Stale(f"run {run.pk} is not the version's newest, or is not cancelled")
    with transaction.atomic():
        retry(version=version, by=by)
        return version.runs.get(status=Run.Status.QUEUED)


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
