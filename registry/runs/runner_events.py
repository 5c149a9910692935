"""Store event batches and the final result of an attempt; reject stale attempts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from envyard.contract.data_lock import DataLock
from envyard.contract.findings import Finding, finding, is_requirement
from envyard.contract.runner_events import Events, Finish, Outcome
from registry import events
from registry.catalog import data_locks, locks
from registry.errors import HubError
from registry.provisions import grants
from registry.runs import endings, limits, logs, provided, results, shards, transcripts
from registry.runs.models import Run


@dataclass(frozen=True, slots=True)
class BatchReply:
    """The reply to a batch: the new lease, and whether the runner should stop."""

    lease_seconds: float
    cancel: bool


def record(*, run_id: UUID, events: Events) -> BatchReply:
    """Store one batch of the current attempt and renew its lease.

    A batch whose number was stored before gets a reply and is otherwise ignored. Raises HubError
    runner.superseded (409) where the attempt is over, request.conflict (409) where a batch before
    it is missing.
    """
    now = timezone.now()
    packed = results.put_transcripts(run_id, events)
    with transcripts.deleted_if_unused(packed), transaction.atomic():
        run = _lock_attempt(run_id, events.attempt)
        if events.seq > run.last_seq + 1:
            raise HubError(
                "request.conflict",
                f"batch seq={events.seq} came after seq={run.last_seq}",
                f"Send seq={run.last_seq + 1} first.",
                status=409,
                details={"last_seq": run.last_seq},
            )
        if events.seq == run.last_seq + 1:
            logs.append(run=run, seq=events.seq, text=events.log)
            results.store(run, events, packed)
        run.lease_expires_at = _lease_until(run, now)
        run.save(update_fields=["status", "last_seq", "done", "total", "facts", "lease_expires_at"])
        if run.parent_id is not None:
            shards.progressed(run.parent_id)
    return BatchReply(limits.lease().total_seconds(), cancel=run.cancel_requested_at is not None)


def lock(*, run_id: UUID, attempt: int, platform: str, offered: str | None) -> str | None:
    """The lock of the attempt's version for that platform; `offered` becomes it where none exists.

    Raises HubError runner.superseded (409), request.invalid for an invalid lock.
    """
    with transaction.atomic():
        run = _lock_attempt(run_id, attempt)
        return locks.agree(
            version=run.version,
            run_id=run_id,
            platform=platform,
            offered=offered,
            attempt=attempt,
        )


def data_lock(*, run_id: UUID, attempt: int, offered: DataLock) -> DataLock:
    """The data lock of the attempt's version, with what `offered` adds unless it is frozen.

    Raises HubError runner.superseded (409), request.invalid for a lock beyond its bounds.
    """
    with transaction.atomic():
        run = _lock_attempt(run_id, attempt)
        return data_locks.extend(version=run.version, offered=offered)


def secret_values(*, run_id: UUID, attempt: int) -> dict[str, str]:
    """The values of the secrets that this attempt may use, by name; the journal has the names.

    Raises HubError runner.superseded (409).
    """
    with transaction.atomic():
        run = _lock_attempt(run_id, attempt)
        values = grants.values(run.version, requested_by=run.requested_by)
        events.record(
            "run.secrets_sent",
            environment=run.version.environment,
            version=run.version,
            run=run,
            attempt=attempt,
            names=", ".join(sorted(values)),
        )
    return values


def finish(*, run_id: UUID, finish: Finish) -> None:
    """End the attempt with the outcome that its runner reports; a repeated call changes nothing.

    `errored` queues the next attempt while there is one, unless the run is to be cancelled or a
    finding is a requirement, which another attempt would not have either: then the run ends.
    Raises HubError runner.superseded (409).
    """
    with transaction.atomic():
        try:
            run = _lock_attempt(run_id, finish.attempt)
        except HubError:
            ended = Run.with_shards.filter(
                pk=run_id, attempt=finish.attempt, ended_at__isnull=False
            )
            if ended.exists():
                return
            raise
        _end(run, finish.outcome, list(finish.findings))


def _end(run: Run, outcome: Outcome, findings: list[Finding]) -> None:
    match outcome:
        case "succeeded":
            endings.end(run=run, status=Run.Status.SUCCEEDED, findings=findings)
        case "failed":
            findings = findings or [finding("run.crashed")]
            endings.end(run=run, status=Run.Status.FAILED, findings=findings)
        case _ if run.cancel_requested_at is not None:
            endings.end(run=run, status=Run.Status.CANCELLED, findings=findings)
        case "cancelled":
            unrequested = finding("run.runner_error", "The runner stopped without being asked.")
            endings.next_attempt(run=run, findings=[*findings, unrequested], now=timezone.now())
        case "errored" if kinds := provided.lacked(findings):
            _end_lacking(run, kinds, findings)
        case "errored":
            findings = findings or [finding("run.runner_error")]
            endings.next_attempt(run=run, findings=findings, now=timezone.now())


def _end_lacking(run: Run, kinds: dict[str, set[str]], findings: list[Finding]) -> None:
    """Queue the run for another runner that provides what this one lacked; end it without one.

    Beside the requirements, findings are only information: they may follow from what was missing.
    """
    provided.add_needs(run, kinds)
    if (runner := provided.better_runner(run, kinds)) is not None:
        message = f"Runner {run.runner} lacked what runner {runner} provides."
        moved = finding("run.handed_back", message)
        endings.next_attempt(run=run, findings=[moved], now=timezone.now(), handed_back=True)
        return
    run.findings.exclude(severity="info").update(severity="info")
    shown = [
        each if is_requirement(each.code) else replace(each, severity="info") for each in findings
    ]
    endings.end(run=run, status=Run.Status.ERRORED, findings=shown)


def _lock_attempt(run_id: UUID, attempt: int) -> Run:
    """The run, locked, if this is its current attempt on an enabled runner; else raise 409."""
    run = (
        Run.with_shards.select_for_update(of=("self",))
        .select_related("runner", "version__environment__owner", "requested_by")
        .filter(pk=run_id)
        .first()
    )
    if run is None or run.attempt != attempt or run.status not in Run.LEASED_STATES:
        state = "is unknown" if run is None else f"is {run.status} in attempt {run.attempt}"
        raise HubError(
            "runner.superseded",
            f"run {run_id} {state}; attempt {attempt} may not report",
            "Stop the sandbox and take the next run.",
            status=409,
        )
    if run.runner is None or not run.runner.enabled:
        raise HubError("runner.superseded", "the runner was disabled", status=409)
    return run


def _max_attempt_time(run: Run) -> timedelta:
    return limits.max_attempt_time(is_evaluation=run.is_evaluation)


def _lease_until(run: Run, now: datetime) -> datetime:
    """A lease from now, limited by the attempt's deadline: batches alone do not keep a run
    leased."""
    started = run.started_at or now
    return min(now + limits.lease(), started + _max_attempt_time(run))
