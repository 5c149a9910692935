"""What a runner sends to the hub: batches of events while a run is active, then its result.

An environment's code can influence everything in here: the hub reads it with `from_dict`, which
caps sizes, drops unknown fields and never raises for content.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from envyard.contract.facts import Facts
from envyard.contract.findings import Finding
from envyard.contract.replay import Replay, Replayed, parts_of
from envyard.contract.transcript import Transcript
from envyard.contract.values import (
    count,
    count_or_none,
    finite,
    record,
    records,
    text,
)

Phase = Literal["preparing", "running", "scoring"]
Outcome = Literal["succeeded", "failed", "errored", "cancelled"]

MAX_ROLLOUTS = 1000
MAX_PARTS = 50
MAX_LOG = 1 << 17  # characters of one batch
MAX_REPLAYS = 200
ERROR_KEYS = ("type", "message", "traceback", "fault")


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and model seconds of one rollout, counted by the gateway.

    `reasoning_tokens` are among the completion tokens, None where a reply came without the count.
    The judge's calls, tokens and seconds are counted apart.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    calls: int = 0
    model_seconds: float = 0.0
    reasoning_tokens: int | None = None
    judge_calls: int = 0
    judge_prompt_tokens: int = 0
    judge_completion_tokens: int = 0
    judge_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class RolloutResult:
    """One finished rollout.

    `reward` is None where the rollout failed (never zero); `reward_text` keeps what the
    environment returned where that was not finite. `transcript` is the gateway's own record.
    `replay` comes later (Events.replays), where the rollout was planned to be replayed.
    """

    policy: str
    task: int
    attempt: int
    ok: bool
    reward: float | None
    reward_text: str = ""
    rewards: dict[str, dict[str, float]] = field(default_factory=dict)
    metrics: dict[str, float] = field(default_factory=dict)
    transcript: Transcript = field(default_factory=Transcript)
    turns: int = 0
    stop: str = ""
    truncated: bool = False
    seconds: float = 0.0
    scoring_seconds: float | None = None
    usage: Usage = field(default_factory=Usage)
    error: dict[str, str] | None = None
    replay: Replay | None = None

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> RolloutResult:
        """Read an untrusted JSON form; wrong shapes become empty, long texts are cut."""
        raw = data.get("reward")
        reward = finite(raw)
        usage, metrics = record(data.get("usage")), record(data.get("metrics"))
        error = record(data.get("error"))
        return cls(
            policy=text(data.get("policy"), 40),
            task=count(data.get("task")),
            attempt=count(data.get("attempt")),
            ok=data.get("ok") is True,
            reward=reward,
            reward_text=text(data.get("reward_text"), 60)
            or ("" if raw is None or reward is not None else text(raw, 60)),
            rewards=parts_of(data.get("rewards")),
            metrics={
                text(name, 80): value
                for name, value in ((n, finite(v)) for n, v in list(metrics.items())[:MAX_PARTS])
                if value is not None
            },
            transcript=Transcript.from_dict(record(data.get("transcript"))),
            turns=count(data.get("turns")),
            stop=text(data.get("stop"), 80),
            truncated=data.get("truncated") is True,
            seconds=finite(data.get("seconds")) or 0.0,
            scoring_seconds=finite(data.get("scoring_seconds")),
            usage=Usage(
                prompt_tokens=count(usage.get("prompt_tokens")),
                completion_tokens=count(usage.get("completion_tokens")),
                calls=count(usage.get("calls")),
                model_seconds=finite(usage.get("model_seconds")) or 0.0,
                reasoning_tokens=count_or_none(usage.get("reasoning_tokens")),
                judge_calls=count(usage.get("judge_calls")),
                judge_prompt_tokens=count(usage.get("judge_prompt_tokens")),
                judge_completion_tokens=count(usage.get("judge_completion_tokens")),
                judge_seconds=finite(usage.get("judge_seconds")) or 0.0,
            ),
            error={key: text(error.get(key), 8000) for key in ERROR_KEYS} if error else None,
        )


@dataclass(frozen=True, slots=True)
class Events:
    """One batch, numbered from 1 in each attempt; a number seen before is ignored by the hub.

    `done`/`total` count rollouts; `replays` are of rollouts in this batch or an earlier one. The
    batch is also the heartbeat: it renews the lease.
    """

    attempt: int
    seq: int
    phase: Phase
    log: str = ""
    done: int = 0
    total: int = 0
    rollouts: list[RolloutResult] = field(default_factory=list)
    facts: Facts = field(default_factory=Facts)
    replays: list[Replayed] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {**asdict(self), "facts": self.facts.to_dict()}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Events:
        """Read a runner's JSON form; raises ValueError where attempt, seq or phase are missing."""
        attempt, seq, phase = data.get("attempt"), data.get("seq"), data.get("phase")
        if type(attempt) is not int or type(seq) is not int:  # a bool is an int to isinstance
            raise ValueError("attempt and seq must be integers")
        if phase not in ("preparing", "running", "scoring"):
            raise ValueError("phase must be preparing, running or scoring")
        return cls(
            attempt=attempt,
            seq=seq,
            phase=phase,
            log=text(data.get("log"), MAX_LOG),
            done=count(data.get("done")),
            total=count(data.get("total")),
            rollouts=[
                RolloutResult.from_dict(r) for r in records(data.get("rollouts"), MAX_ROLLOUTS)
            ],
            facts=Facts.from_dict(record(data.get("facts"))),
            replays=[Replayed.from_dict(r) for r in records(data.get("replays"), MAX_REPLAYS)],
        )


@dataclass(frozen=True, slots=True)
class Finish:
    """How a run ended: `failed` is the environment's fault, `errored` the platform's."""

    attempt: int
    outcome: Outcome
    findings: list[Finding] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Finish:
        """Read a runner's JSON form; raises ValueError where attempt or outcome are missing."""
        attempt, outcome = data.get("attempt"), data.get("outcome")
        if type(attempt) is not int:
            raise ValueError("attempt must be an integer")
        if outcome not in ("succeeded", "failed", "errored", "cancelled"):
            raise ValueError("outcome must be succeeded, failed, errored or cancelled")
        return cls(
            attempt=attempt,
            outcome=outcome,
            findings=[Finding.from_dict(f) for f in records(data.get("findings"), 200)],
        )
