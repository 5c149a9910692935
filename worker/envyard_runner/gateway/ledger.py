"""What the gateway saw of each rollout: the hub's own evidence, and the budgets it enforces."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from envyard.contract.job import JobSpec
from envyard.contract.report import Usage, clean_message, text
from envyard_runner.gateway.openai import Call, Refusal, Reply
from envyard_runner.policies import Message

# What is open is held in memory. A framework may play all attempts at a task as one group.
SPARE_GROUPS = 2
RECORD_CHARACTERS = 400_000


@dataclass(slots=True)
class Record:
    """One rollout: the conversation of its last exchange, counted calls, tokens and seconds."""

    rollout: str
    policy: str
    messages: list[Message] = field(default_factory=list)
    reference: Message | None = None
    reference_error: str = ""
    calls: int = 0
    replies: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    model_seconds: float = 0.0
    finish_reason: str = ""
    model_fault: str = ""

    @property
    def usage(self) -> Usage:
        """The counts in the form of a report."""
        return Usage(self.prompt_tokens, self.completion_tokens, self.replies, self.model_seconds)

    def add(self, call: Call, reply: Reply, seconds: float) -> None:
        """Take in one finished exchange; the conversation replaces the earlier, shorter one."""
        self.messages = shorten([*call.messages, reply.message])
        self.replies += 1
        self.prompt_tokens += reply.prompt_tokens
        self.completion_tokens += reply.completion_tokens
        self.model_seconds += seconds
        self.finish_reason = reply.finish_reason
        self.model_fault = ""

    def fail(self, call: Call, fault: str, seconds: float) -> None:
        """Take in one exchange without an answer, through the model server's `fault` if any."""
        self.messages = shorten(call.messages)
        self.model_seconds += seconds
        self.model_fault = fault or self.model_fault


class Ledger:
    """The records of one run, opened by the first call and taken away by the finished rollout."""

    def __init__(self, job: JobSpec) -> None:
        self._job = job
        self._open: dict[str, Record] = {}
        self._ended: set[str] = set()

    def open(self, rollout: str) -> Record:
        """The record of a planned rollout; raises Refusal 400 or 429, which do not name it."""
        if record := self._open.get(rollout):
            return record
        if rollout in self._ended:
            raise Refusal(400, "rollout_ended", "this rollout has ended; it gets no more replies")
        most = SPARE_GROUPS * self._job.concurrency * max(self._job.attempts, 4)
        if len(self._open) >= most:
            raise Refusal(429, "too_many_rollouts", f"{most} rollouts are open; end one first")
        return self._open.setdefault(rollout, Record(rollout, rollout.partition("/")[0]))

    def spend(self, record: Record) -> int:
        """Count one call before it is made and return its number; raises Refusal 400 when spent."""
        limits = self._job.limits
        if record.calls >= limits.calls_per_rollout:
            _spent(f"{limits.calls_per_rollout} calls")
        if record.completion_tokens >= limits.max_tokens * limits.max_turns:
            _spent(f"{limits.max_tokens * limits.max_turns} completion tokens")
        record.calls += 1
        return record.calls

    def take(self, rollout: str) -> Record:
        """End the rollout and hand out its record, an empty one where it never called."""
        self._ended.add(rollout)
        return self._open.pop(rollout, None) or Record(rollout, rollout.partition("/")[0])


def shorten(messages: list[Message]) -> list[Message]:
    """The messages cleaned, with long texts cut so that all of them fit one record."""
    most = max(200, RECORD_CHARACTERS // len(messages))
    kept: list[Message] = []
    for message in map(clean_message, messages):
        calls: list[dict[str, Any]] = message.get("tool_calls", [])
        for call in calls:
            call["function"]["arguments"] = text(call["function"]["arguments"], most)
        kept.append(message | {"content": text(message["content"], most)})
    return kept


def _spent(what: str) -> None:
    raise Refusal(400, "rollout_budget_exhausted", f"this rollout has used its {what}")
