"""Completion and crashes: the share of rollouts that ended well, and of those that failed."""

from __future__ import annotations

from envyard.card.evidence import Evidence, excused, name
from envyard.card.measures.definition import (
    MeasureDefinition,
    Reading,
    Status,
    share_of_rollouts,
)
from envyard.contract.failures import explain, facts_of
from envyard.contract.runner_events import RolloutResult

MINIMUM_COMPLETED = 0.9
MAXIMUM_EXCUSED = 0.1
MAXIMUM_CRASHED = 0.05


def completes(evidence: Evidence) -> Reading:
    """The share of planned rollouts that ended well.

    Rollouts that the model or the platform failed count neither way; beyond a tenth of them the
    share is unknown, so that no version is listed or rejected because of the platform.
    """
    planned = sum(evidence.planned(policy) for policy in evidence.policies)
    completed = sum(r.ok for r in evidence.rollouts)
    excused_count = sum(excused(r) for r in evidence.rollouts)
    n = max(0, planned - excused_count)
    known = excused_count <= MAXIMUM_EXCUSED * planned
    status: Status = (
        "unknown" if not known else "pass" if completed >= MINIMUM_COMPLETED * n else "fail"
    )
    detail = _completion_detail(evidence, planned, completed, excused_count)
    counted = [(r, r.ok) for r in evidence.rollouts if not excused(r)]
    return share_of_rollouts(counted, status, detail, missing=max(0, n - len(counted)))


def _completion_detail(evidence: Evidence, planned: int, completed: int, excused_count: int) -> str:
    parts = [f"{completed} of {planned} planned rollouts completed"]
    if excused_count:
        parts += [f"{excused_count} were failed by the model or the platform"]
    if left_out := sum(evidence.left_out(policy) for policy in evidence.policies):
        parts += [f"{left_out} more do not count"]
    short = [
        f"{policy} {sum(r.ok for r in evidence.of(policy))} of {evidence.planned(policy)}"
        for policy in evidence.policies
        if policy_rate(evidence, policy) < MINIMUM_COMPLETED
    ]
    if short:
        parts += [f"too few: {', '.join(short)}{_first_error(evidence)}"]
    return "; ".join(parts)


def policy_rate(evidence: Evidence, policy: str) -> float:
    """The share of a policy's planned rollouts that ended well; 1 where none was planned."""
    rollouts = evidence.of(policy)
    n = evidence.planned(policy) - sum(excused(r) for r in rollouts)
    return sum(r.ok for r in rollouts) / n if n > 0 else 1.0


def crash_rate(evidence: Evidence) -> Reading:
    """The share of rollouts in which the environment's own code failed."""
    crashed = [r for r in evidence.rollouts if _crashed(r)]
    n = sum(not excused(r) for r in evidence.rollouts)
    detail = f"{len(crashed)} of {n} rollouts crashed" + (_error_of(crashed[0]) if crashed else "")
    few = len(crashed) <= MAXIMUM_CRASHED * n
    status: Status = "pass" if not crashed else "warn" if few else "fail"
    counted = ((r, _crashed(r)) for r in evidence.rollouts if not excused(r))
    return share_of_rollouts(counted, status, detail)


def not_finite(rollout: RolloutResult) -> bool:
    """Whether the rollout failed because its reward was no finite number."""
    return (rollout.error or {}).get("type") == "RewardNotFinite"


def _crashed(rollout: RolloutResult) -> bool:
    return not rollout.ok and not excused(rollout) and not not_finite(rollout)


def _error_of(rollout: RolloutResult) -> str:
    """The likely cause of the rollout's error, else the error itself."""
    error = rollout.error or {}
    cause = explain(facts_of(error))
    raised = f"{error.get('type') or 'no error given'}: {error.get('message', '')}"
    text = cause.message.rstrip(".") if cause else raised
    return f"; {name(rollout)}: {text[:300]}"


def _first_error(evidence: Evidence) -> str:
    failed = [r for r in evidence.rollouts if not r.ok and not excused(r)]
    return _error_of(failed[0]) if failed else ""


COMPLETION = (
    MeasureDefinition(
        code="completes",
        rollouts="outcome=failed",
        title="Completes",
        unit="share",
        threshold=MINIMUM_COMPLETED,
        source="claimed",
        read=completes,
        question="Do planned rollouts end well?",
        advice="Open a failed rollout of the named policy, which shows its error.",
        must_be_known=True,
    ),
    MeasureDefinition(
        code="crash_rate",
        rollouts="outcome=failed",
        title="Crash rate",
        unit="share",
        threshold=MAXIMUM_CRASHED,
        source="claimed",
        read=crash_rate,
        question="Does the environment's code fail?",
        advice="Handle unusual replies: empty, very long, not in the expected format.",
    ),
)
