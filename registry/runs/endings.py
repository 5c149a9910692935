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
from registry.catalog.models import Version
from registry.catalog.related_models import VersionFinding
from registry.runs import attempts, limits
from registry.runs.models import LogChunk, LostAttempt, Run
from registry.runs.sanitize import clean_finding

WHY_CHARACTERS = 2000  # in journal and log of a lost attempt; its findings hold all


def end(*, run: Run, status: Run.Status, findings: Iterable[Finding] = ()) -> bool:
    """End this attempt and with it the run, keep its findings, have it judged after commit.

    False, and nothing changed, where the attempt was not the active one any more.
    """
    with transaction.atomic():
        now, held = timezone.now(), run.status in Run.LEASED_STATES
        moved = Run.objects.filter(pk=run.pk, attempt=run.attempt, status__in=Run.ACTIVE).update(
            status=status, ended_at=now
        )
        if not moved:
            return False
        run.status, run.ended_at = status, now
        keep_findings(run=run, findings=findings)
        events.record(
            f"run.{status.value}",
            environment=run.version.environment,
            version=run.version,
            run=run,
            attempt=run.attempt,
        )
        dispatch.enqueue_after_commit(dispatch.JUDGE, run_id=str(run.pk))
        if held and Run.objects.filter(status=Run.Status.QUEUED, model=run.model).exists():
            notify_after_commit(run.model)  # its runner is free, and its own bell is used up
    return True


def next_attempt(
    *,
    run: Run,
    findings: list[Finding],
    now: datetime,
    silent: bool = False,
    handed_back: bool = False,
) -> bool:
    """Queue a held run's next attempt, or end the run as errored where none is left.

    What the lost attempt reported goes, so that a card never mixes two attempts; its log stays
    and says what happened. False where the attempt was not held any more. `silent` where the
    runner stopped reporting, `handed_back` where the run was taken from it in order.
    """
    row = attempts.lost(run, findings, now=now, silent=silent, handed_back=handed_back)
    rows = [*run.lost_attempts.order_by("attempt"), row]
    why = text("; ".join(f.message.rstrip(".") for f in findings), WHY_CHARACTERS)
    line = f"attempt {run.attempt} on {row.runner_name} ended: {why}."
    with transaction.atomic():
        last = attempts.spent(rows, now=now)
        if last is not None:
            if not end(run=run, status=Run.Status.ERRORED, findings=[*findings, last]):
                return False
            row.save(force_insert=True)
            note(run, f"{line} No attempt is left.")
            return True
        earliest = attempts.not_before(run, rows, now=now)
        if not _queue_again(run, earliest, why):
            return False
        row.save(force_insert=True)
        note(run, f"{line} {_outlook(rows, earliest, now)}")
        if earliest is None:
            notify_after_commit(run.model)
    return True


def _queue_again(run: Run, earliest: datetime | None, why: str) -> bool:
    """Put the held run back into the queue, one attempt further; False where it was not held."""
    moved = Run.objects.filter(pk=run.pk, attempt=run.attempt, status__in=Run.LEASED_STATES).update(
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
    run.rollouts.all().delete()
    run.findings.all().delete()
    events.record(
        "run.requeued",
        environment=run.version.environment,
        version=run.version,
        run=run,
        attempt=run.attempt + 1,
        reason=why,
    )
    return True


def _outlook(rows: Sequence[LostAttempt], earliest: datetime | None, now: datetime) -> str:
    """Whether the last of these counted, and when the next attempt may begin."""
    counted, most = sum(row.counted for row in rows), limits.max_attempts()
    if rows[-1].counted:
        counts = f"It is number {counted} of {most} that may end so."
    else:
        why = "was handed back" if rows[-1].handed_back else "never reached the environment's code"
        counts = f"Since it {why}, it does not count against the limit of {most}."
    wait = 0 if earliest is None else math.ceil((earliest - now).total_seconds())
    return (
        f"{counts} The next one is queued{f' and begins in {wait} s at the earliest' * bool(wait)}."
    )


def notify_after_commit(model: str) -> None:
    """Wake one runner that has the model, once the transaction is committed.

    A bell says that there is work, not which: whoever hears it asks the hub for the next run.
    """
    dispatch.enqueue_after_commit(dispatch.RUN, queue=queue_for(model))


def note(run: Run, line: str) -> None:
    """Add the hub's own line to the log, after what the attempt reported."""
    LogChunk.objects.create(
        run=run, attempt=run.attempt, seq=run.last_seq + 1, text=f"[hub] {line}\n"
    )


def keep_findings(*, run: Run, findings: Iterable[Finding]) -> None:
    """Store what a run has found, beside what it found before."""
    store_findings(run.version, VersionFinding.Stage.RUN, findings, run)


def store_findings(
    version: Version, stage: str, findings: Iterable[Finding], run: Run | None
) -> None:
    """Store findings as rows; they may come from an environment, so they are cleaned here."""
    VersionFinding.objects.bulk_create(
        VersionFinding(
            version=version,
            run=run,
            stage=stage,
            code=one.code,
            severity=one.severity,
            message=one.message,
            hint=one.hint,
            where=one.where,
            details=one.details,
        )
        for one in map(clean_finding, findings)
    )
