"""Rollouts as rows to train on, with the columns of verifiers' `results.jsonl`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

from envyard.contract.judge import JudgeExchange
from envyard.contract.transcript import Exchange, Message, Transcript
from registry.read_models.annotations import Sha256, Spec
from registry.read_models.rollouts import MessageObject, ReasoningTokens
from registry.runs import transcripts
from registry.runs.models import Rollout, Run

TRAJECTORY_CHARACTERS = 8 << 20  # of one sample: twice what a whole transcript may have
PAGE_CHARACTERS = 8 << 20  # of the samples of a page, but for the last one
BESIDE = 200  # characters of a step or a message beside its content


@dataclass(frozen=True, slots=True)
class SampleTiming:
    """Seconds."""

    total: float
    model: float
    scoring: float | None


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """What the gateway counted."""

    input_tokens: int
    output_tokens: int
    reasoning_tokens: ReasoningTokens


@dataclass(frozen=True, slots=True)
class TrajectoryStep:
    """One call. It goes on from the reply of step `after`, or begins a conversation where that is
    null; `prompt` is what was sent since."""

    after: int | None
    prompt: list[MessageObject]
    completion: list[MessageObject]
    options: Annotated[
        str,
        Spec(
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
        Spec(
            description="How many of the sent messages held reasoning. The record of a reply has "
            "its reasoning also where the environment sent it back without."
        ),
    ]
    at: Annotated[float, Spec(description="When it began, in seconds of Unix time.")]
    seconds: float
    first_seconds: Annotated[
        float | None,
        Spec(
            description="Until the first piece of a streamed reply; null where none was streamed."
        ),
    ]
    error: str


@dataclass(frozen=True, slots=True)
class JudgeCallRow:
    """One call of the environment to its judge, which is no turn of the policy."""

    asked_model: Annotated[str, Spec(description="As the environment names it; not obeyed.")]
    host: Annotated[str, Spec(description="The intercepted host; empty for the gateway itself.")]
    prompt: list[MessageObject]
    verdict: str
    options: Annotated[str, Spec(description="Such as `response_format`, as JSON text.")]
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    error: str


@dataclass(frozen=True, slots=True)
class SampleInfo:
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


@dataclass(frozen=True, slots=True)
class Sample:
    """One rollout as a row to train on; `prompt` and `completion` are the last call's."""

    example_id: int
    rollout_number: int
    task: Annotated[str, Spec(description="owner/name of the environment")]
    prompt: list[MessageObject]
    completion: list[MessageObject]
    reward: float | None
    metrics: dict[str, float]
    is_completed: bool
    is_truncated: bool
    stop_condition: str
    error: dict[str, str] | None
    timing: SampleTiming
    token_usage: TokenUsage
    tool_defs: Annotated[list[str], Spec(description="Each as JSON text.")]
    trajectory: list[TrajectoryStep]
    judge: list[JudgeCallRow]
    info: SampleInfo


def samples(run: Run, rollouts: Iterable[Rollout]) -> list[Sample]:
    """Sample of each, of the first ones where all were more than a page may have; rows come with
    their pack."""
    rows: list[Sample] = []
    characters = 0
    for rollout, transcript in transcripts.read_many(rollouts):
        row, size = _sample(run, rollout, transcript or Transcript())
        rows.append(row)
        characters += size
        if characters > PAGE_CHARACTERS:
            break
    return rows


def _sample(run: Run, rollout: Rollout, transcript: Transcript) -> tuple[Sample, int]:
    """The sample and about how many characters its messages have."""
    prompt, completion = transcript.halves
    trajectory, size = _steps(transcript)
    scores = {name: part["score"] for name, part in rollout.rewards.items()}
    sample = Sample(
        example_id=rollout.task,
        rollout_number=rollout.attempt,
        task=str(run.version.environment),
        prompt=prompt,
        completion=completion,
        reward=rollout.reward,
        metrics=scores | rollout.metrics,
        is_completed=rollout.ok,
        is_truncated=rollout.truncated,
        stop_condition=rollout.stop,
        error=rollout.error,
        timing=SampleTiming(
            total=rollout.seconds, model=rollout.model_seconds, scoring=rollout.scoring_seconds
        ),
        token_usage=TokenUsage(
            input_tokens=rollout.prompt_tokens,
            output_tokens=rollout.completion_tokens,
            reasoning_tokens=rollout.reasoning_tokens,
        ),
        # As text: no two tools have parameters of one type, and columns need one.
        tool_defs=[json.dumps(tool) for tool in _last_tools(transcript)],
        trajectory=trajectory,
        judge=[_judge_call(call) for call in transcript.judge],
        info=SampleInfo(
            policy=rollout.policy,
            model=run.model if rollout.policy == "model" else "",
            version=run.version.version,
            wheel_sha256=run.version.sha256,
            run=str(run.pk),
            rollout=rollout.pk,
            conversations=rollout.conversations,
            shortened=rollout.shortened or len(trajectory) < len(transcript.calls),
            rescored=rollout.rescored,
        ),
    )
    judged = sum(len(str(call.messages)) for call in transcript.judge)
    return sample, size + transcript.characters + judged


def _judge_call(call: JudgeExchange) -> JudgeCallRow:
    return JudgeCallRow(
        asked_model=call.asked_model,
        host=call.host,
        prompt=call.messages,
        verdict=str(call.verdict.get("content", "")),
        options=json.dumps(call.options) if call.options else "",
        prompt_tokens=call.prompt_tokens,
        completion_tokens=call.completion_tokens,
        seconds=call.seconds,
        error=call.error,
    )


def _last_tools(transcript: Transcript) -> list[dict[str, Any]]:
    offered = [call.tools for call in transcript.calls if call.tools >= 0]
    return transcript.tools[offered[-1]] if offered else []


def _steps(transcript: Transcript) -> tuple[list[TrajectoryStep], int]:
    """Every call, and about how many characters they have: `after` is the step whose reply it goes
    on from, null where it begins a conversation, and `prompt` the messages between the two.

    The transcript's tree holds once what these repeat: beyond a bound the other calls are left out.
    """
    sizes = [BESIDE + len(str(node.message)) for node in transcript.nodes]
    options = [json.dumps(values) for values in transcript.options]
    step_of: dict[int, int] = {}
    steps: list[TrajectoryStep] = []
    size = 0
    for number, call in enumerate(transcript.calls):
        path, at = [], call.asked
        while at >= 0 and at not in step_of and size <= TRAJECTORY_CHARACTERS:
            path.append(transcript.nodes[at].message)
            size += sizes[at]
            at = transcript.nodes[at].parent
        call_options = options[call.options] if call.options >= 0 else ""
        size += len(call_options) + (sizes[call.reply] if call.reply >= 0 else BESIDE)
        if size > TRAJECTORY_CHARACTERS:
            break
        reply = [transcript.nodes[call.reply].message] if call.reply >= 0 else []
        steps.append(_step(call, step_of.get(at), path[::-1], reply, call_options))
        if call.reply >= 0:
            step_of.setdefault(call.reply, number)
    return steps, size


def _step(
    call: Exchange, after: int | None, prompt: list[Message], reply: list[Message], options: str
) -> TrajectoryStep:
    return TrajectoryStep(
        after=after,
        prompt=prompt,
        completion=reply,
        options=options,
        finish_reason=call.finish_reason,
        prompt_tokens=call.prompt_tokens,
        completion_tokens=call.completion_tokens,
        reasoning_tokens=call.reasoning_tokens,
        reasoning_sent=call.reasoning_sent,
        at=call.at,
        seconds=call.seconds,
        first_seconds=call.first_seconds,
        error=call.error,
    )
