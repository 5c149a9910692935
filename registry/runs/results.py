"""Store what a batch of runner events has: transcripts, rollouts, replays, progress and facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from envyard.card.final_answers import answer_of
from envyard.contract.facts import Facts
from envyard.contract.findings import finding
from envyard.contract.job import MODEL
from envyard.contract.replay import Replayed
from envyard.contract.runner_events import Events, RolloutResult
from registry.runs import endings, sanitize, transcripts
from registry.runs.models import Rollout, Run
from registry.runs.transcripts import StoredPack

PHASES = (Run.Status.LEASED, Run.Status.PREPARING, Run.Status.RUNNING, Run.Status.SCORING)
UNPLANNED = "run.unplanned_rollouts"


def put_transcripts(run_id: UUID, events: Events) -> StoredPack | None:
    """Put the batch's transcripts into the storage before any lock is taken, as that may be slow.

    Nothing is stored for a batch that will be refused or ignored, nor for rollouts that are not
    planned or known already: so a run stores no more than it planned.
    """
    attempt = Run.with_shards.filter(
        pk=run_id, attempt=events.attempt, status__in=Run.LEASED_STATES
    )
    run = attempt.filter(last_seq=events.seq - 1, runner__enabled=True).first()
    if run is None or not events.rollouts:
        return None
    stored = set(run.own_rollouts.values_list("policy", "task", "attempt"))
    unstored = [
        result
        for result in events.rollouts
        if _is_planned(run, result) and transcripts.rollout_key(result) not in stored
    ]
    return transcripts.put(run=run, seq=events.seq, rollouts=unstored)


def store(run: Run, events: Events, packed: StoredPack | None) -> None:
    """Store the batch's rollouts, replays and progress; the caller saves the locked run."""
    _store_rollouts(run, events, packed)
    _store_replays(run, events.replays)
    _store_progress(run, events)


def _store_rollouts(run: Run, events: Events, packed: StoredPack | None) -> None:
    """Store the planned rollouts that are new; the first result of a rollout counts."""
    planned = [result for result in events.rollouts if _is_planned(run, result)]
    pack = transcripts.row_of(run=run, seq=events.seq, packed=packed) if packed else None
    rows = [_row(run, result) for result in planned]
    for row, result in zip(rows, planned, strict=True):
        if packed and (span := packed.position(result))[1]:
            row.pack, (row.offset, row.length) = pack, span
    Rollout.objects.bulk_create(rows, ignore_conflicts=True)
    unplanned = next((result for result in events.rollouts if not _is_planned(run, result)), None)
    if unplanned is not None and not run.findings.filter(code=UNPLANNED).exists():
        name = f"{unplanned.policy}/{unplanned.task}/{unplanned.attempt}"
        message = f"A rollout {name!r} was reported that this run did not plan; it is not kept."
        endings.keep_findings(run=run, findings=[finding(UNPLANNED, message, where=name)])


def _store_replays(run: Run, replays: list[Replayed]) -> None:
    """Store the results of replays beside the first reward; the first replay of a rollout
    counts."""
    if not replays:
        return
    first = {(r.policy, r.task, r.attempt): r for r in run.own_rollouts.filter(replay__isnull=True)}
    rows = []
    for replayed in replays:
        if row := first.pop((replayed.policy, replayed.task, replayed.attempt), None):
            row.replay, row.rescored = replayed.replay.to_dict(), replayed.replay.reward
            rows.append(row)
    Rollout.objects.bulk_update(rows, ["replay", "rescored"])


def _is_planned(run: Run, result: RolloutResult) -> bool:
    attempts = run.attempts if result.policy == MODEL else 1
    return (
        result.policy in run.policies
        and result.task in run.task_indexes
        and 0 <= result.attempt < attempts
    )


def _row(run: Run, result: RolloutResult) -> Rollout:
    """The unsaved row of a result."""
    reward, reward_text = sanitize.reward(result)
    return Rollout(
        run_id=run.parent_id or run.pk,
        policy=result.policy,
        task=result.task,
        attempt=result.attempt,
        ok=result.ok,
        reward=reward,
        reward_text=reward_text[:64],
        rewards=result.rewards,
        metrics=result.metrics,
        conversations=len(result.transcript.ends),
        answer=answer_of(result.transcript) if result.policy == MODEL else "",
        shortened=result.transcript.truncated,
        turns=result.turns,
        stop=result.stop,
        truncated=result.truncated,
        seconds=sanitize.seconds(result.seconds),
        scoring_seconds=None
        if result.scoring_seconds is None
        else sanitize.seconds(result.scoring_seconds),
        prompt_tokens=result.usage.prompt_tokens,
        completion_tokens=result.usage.completion_tokens,
        reasoning_tokens=result.usage.reasoning_tokens,
        calls=result.usage.calls,
        model_seconds=sanitize.seconds(result.usage.model_seconds),
        judge_calls=result.usage.judge_calls,
        judge_prompt_tokens=result.usage.judge_prompt_tokens,
        judge_completion_tokens=result.usage.judge_completion_tokens,
        judge_seconds=sanitize.seconds(result.usage.judge_seconds),
        error=result.error,
    )


def _store_progress(run: Run, events: Events) -> None:
    """Advance the phase, never back; count the stored rollouts; add the new facts."""
    run.last_seq = events.seq
    phase = Run.Status(events.phase)
    if PHASES.index(phase) > PHASES.index(Run.Status(run.status)):
        run.status = phase
    if events.rollouts:
        run.done = run.own_rollouts.count()
    planned = sum(run.tasks * (run.attempts if p == MODEL else 1) for p in run.policies)
    run.total = max(0, min(events.total, planned)) or run.total
    run.facts |= _facts(events.facts, run.task_indexes).to_dict()


def _facts(facts: Facts, indexes: Sequence[int]) -> Facts:
    tasks, hashes_again = facts.tasks, facts.hashes_again
    return replace(
        facts,
        tasks=None if tasks is None else sanitize.clean_tasks(tasks, indexes),
        hashes_again=None if hashes_again is None else hashes_again[: len(indexes)],
    )
