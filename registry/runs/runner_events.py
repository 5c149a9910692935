"""What a runner tells of its attempt: batches of events, then one ending. Both are fenced."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from envyard.contract.findings import Finding, finding
from envyard.contract.job import MODEL
from envyard.contract.replay import Replayed
from envyard.contract.runner_events import Events, Facts, Finish, Outcome, RolloutResult
from registry.catalog import locks
from registry.errors import HubError
from registry.runs import endings, limits, logs, sanitize, transcripts
from registry.runs.models import Rollout, Run
from registry.runs.transcripts import Packed

PHASES = (Run.Status.LEASED, Run.Status.PREPARING, Run.Status.RUNNING, Run.Status.SCORING)
UNPLANNED = "run.unplanned_rollouts"


@dataclass(frozen=True, slots=True)
class Heard:
    """The answer to a batch: the lease from now on, and whether to stop."""

    lease_seconds: float
    cancel: bool


def record(*, run_id: UUID, events: Events) -> Heard:
    """Store one batch of the attempt under way and renew its lease.

    A number seen before is answered and otherwise ignored. Raises HubError runner.superseded
    (409) where the attempt is over, request.conflict (409) where a batch is missing in between.
    """
    now = timezone.now()
    packed = _put_transcripts(run_id, events)
    with transcripts.kept_or_gone(packed), transaction.atomic():
        run = _held(run_id, events.attempt)
        if events.seq > run.last_seq + 1:
            raise HubError(
                "request.conflict",
                f"batch seq={events.seq} came after seq={run.last_seq}",
                f"Send seq={run.last_seq + 1} first.",
                status=409,
                details={"last_seq": run.last_seq},
            )
        if events.seq == run.last_seq + 1:
            logs.keep(run=run, seq=events.seq, text=events.log)
            _store_rollouts(run, events, packed)
            _store_replays(run, events.replays)
            _store_progress(run, events)
        run.lease_expires_at = _lease_until(run, now)
        run.save(update_fields=["status", "last_seq", "done", "total", "facts", "lease_expires_at"])
    return Heard(limits.lease().total_seconds(), cancel=run.cancel_requested_at is not None)


def lock(*, run_id: UUID, attempt: int, platform: str, offered: str | None) -> str | None:
    """The lock that the attempt's version has on that platform, `offered` where it had none.

    Raises HubError runner.superseded (409), request.invalid for what no lock may be.
    """
    with transaction.atomic():
        run = _held(run_id, attempt)
        return locks.agree(
            version=run.version,
            run_id=run_id,
            platform=platform,
            offered=offered,
            attempt=attempt,
        )


def finish(*, run_id: UUID, finish: Finish) -> None:
    """End the attempt as its runner says. Said twice, the second time changes nothing.

    `errored` queues the next attempt while there is one, unless somebody asked to cancel: then
    the run ends there. Raises HubError runner.superseded (409).
    """
    with transaction.atomic():
        try:
            run = _held(run_id, finish.attempt)
        except HubError:
            ended = Run.objects.filter(pk=run_id, attempt=finish.attempt, ended_at__isnull=False)
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
            unasked = finding("run.runner_error", "The runner stopped without being asked.")
            endings.next_attempt(run=run, findings=[*findings, unasked], now=timezone.now())
        case "errored":
            findings = findings or [finding("run.runner_error")]
            endings.next_attempt(run=run, findings=findings, now=timezone.now())


def _held(run_id: UUID, attempt: int) -> Run:
    """The run, locked, where this attempt is under way on an enabled runner: the fence."""
    run = (
        Run.objects.select_for_update(of=("self",))
        .select_related("runner", "version__environment")
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


def _lease_until(run: Run, now: datetime) -> datetime:
    """A lease from now, yet never beyond the attempt's own deadline: talk alone holds no run."""
    started = run.started_at or now
    return min(now + limits.lease(), started + limits.attempt_at_most())


def _put_transcripts(run_id: UUID, events: Events) -> Packed | None:
    """The batch's transcripts in the storage, before any lock is held: that may take its time.

    Nothing is kept for a batch that will be refused or ignored, nor of rollouts that are not
    planned or were told before: so a run keeps no more than it planned.
    """
    held = Run.objects.filter(pk=run_id, attempt=events.attempt, status__in=Run.LEASED_STATES)
    run = held.filter(last_seq=events.seq - 1, runner__enabled=True).first()
    if run is None or not events.rollouts:
        return None
    told = set(run.rollouts.values_list("policy", "task", "attempt"))
    new = [o for o in events.rollouts if _is_planned(run, o) and transcripts.name_of(o) not in told]
    return transcripts.put(run=run, seq=events.seq, rollouts=new)


def _store_rollouts(run: Run, events: Events, packed: Packed | None) -> None:
    """Keep the planned rollouts that are new; the first report of a rollout stands."""
    planned = [one for one in events.rollouts if _is_planned(run, one)]
    pack = transcripts.row_of(run=run, seq=events.seq, packed=packed) if packed else None
    rows = [_row(run, one) for one in planned]
    for row, one in zip(rows, planned, strict=True):
        if packed and (place := packed.place(one))[1]:
            row.pack, (row.offset, row.length) = pack, place
    Rollout.objects.bulk_create(rows, ignore_conflicts=True)
    strange = next((one for one in events.rollouts if not _is_planned(run, one)), None)
    if strange is not None and not run.findings.filter(code=UNPLANNED).exists():
        name = f"{strange.policy}/{strange.task}/{strange.attempt}"
        message = f"A rollout {name!r} was reported that this run did not plan; it is not kept."
        endings.keep_findings(run=run, findings=[finding(UNPLANNED, message, where=name)])


def _store_replays(run: Run, replays: list[Replayed]) -> None:
    """Keep what came of playing rollouts again, beside the first reward; the first word stands."""
    if not replays:
        return
    first = {(r.policy, r.task, r.attempt): r for r in run.rollouts.filter(replay__isnull=True)}
    rows = []
    for one in replays:
        if row := first.pop((one.policy, one.task, one.attempt), None):
            row.replay, row.rescored = one.replay.to_dict(), one.replay.reward
            rows.append(row)
    Rollout.objects.bulk_update(rows, ["replay", "rescored"])


def _is_planned(run: Run, one: RolloutResult) -> bool:
    attempts = run.attempts if one.policy == MODEL else 1
    return one.policy in run.policies and 0 <= one.task < run.tasks and 0 <= one.attempt < attempts


def _row(run: Run, one: RolloutResult) -> Rollout:
    """The row of a report."""
    reward, reward_text = sanitize.reward(one)
    return Rollout(
        run=run,
        policy=one.policy,
        task=one.task,
        attempt=one.attempt,
        ok=one.ok,
        reward=reward,
        reward_text=reward_text[:64],
        rewards=one.rewards,
        metrics=one.metrics,
        conversations=len(one.transcript.ends),
        shortened=one.transcript.truncated,
        turns=one.turns,
        stop=one.stop,
        truncated=one.truncated,
        seconds=sanitize.seconds(one.seconds),
        scoring_seconds=None
        if one.scoring_seconds is None
        else sanitize.seconds(one.scoring_seconds),
        prompt_tokens=one.usage.prompt_tokens,
        completion_tokens=one.usage.completion_tokens,
        reasoning_tokens=one.usage.reasoning_tokens,
        calls=one.usage.calls,
        model_seconds=sanitize.seconds(one.usage.model_seconds),
        error=one.error,
    )


def _store_progress(run: Run, events: Events) -> None:
    """Move the phase forward, never back; count what is stored; add what became known."""
    run.last_seq = events.seq
    phase = Run.Status(events.phase)
    if PHASES.index(phase) > PHASES.index(Run.Status(run.status)):
        run.status = phase
    if events.rollouts:
        run.done = run.rollouts.count()
    most = sum(run.tasks * (run.attempts if p == MODEL else 1) for p in run.policies)
    run.total = max(0, min(events.total, most)) or run.total
    run.facts |= _facts(events.facts, run.tasks).to_dict()


def _facts(facts: Facts, most: int) -> Facts:
    tasks, again = facts.tasks, facts.hashes_again
    return replace(
        facts,
        tasks=None if tasks is None else sanitize.clean_tasks(tasks, most),
        hashes_again=None if again is None else again[:most],
    )
