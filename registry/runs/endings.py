"""How an attempt ends: the run's own end, or the next attempt. Each is one compare-and-swap."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from envyard.contract.findings import Finding
from envyard.contract.job import queue_for
from envyard.contract.values import text
from registry import dispatch, events
from registry.catalog import data_locks
from registry.catalog.models import Version
from registry.catalog.related_models import VersionFinding
from registry.runs import attempts, limits
from registry.runs.log_models import LogChunk
from registry.runs.lost_attempt_models import LostAttempt
from registry.runs.models import Run
from registry.runs.sanitize import clean_finding

REASON_CHARACTERS = 2000  # in journal and log of a lost attempt; its findings hold all


def end(*, run: Run, status: Run.Status, findings: Iterable[Finding] = ()) -> bool:
    """End this attempt and the run, store its findings, and enqueue its judgement after commit.

    False, and nothing changed, where the attempt was no longer the active one.
    """
    with transaction.atomic():
        now, was_leased = timezone.now(), run.status in Run.LEASED_STATES
        moved = Run.with_shards.filter(
            pk=run.pk, attempt=run.attempt, status__in=Run.ACTIVE
        ).update(status=status, ended_at=now)
        if not moved:
            return False
        run.status, run.ended_at = status, now
        if status == Run.Status.SUCCEEDED:
            data_locks.freeze(run.version)
        keep_findings(run=run, findings=findings)
        events.record(
            f"{run.kind}.{status.value}",
            environment=run.version.environment,
            version=run.version,
            run=run,
            attempt=run.attempt,
        )
        if run.parent_id is not None:
            dispatch.enqueue_after_commit(dispatch.CONCLUDE, run_id=str(run.parent_id))
        elif not run.is_evaluation:
            dispatch.enqueue_after_commit(dispatch.JUDGE, run_id=str(run.pk))
        if (
            was_leased
            and Run.with_shards.filter(status=Run.Status.QUEUED, model=run.model).exists()
        ):
            notify_after_commit(run.model)  # its runner is idle, and the message for it is used up
    return True


def next_attempt(
    *,
    run: Run,
    findings: list[Finding],
    now: datetime,
    silent: bool = False,
    handed_back: bool = False,
) -> bool:
    """Queue the next attempt of a leased run, or end the run as errored where none is left.

    Results of the lost attempt are deleted, so that a card never mixes two attempts; its log stays
    and states what happened. False where the attempt was no longer leased. `silent` where the
    runner stopped reporting, `handed_back` where the hub took the run from it in order.
    """
    row = attempts.lost_attempt(run, findings, now=now, silent=silent, handed_back=handed_back)
    rows = [*run.lost_attempts.order_by("attempt"), row]
    reason = text("; ".join(f.message.rstrip(".") for f in findings), REASON_CHARACTERS)
    line = f"attempt {run.attempt} on {row.runner_name} ended: {reason}."
    with transaction.atomic():
        exhausted = attempts.exhausted_finding(rows, now=now)
        if exhausted is not None:
            if not end(run=run, status=Run.Status.ERRORED, findings=[*findings, exhausted]):
                return False
            row.save(force_insert=True)
            note(run, f"{line} No attempt is left.")
            return True
        earliest = attempts.not_before(run, rows, now=now)
        if not _queue_again(run, earliest, reason):
            return False
        row.save(force_insert=True)
        note(run, f"{line} {_outlook(rows, earliest, now)}")
        if earliest is None:
            notify_after_commit(run.model)
    return True


def _queue_again(run: Run, earliest: datetime | None, reason: str) -> bool:
    """Put the leased run back into the queue with the next attempt; False where it was not
    leased."""
    moved = Run.with_shards.filter(
        pk=run.pk, attempt=run.attempt, status__in=Run.LEASED_STATES
    ).update(
        status=Run.Status.QUEUED,
        attempt=run.attempt + 1,
        runner=None,
        lease_expires_at=None,
        last_notified_at=timezone.now(),
        not_before=earliest,
        last_seq=0,
        done=0,
        total=0,
        facts={},
    )
    if not moved:
        return False
    run.own_rollouts.delete()
    run.findings.all().delete()
    events.record(
        f"{run.kind}.requeued",
        environment=run.version.environment,
        version=run.version,
        run=run,
        attempt=run.attempt + 1,
        reason=reason,
    )
    return True


def _outlook(rows: Sequence[LostAttempt], earliest: datetime | None, now: datetime) -> str:
    """Whether the last of these counted, and when the next attempt may begin."""
    counted, maximum = sum(row.counted for row in rows), limits.max_attempts()
    if rows[-1].counted:
        counts = f"It is number {counted} of {maximum} that may end so."
    else:
        reason = (
            "was handed back" if rows[-1].handed_back else "never reached the environment's code"
        )
        counts = f"Since it {reason}, it does not count against the limit of {maximum}."
    seconds = 0 if earliest is None else math.ceil((earliest - now).total_seconds())
    pause = f" and begins in {seconds} s at the earliest" if seconds else ""
    return f"{counts} The next one is queued{pause}."


def notify_after_commit(model: str) -> None:
    """Notify one runner that has the model, once the transaction is committed.

    The message names no run: the runner that receives it leases the next one from the hub.
    """
    dispatch.enqueue_after_commit(dispatch.RUN, queue=queue_for(model))


def note(run: Run, line: str) -> None:
    """Append a line of the hub to the log, after the output of the attempt."""
    LogChunk.objects.create(
        run=run, attempt=run.attempt, seq=run.last_seq + 1, text=f"[hub] {line}\n"
    )


def keep_findings(*, run: Run, findings: Iterable[Finding]) -> None:
    """Store findings of a run, beside those stored before."""
    store_findings(run.version, VersionFinding.Stage.RUN, findings, run)


def replace_findings(
    version: Version, stage: str, findings: Iterable[Finding], run: Run | None = None
) -> None:
    """Replace the findings of this stage about the version."""
    version.findings.filter(stage=stage).delete()
    store_findings(version, stage, findings, run)


def store_findings(
    version: Version, stage: str, findings: Iterable[Finding], run: Run | None
) -> None:
    """Store findings as rows; they may come from an environment, so they are sanitised here."""
    VersionFinding.objects.bulk_create(
        VersionFinding(
            version=version,
            run=run,
            stage=stage,
            code=finding.code,
            severity=finding.severity,
            message=finding.message,
            hint=finding.hint,
            where=finding.where,
            details=finding.details,
        )
        for finding in map(clean_finding, findings)
    )
