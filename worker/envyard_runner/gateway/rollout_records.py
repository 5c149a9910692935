"""The gateway's record of each rollout: the hub's own evidence, and the budgets that the gateway
enforces."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from envyard.contract.job import MODEL, JobSpec
from envyard.contract.judge import JudgeExchange
from envyard.contract.runner_events import Usage
from envyard.contract.transcript import REPLY_FIELDS, Exchange, Transcript
from envyard_runner.gateway.judge.records import JudgeRecords
from envyard_runner.gateway.openai import Call
from envyard_runner.gateway.recorded_replies import RepeatedReplies
from envyard_runner.gateway.recorder import Recorder
from envyard_runner.gateway.reply import Refusal, Reply
from envyard_runner.probing.probes import Message

# What is open is held in memory. A framework may play all attempts at a task as one group.
SPARE_GROUPS = 2
ROLLOUT_BYTES = 1 << 20  # of one transcript
JUDGE_SHARE = 4  # a quarter of a transcript's bytes again for its judge calls
RUN_BYTES = 256 << 20  # of all that a run may hold together, in equal shares


@dataclass(slots=True)
class Record:
    """One rollout: its transcript, counted calls, tokens and seconds.

    `sampling` is what the gateway pins for a model; a probe has none. `exact`: every reply is
    recorded just as it was given. `replies_to_repeat` answers in a policy's place in a replay.
    `refused` is why the model server refused the last call, which is the environment's affair, and
    `spent` names the budget that a call came beyond.
    `prompt_shown`: one of the first calls contained the task's prompt, None where no prompt can be
    compared; `first_call` is the beginning of the first call's last message where it did not.
    `judge` are the judge's exchanges of a rollout that ended. `right_answer` is the task's own
    reference, None where it has none, `other_answer` another task's, and `gave_right_reply` whether
    all replies of a probe that is not to be paid happened to be the right one.
    """

    rollout: str
    policy: str
    recorder: Recorder = field(default_factory=lambda: Recorder(ROLLOUT_BYTES))
    sampling: dict[str, Any] = field(default_factory=dict)
    reference: Message | None = None
    reference_error: str = ""
    right_answer: Message | None = None
    other_answer: Message | None = None
    gave_right_reply: bool = False
    calls: int = 0
    replies: int = 0
    reasoning_counts: list[int] = field(default_factory=list)
    prompt_tokens: int = 0
    completion_tokens: int = 0
    model_seconds: float = 0.0
    finish_reason: str = ""
    model_fault: str = ""
    refused: str = ""
    spent: str = ""
    exact: bool = True
    prompt_shown: bool | None = None
    first_call: str = ""
    replies_to_repeat: RepeatedReplies | None = None
    judge: list[JudgeExchange] = field(default_factory=list)

    @property
    def usage(self) -> Usage:
        """The counts in the form of a report."""
        counts = self.reasoning_counts
        return Usage(
            self.prompt_tokens,
            self.completion_tokens,
            self.replies,
            self.model_seconds,
            sum(counts) if counts and len(counts) == self.replies else None,
            len(self.judge),
            sum(call.prompt_tokens for call in self.judge),
            sum(call.completion_tokens for call in self.judge),
            sum(call.seconds for call in self.judge),
        )

    @property
    def transcript(self) -> Transcript:
        """All exchanges so far; what comes later does not change it."""
        current = self.recorder.transcript
        return replace(
            current,
            nodes=[*current.nodes],
            calls=[*current.calls],
            tools=[*current.tools],
            options=[*current.options],
            judge=[*self.judge],
        )

    def add(self, call: Call, reply: Reply, seconds: float) -> None:
        """Record one finished exchange."""
        self.replies += 1
        self.prompt_tokens += reply.prompt_tokens
        self.completion_tokens += reply.completion_tokens
        self.model_seconds += seconds
        if reply.reasoning_tokens is not None:
            self.reasoning_counts.append(reply.reasoning_tokens)
        self.finish_reason = reply.finish_reason
        self.model_fault = self.refused = ""
        exchange = Exchange(
            sampling=self.sampling,
            finish_reason=reply.finish_reason,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            at=time.time() - seconds,
            seconds=seconds,
            first_seconds=reply.first_seconds,
            reasoning_tokens=reply.reasoning_tokens,
            reply_fields=[name for name in REPLY_FIELDS if name in reply.fields],
        )
        message = reply.message
        self.recorder.add(call.messages, call.tools, message, exchange, call.options)
        self.exact = self.exact and reply.exact and self.recorder.holds(message)

    def fail(self, call: Call, fault: str, seconds: float, refusal: str = "") -> None:
        """Record one exchange without an answer, with the model server's `fault` or `refusal` if
        either caused it."""
        fault, self.refused = map(self.recorder.without_secrets, (fault, refusal))
        self.model_seconds += seconds
        self.model_fault = fault or self.model_fault
        error = fault or self.refused or "no reply: its sender did not wait for one"
        at = time.time() - seconds
        exchange = Exchange(sampling=self.sampling, at=at, seconds=seconds, error=error)
        self.recorder.add(call.messages, call.tools, None, exchange, call.options)


class RolloutRecords:
    """The records of one run, opened by the first call and removed with the finished rollout.

    No record ever holds the run token or one of the `secrets`, whatever the source that repeats it.
    RUN_BYTES are divided among the rollouts that the job plans, or among `rollouts` where fewer are
    played.
    """

    def __init__(self, job: JobSpec, secrets: Sequence[str] = (), *, rollouts: int = 0) -> None:
        self._job = job
        self._secrets = (job.run_token, *secrets)
        planned = sum(job.tasks * (job.attempts if p == MODEL else 1) for p in job.policies)
        self._room = min(ROLLOUT_BYTES, RUN_BYTES // max(1, rollouts or planned))
        self.judge = JudgeRecords(self._room // JUDGE_SHARE, self._secrets)
        self._open: dict[str, Record] = {}
        self._ended: set[str] = set()

    def open(self, rollout: str) -> Record:
        """The record of a planned rollout; raises Refusal 400 or 429, which do not name it."""
        if record := self._open.get(rollout):
            return record
        if rollout in self._ended:
            raise Refusal(400, "rollout_ended", "this rollout has ended; it gets no more replies")
        maximum = SPARE_GROUPS * self._job.concurrency * max(self._job.attempts, 4)
        if len(self._open) >= maximum:
            raise Refusal(429, "too_many_rollouts", f"{maximum} rollouts are open; end one first")
        recorder = Recorder(self._room, self._secrets)
        record = Record(rollout, rollout.partition("/")[0], recorder)
        return self._open.setdefault(rollout, record)

    def spend(self, record: Record) -> int:
        """Count one call before it is made and return its number; raises Refusal 400 when spent."""
        limits = self._job.limits
        if record.calls >= limits.calls_per_rollout:
            _refuse_spent(record, f"{limits.calls_per_rollout} calls")
        if record.completion_tokens >= limits.max_tokens * limits.max_turns:
            _refuse_spent(record, f"{limits.max_tokens * limits.max_turns} completion tokens")
        record.calls += 1
        return record.calls

    def take(self, rollout: str) -> Record:
        """End the rollout and return its record, an empty one if it never called."""
        self._ended.add(rollout)
        record = self._open.pop(rollout, None) or Record(rollout, rollout.partition("/")[0])
        record.judge = self.judge.take(rollout)
        return record


def _refuse_spent(record: Record, budget: str) -> None:
    record.spent = f"this rollout has used its {budget}"
    raise Refusal(400, "rollout_budget_exhausted", record.spent)
