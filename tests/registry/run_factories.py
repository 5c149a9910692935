"""Makes versions, runs and runner events through the services, as uploads and runners do."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from typing import Any

from envyard.contract.facts import Facts, TaskResult
from envyard.contract.job import MODEL
from envyard.contract.replay import Replay, Replayed
from envyard.contract.runner_events import Events, Finish, RolloutResult, Usage
from envyard.contract.transcript import Exchange, Node, Transcript
from registry import storage
from registry.accounts import runners
from registry.accounts.models import Owner, Runner
from registry.catalog.models import Environment, Version
from registry.catalog.sorting import sort_key
from registry.runs import runner_events, services
from registry.runs.models import Run
from tests import wheels

# Fixed, so that a new probe changes no count in the tests.
POLICIES = ("silent", "parrot", "babble", "oracle", "swapped")


def make_version(
    owner: Owner,
    *,
    name: str = "demo-env",
    version: str = "0.1.0",
    status: str = Version.Status.EVALUATING,
    wheel: bytes | None = None,
) -> Version:
    """A version with its wheel in storage, as an upload leaves it, in any unlisted status."""
    data = wheels.make_wheel(name, version) if wheel is None else wheel
    sha256 = hashlib.sha256(data).hexdigest()
    storage.get().put(storage.key("wheels", sha256), io.BytesIO(data), sha256)
    environment, _ = Environment.objects.get_or_create(owner=owner, name=name)
    return Version.objects.create(
        environment=environment,
        version=version,
        sort_key=sort_key(version),
        status=status,
        filename=wheels.filename(name, version),
        sha256=sha256,
        size=len(data),
        metadata_sha256=sha256,
    )


def make_run(version: Version, policies: Sequence[str] = POLICIES) -> Run:
    """A queued run."""
    return services.request(version=version, policies=policies)


def make_runner(name: str = "gpu-1") -> Runner:
    """An enabled runner."""
    return runners.create(name=name)[0]


def make_leased_run(
    version: Version, policies: Sequence[str] = POLICIES, runner: Runner | None = None
) -> Run:
    """A run that a runner has leased."""
    run = make_run(version, policies)
    leased = services.lease(runner=runner or make_runner())
    assert leased == run
    return leased


def skip_pause() -> None:
    """End the pause before the next attempt of every run."""
    Run.with_shards.filter(not_before__isnull=False).update(not_before=None)


def make_rollout(policy: str, task: int = 0, attempt: int = 0, **changes: Any) -> RolloutResult:
    """A completed rollout with reward 0, apart from `changes`."""
    fields: dict[str, Any] = {"ok": True, "reward": 0.0, "seconds": 0.1, "usage": Usage(calls=1)}
    return RolloutResult(policy=policy, task=task, attempt=attempt, **(fields | changes))


def make_transcript(text: str) -> Transcript:
    """A transcript of one question and one answer, as the gateway records it."""
    nodes = [
        Node(-1, {"role": "user", "content": text}),
        Node(0, {"role": "assistant", "content": f"re: {text}"}),
    ]
    call = Exchange(
        asked=0, reply=1, finish_reason="stop", prompt_tokens=3, completion_tokens=2, at=1.8e9
    )
    return Transcript(nodes, [call])


def make_finish(outcome: Any, attempt: int = 1) -> Finish:
    """The final result of an attempt."""
    return Finish(attempt, outcome)


def make_failed_rollout(
    policy: str, task: int = 0, attempt: int = 0, fault: str = "environment"
) -> RolloutResult:
    """A rollout that ended with an error."""
    error = {"type": "ValueError", "message": "boom", "traceback": "", "fault": fault}
    return make_rollout(policy, task, attempt, ok=False, reward=None, error=error)


def make_facts(n: int = 5, *, hook: bool = True) -> Facts:
    """Facts of `n` different tasks with reference answers, equal on both loads."""
    tasks = [
        TaskResult(
            index=i,
            hash=hashlib.sha256(str(i).encode()).hexdigest(),
            prompt=f"Question {i}: what is {i} plus {i * i}?",
            reference=True,
            hook=hook,
        )
        for i in range(n)
    ]
    return Facts(load_seconds=1.0, tasks=tasks, hashes_again=[task.hash for task in tasks])


def honest_rollouts(
    policies: Sequence[str] = POLICIES, n: int = 5, model: int = 4
) -> list[RolloutResult]:
    """Rollouts of an honest environment: only the oracle is paid, and the model half the time."""
    results = []
    for policy in policies:
        for task in range(n):
            for attempt in range(model if policy == MODEL else 1):
                paid = policy == "oracle" or (policy == MODEL and (task + attempt) % 2 == 0)
                parts = {"right": {"score": float(paid), "weight": 1.0}}
                results.append(
                    make_rollout(policy, task, attempt, reward=float(paid), rewards=parts)
                )
    return results


def make_events(seq: int = 1, *, attempt: int = 1, phase: Any = "running", **fields: Any) -> Events:
    """One batch of events."""
    return Events(attempt=attempt, seq=seq, phase=phase, **fields)


def record_attempt(
    run: Run,
    rollouts: Sequence[RolloutResult],
    *,
    known: Facts | None = None,
    outcome: Any = "succeeded",
    findings: Sequence[Any] = (),
) -> None:
    """Record a complete attempt and its final result; each replay has the first reward."""
    events = make_events(
        attempt=run.attempt,
        log="hello\n",
        rollouts=list(rollouts),
        replays=[
            Replayed(r.policy, r.task, r.attempt, Replay(r.reward, r.rewards))
            for r in rollouts
            if r.ok
        ],
        facts=known or make_facts(),
    )
    runner_events.record(run_id=run.pk, events=events)
    runner_events.finish(run_id=run.pk, finish=Finish(run.attempt, outcome, list(findings)))
