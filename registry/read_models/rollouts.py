"""Rollouts as the pages and the API show them: the row and the record."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

from envyard.contract.replay import Replay
from envyard.contract.transcript import Message, Transcript
from registry.read_models import links
from registry.read_models.annotations import Spec, Stored, Uri, extended
from registry.runs.models import Rollout, Run

MessageObject = Annotated[
    Message,
    Spec(
        description="role, content and, where they apply, tool_calls, tool_call_id, name and "
        "`reasoning_content`, the reasoning that a model server gave beside its content."
    ),
]
ReasoningTokens = Annotated[
    int | None,
    Spec(description="Among the completion tokens; null where the model server did not count."),
]


@dataclass(frozen=True, slots=True)
class RewardPart:
    """One reward function's share."""

    score: float
    weight: float


@dataclass(frozen=True, slots=True)
class RolloutUsage:
    """What the gateway counted."""

    prompt_tokens: int
    completion_tokens: int
    reasoning_tokens: ReasoningTokens
    calls: int
    model_seconds: float
    judge_calls: Annotated[
        int, Spec(description="Calls of the environment to its judge, apart from the policy's.")
    ]
    judge_prompt_tokens: int
    judge_completion_tokens: int
    judge_seconds: float


@dataclass(frozen=True, slots=True)
class RolloutSummary:
    """One attempt at a task; `reward_text` is what came instead where `reward` is null."""

    pk: int
    policy: str
    task: int
    attempt: int
    ok: bool
    reward: float | None
    reward_text: str
    rewards: dict[str, Annotated[dict[str, Any], Stored(RewardPart)]]
    metrics: dict[str, float]
    turns: int
    conversations: Annotated[int, Spec(description="More than one for several agents or branches.")]
    stop: str
    truncated: Annotated[bool, Spec(description="A reply reached its length limit.")]
    shortened: Annotated[bool, Spec(description="Something did not fit the record.")]
    seconds: float
    scoring_seconds: float | None
    usage: RolloutUsage
    error: Annotated[dict[str, str] | None, Spec(description="type, message, traceback, fault")]
    rescored: Annotated[
        float | None, Spec(description="The reward when it was played again from its record.")
    ]
    replay: Annotated[
        Annotated[dict[str, Any], Stored(Replay)] | None,
        Spec(description="Null where it was not chosen for that."),
    ]
    url: Uri


@dataclass(frozen=True, slots=True)
class RolloutOfRun(RolloutSummary):
    """A rollout among those of other runs."""

    of_run: Run


@dataclass(frozen=True, slots=True)
class RolloutDetail(RolloutSummary):
    """A rollout and its record. `transcript` is null where nothing was recorded, or where it is
    not kept any more; `messages` is the conversation of its last call."""

    messages: list[MessageObject]
    transcript: Annotated[dict[str, Any], Stored(Transcript)] | None


def summaries(rollouts: Iterable[Rollout]) -> list[RolloutSummary]:
    """RolloutSummary of each."""
    return [summary(rollout) for rollout in rollouts]


def summary(rollout: Rollout) -> RolloutSummary:
    """RolloutSummary."""
    return RolloutSummary(
        pk=rollout.pk,
        policy=rollout.policy,
        task=rollout.task,
        attempt=rollout.attempt,
        ok=rollout.ok,
        reward=rollout.reward,
        reward_text=rollout.reward_text,
        rewards=rollout.rewards,
        metrics=rollout.metrics,
        turns=rollout.turns,
        conversations=rollout.conversations,
        stop=rollout.stop,
        truncated=rollout.truncated,
        shortened=rollout.shortened,
        seconds=rollout.seconds,
        scoring_seconds=rollout.scoring_seconds,
        usage=RolloutUsage(
            prompt_tokens=rollout.prompt_tokens,
            completion_tokens=rollout.completion_tokens,
            reasoning_tokens=rollout.reasoning_tokens,
            calls=rollout.calls,
            model_seconds=rollout.model_seconds,
            judge_calls=rollout.judge_calls,
            judge_prompt_tokens=rollout.judge_prompt_tokens,
            judge_completion_tokens=rollout.judge_completion_tokens,
            judge_seconds=rollout.judge_seconds,
        ),
        error=rollout.error,
        rescored=rollout.rescored,
        replay=rollout.replay,
        url=links.rollout(rollout),
    )


def summary_of_run(rollout: Rollout, run: Run) -> RolloutOfRun:
    """RolloutOfRun."""
    return extended(RolloutOfRun, summary(rollout), of_run=run)


def detail(rollout: Rollout, transcript: Transcript | None) -> RolloutDetail:
    """RolloutDetail: the summary, the last call's conversation, and what the gateway recorded."""
    return extended(
        RolloutDetail,
        summary(rollout),
        messages=transcript.messages if transcript else [],
        transcript=transcript.to_dict() if transcript else None,
    )
