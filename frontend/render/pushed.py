"""A pushed sample as rows of the transcript viewer; every value is untrusted and of any shape."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from envyard.contract.transcript import Node, Transcript, clean_message
from envyard.contract.values import finite, record, records, text
from frontend.render.transcript import Turn, conversations

MAX_MESSAGES = 2000
PREVIEW = 120
MAX_READ = 1_000_000  # bytes of a sample that a list reads


@dataclass(frozen=True, slots=True)
class SampleRow:
    """A sample of a list; `task` and `attempt` are empty where it does not name them."""

    number: int
    task: str
    attempt: str
    reward: float | None
    error: str
    preview: str


def row(number: int, line: bytes) -> SampleRow:
    """The row of a line of JSON; of a large one only the beginning, since reading it takes long."""
    if len(line) > MAX_READ:
        return SampleRow(number, "", "", None, "", line[:PREVIEW].decode(errors="ignore"))
    sample = json.loads(line)
    messages = turns(sample)
    last = next((turn.content for turn in reversed(messages) if turn.content), "")
    last = last or line[: 4 * PREVIEW].decode(errors="ignore")
    return SampleRow(
        number=number,
        task=_number(sample.get("example_id")),
        attempt=_number(sample.get("rollout_number")),
        reward=finite(sample.get("reward")),
        error=_error(sample.get("error")),
        preview=" ".join(last[: 4 * PREVIEW].split())[:PREVIEW],
    )


def turns(sample: dict[str, Any]) -> list[Turn]:
    """The messages of its prompt, then those of its completion; a text is one message."""
    messages = [
        *_messages(sample.get("prompt"), "user"),
        *_messages(sample.get("completion"), "assistant"),
    ]
    nodes = [
        Node(number - 1, clean_message(message))
        for number, message in enumerate(messages[:MAX_MESSAGES])
    ]
    shown = next(iter(conversations(Transcript(nodes))), None)
    return shown.turns if shown else []


def facts(sample: dict[str, Any]) -> dict[str, str]:
    """What it states besides messages, reward and metrics, where it is short."""
    timing, usage = record(sample.get("timing")), record(sample.get("token_usage"))
    values = {
        "Stop reason": sample.get("stop_condition"),
        "Completed": sample.get("is_completed"),
        "Truncated": sample.get("is_truncated"),
        "Seconds": timing.get("total"),
        "Tokens in": usage.get("input_tokens"),
        "Tokens out": usage.get("output_tokens"),
        "Reference": sample.get("answer"),
        "Task hash": record(sample.get("info")).get("task_hash"),
        "Not counted": record(sample.get("info")).get("not_counted"),
    }
    return {
        label: text(_shown(value), 400)
        for label, value in values.items()
        if isinstance(value, str | int | float) and value != ""
    }


def metrics(sample: dict[str, Any]) -> dict[str, float]:
    """Its metrics that are numbers, at most 50."""
    numbers = ((text(str(k), 80), finite(v)) for k, v in record(sample.get("metrics")).items())
    return dict([(name, value) for name, value in numbers if value is not None][:50])


def _messages(value: object, role: str) -> list[dict[str, Any]]:
    if isinstance(value, str):
        return [{"role": role, "content": value}] if value else []
    return [
        message | {"tool_calls": [_call(call) for call in calls]}
        if isinstance(calls := message.get("tool_calls"), list)
        else message
        for message in records(value, MAX_MESSAGES)
    ]


def _call(call: object) -> dict[str, Any]:
    """A tool call as OpenAI has it; verifiers also writes it as a text of JSON, or flat."""
    if isinstance(call, str):
        try:
            call = json.loads(call)
        except ValueError:
            call = {"name": call}
    fields = record(call)
    return fields if isinstance(fields.get("function"), dict) else {"function": fields}


def _number(value: object) -> str:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return str(value)[:20] if whole else ""


def _shown(value: str | float) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _error(value: object) -> str:
    if not value:
        return ""
    message = record(value).get("message") if isinstance(value, dict) else value
    return text(str(message or value), 400)
