"""Rollouts to the JSON that the API answers and the pages show: the row, the record, the sample.

A sample has the columns of verifiers' `results.jsonl`, for who trains on it or loads it with
`datasets`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from envyard.contract.transcript import Exchange, Message, Transcript
from registry.read_models import links
from registry.runs import transcripts
from registry.runs.models import Rollout, Run

TRAJECTORY_CHARACTERS = 8 << 20  # of one sample: twice what a whole transcript may have
PAGE_CHARACTERS = 8 << 20  # of the samples of a page, but for the last one
BESIDE = 200  # characters of a step or a message beside what it says

Shape = dict[str, Any]


def summaries(rollouts: Iterable[Rollout]) -> list[Shape]:
    """RolloutSummary of each."""
    return [summary(rollout) for rollout in rollouts]


def summary(rollout: Rollout) -> Shape:
    """RolloutSummary; `reward_text` says what came instead where `reward` is null."""
    return {
        "pk": rollout.pk,
        "policy": rollout.policy,
        "task": rollout.task,
        "attempt": rollout.attempt,
        "ok": rollout.ok,
        "reward": rollout.reward,
        "reward_text": rollout.reward_text,
        "rewards": rollout.rewards,
        "metrics": rollout.metrics,
        "turns": rollout.turns,
        "conversations": rollout.conversations,
        "stop": rollout.stop,
        "truncated": rollout.truncated,
        "shortened": rollout.shortened,
        "seconds": rollout.seconds,
        "scoring_seconds": rollout.scoring_seconds,
        "usage": {
            "prompt_tokens": rollout.prompt_tokens,
            "completion_tokens": rollout.completion_tokens,
            "reasoning_tokens": rollout.reasoning_tokens,
            "calls": rollout.calls,
            "model_seconds": rollout.model_seconds,
        },
        "error": rollout.error,
        "rescored": rollout.rescored,
        "replay": rollout.replay,
        "url": links.rollout(rollout),
    }


def detail(rollout: Rollout, transcript: Transcript | None) -> Shape:
    """RolloutDetail: the summary, the last call's conversation, and all that the gateway saw."""
    return summary(rollout) | {
        "messages": transcript.messages if transcript else [],
        "transcript": transcript.to_dict() if transcript else None,
    }


def samples(run: Run, rollouts: Iterable[Rollout]) -> list[Shape]:
    """Sample of each, of the first ones where all were more than a page may have; rows come with
    their pack."""
    shaped, held = [], 0
    for rollout, transcript in transcripts.read_many(rollouts):
        one, size = _sample(run, rollout, transcript)
        shaped.append(one)
        held += size
        if held > PAGE_CHARACTERS:
            break
    return shaped


def _sample(run: Run, rollout: Rollout, transcript: Transcript | None) -> tuple[Shape, int]:
    """The sample and about how many characters its messages have."""
    told = transcript or Transcript()
    prompt, completion = _halves(told)
    trajectory, size = _steps(told)
    size += told.characters
    scores = {name: part["score"] for name, part in rollout.rewards.items()}
    shape = {
        "example_id": rollout.task,
        "rollout_number": rollout.attempt,
        "task": str(run.version.environment),
        "prompt": prompt,
        "completion": completion,
        "reward": rollout.reward,
        "metrics": scores | rollout.metrics,
        "is_completed": rollout.ok,
        "is_truncated": rollout.truncated,
        "stop_condition": rollout.stop,
        "error": rollout.error,
        "timing": {
            "total": rollout.seconds,
            "model": rollout.model_seconds,
            "scoring": rollout.scoring_seconds,
        },
        "token_usage": {
            "input_tokens": rollout.prompt_tokens,
            "output_tokens": rollout.completion_tokens,
            "reasoning_tokens": rollout.reasoning_tokens,
        },
        # As text: no two tools have parameters of one type, and columns need one.
        "tool_defs": [json.dumps(tool) for tool in _last_tools(told)],
        "trajectory": trajectory,
        "info": {
            "policy": rollout.policy,
            "model": run.model if rollout.policy == "model" else "",
            "version": run.version.version,
            "wheel_sha256": run.version.sha256,
            "run": str(run.pk),
            "rollout": rollout.pk,
            "conversations": rollout.conversations,
            "shortened": rollout.shortened or len(trajectory) < len(told.calls),
            "rescored": rollout.rescored,
        },
    }
    return shape, size


def _halves(told: Transcript) -> tuple[list[Message], list[Message]]:
    """What was given, and from the first reply on what followed."""
    replies = {call.reply for call in told.calls}
    path = list(told.path(told.main))
    said = (
        at
        for at, node in enumerate(path)
        if node in replies
        or (not told.calls and told.nodes[node].message.get("role") == "assistant")
    )
    cut = next(said, len(path))
    messages = [told.nodes[node].message for node in path]
    return messages[:cut], messages[cut:]


def _last_tools(told: Transcript) -> list[dict[str, Any]]:
    offered = [call.tools for call in told.calls if call.tools >= 0]
    return told.tools[offered[-1]] if offered else []


def _steps(told: Transcript) -> tuple[list[Shape], int]:
    """Every call, and about how many characters they have: `after` is the step whose reply it goes
    on from, null where it begins anew, and `prompt` what stands between the two.

    A tree says once what these repeat: beyond a bound the rest of the calls is left out.
    """
    sizes = [BESIDE + len(str(node.message)) for node in told.nodes]
    options = [json.dumps(asked) for asked in told.options]
    step_of: dict[int, int] = {}
    steps: list[Shape] = []
    size = 0
    for number, call in enumerate(told.calls):
        path, at = [], call.asked
        while at >= 0 and at not in step_of and size <= TRAJECTORY_CHARACTERS:
            path.append(told.nodes[at].message)
            size += sizes[at]
            at = told.nodes[at].parent
        asked_for = options[call.options] if call.options >= 0 else ""
        size += len(asked_for) + (sizes[call.reply] if call.reply >= 0 else BESIDE)
        if size > TRAJECTORY_CHARACTERS:
            break
        steps.append(
            {
                "after": step_of.get(at),
                "prompt": path[::-1],
                "completion": [told.nodes[call.reply].message] if call.reply >= 0 else [],
                "options": asked_for,
                **_told_of(call),
            }
        )
        if call.reply >= 0:
            step_of.setdefault(call.reply, number)
    return steps, size


def _told_of(call: Exchange) -> Shape:
    return {
        "finish_reason": call.finish_reason,
        "prompt_tokens": call.prompt_tokens,
        "completion_tokens": call.completion_tokens,
        "reasoning_tokens": call.reasoning_tokens,
        "reasoning_sent": call.reasoning_sent,
        "at": call.at,
        "seconds": call.seconds,
        "first_seconds": call.first_seconds,
        "error": call.error,
    }
