"""What rollouts, their transcripts and the samples made of them look like."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from envyard.contract.replay import Replay
from envyard.contract.transcript import Transcript
from registry.api.schema.base import Shape
from registry.api.schema.environments import Sha256, Uri

Message = Annotated[
    dict[str, Any],
    Field(
        description="role, content and, where they apply, tool_calls, tool_call_id, name and "
        "`reasoning_content`, the reasoning that a model server gave beside its content."
    ),
]
ReasoningTokens = Annotated[
    int | None,
    Field(description="Among the completion tokens; null where the model server did not count."),
]


class Part(Shape):
    """One reward function's share."""

    score: float
    weight: float


class UsageCount(Shape):
    """What the gateway counted."""

    prompt_tokens: int
    completion_tokens: int
    reasoning_tokens: ReasoningTokens
    calls: int
    model_seconds: float


class RolloutSummary(Shape):
    """One attempt at a task; `reward_text` says what came where `reward` is null."""

    pk: int
    policy: str
    task: int
    attempt: int
    ok: bool
    reward: float | None
    reward_text: str
    rewards: dict[str, Part]
    metrics: dict[str, float]
    turns: int
    conversations: Annotated[
        int, Field(description="More than one for several agents or branches.")
    ]
    stop: str
    truncated: Annotated[bool, Field(description="A reply reached its length limit.")]
    shortened: Annotated[bool, Field(description="Something did not fit the record.")]
    seconds: float
    scoring_seconds: float | None
    usage: UsageCount
    error: Annotated[dict[str, str] | None, Field(description="type, message, traceback, fault")]
    rescored: Annotated[
        float | None, Field(description="The reward when it was played again from its record.")
    ]
    replay: Annotated[Replay | None, Field(description="Null where it was not chosen for that.")]
    url: Uri


class RolloutDetail(RolloutSummary):
    """A rollout and its record. `transcript` is null where nothing was recorded, or where it is
    not kept any more; `messages` is the conversation of its last call."""

    messages: list[Message]
    transcript: Transcript | None


class Timing(Shape):
    """Seconds."""

    total: float
    model: float
    scoring: float | None


class TokenUsage(Shape):
    """What the gateway counted."""

    input_tokens: int
    output_tokens: int
    reasoning_tokens: ReasoningTokens


class Step(Shape):
    """One call. It goes on from the reply of step `after`, or begins anew where that is null;
    `prompt` is what was said since."""

    after: int | None
    prompt: list[Message]
    completion: list[Message]
    options: Annotated[
        str,
        Field(
            description="What else the environment set of the call, such as `stop` and "
            "`tool_choice`, as JSON text; empty for nothing."
        ),
    ]
    finish_reason: str
    prompt_tokens: int
    completion_tokens: int
    reasoning_tokens: ReasoningTokens
    reasoning_sent: Annotated[
        int,
        Field(
            description="How many of the sent messages held reasoning. The record of a reply has "
            "its reasoning also where the environment sent it back without."
        ),
    ]
    at: Annotated[float, Field(description="When it began, in seconds of Unix time.")]
    seconds: float
    first_seconds: Annotated[
        float | None,
        Field(
            description="Until the first piece of a streamed reply; null where none was streamed."
        ),
    ]
    error: str


class SampleInfo(Shape):
    """Where a sample comes from."""

    policy: str
    model: str
    version: str
    wheel_sha256: Sha256
    run: str
    rollout: int
    conversations: int
    shortened: bool
    rescored: float | None


class Sample(Shape):
    """One rollout as a row to train on; `prompt` and `completion` are the last call's."""

    example_id: int
    rollout_number: int
    task: Annotated[str, Field(description="owner/name of the environment")]
    prompt: list[Message]
    completion: list[Message]
    reward: float | None
    metrics: dict[str, float]
    is_completed: bool
    is_truncated: bool
    stop_condition: str
    error: dict[str, str] | None
    timing: Timing
    token_usage: TokenUsage
    tool_defs: Annotated[list[str], Field(description="Each as JSON text.")]
    trajectory: list[Step]
    info: SampleInfo
