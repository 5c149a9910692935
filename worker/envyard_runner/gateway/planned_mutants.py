"""One planned mutant: the paid rollout that it changes, what answers its calls, and what it did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from envyard.contract.mutants import (
    CLAIMED,
    CORRECTED,
    FURTHER_CALLS,
    HELPED,
    MALFORMED,
    STAYS,
    TO_AND_FRO,
    TRIED,
    MutantResult,
)
from envyard.contract.transcript import Transcript
from envyard_runner.gateway import openai
from envyard_runner.gateway.courses.corrected_calls import correction
from envyard_runner.gateway.courses.further_calls import are_performed, changing_value
from envyard_runner.gateway.courses.last_reply_alone import are_only_claimed
from envyard_runner.gateway.courses.malformed_calls import refusal_with_value
from envyard_runner.gateway.courses.priced_help import is_helped
from envyard_runner.gateway.courses.registry import changes, judged_tries
from envyard_runner.gateway.courses.replies_in_turn import OtherCourse, recorded_replies
from envyard_runner.gateway.courses.to_and_fro import are_undone
from envyard_runner.gateway.openai import Call
from envyard_runner.gateway.recorded_replies import RecordedReplies
from envyard_runner.gateway.reply import Reply
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.mutation.answers import find_answer
from envyard_runner.probing.chat_text import plain_text


@dataclass(frozen=True, slots=True)
class Base:
    """A rollout that replied with the reference: its first reward, its seconds and its record."""

    rollout: str
    reward: float
    seconds: float
    transcript: Transcript

    @property
    def task(self) -> int:
        """The index of its task."""
        return int(self.rollout.split("/")[1])

    @property
    def turns(self) -> int:
        """The number of its replies."""
        return len(self.transcript.calls)

    @property
    def last_reply(self) -> str:
        """The text of its last reply; empty where that calls a tool."""
        reply = self.transcript.nodes[self.transcript.calls[-1].reply].message
        return "" if reply.get("tool_calls") else str(reply["content"])

    @property
    def prompt(self) -> str:
        """What the policy reads before its last reply, without its own replies and tools'
        results."""
        sent = self.transcript.path(self.transcript.calls[-1].asked)
        messages = (self.transcript.nodes[at].message for at in sent)
        texts = (m for m in messages if m.get("role") in ("system", "developer", "user"))
        return "\n".join(plain_text(message.get("content")) for message in texts)

    @property
    def answer(self) -> str:
        """The answer in its last reply."""
        return find_answer(self.last_reply).answer

    @property
    def changing_value(self) -> str:
        """What its only call that changes something gives; empty without one."""
        return changing_value(recorded_replies(self.transcript), changes)


class MutatedReplies:
    """The recorded replies of one rollout with another text in place of the last.

    Calls beyond the recorded ones get that text too: the change may have led to them.
    """

    def __init__(self, transcript: Transcript, content: str) -> None:
        self.diverged, self.difference, self.changed = 0, "", b""
        self._recorded, self._content = RecordedReplies(transcript), content
        self._left = len(transcript.calls)

    def answer(self, call: Call) -> Reply:
        """The reply; raises Refusal."""
        self._left -= 1
        if self._left > 0:
            return self._recorded.answer(call)
        return openai.scripted({"role": "assistant", "content": self._content}, call, 1 << 20)

    def end(self) -> None:
        """A changed reply may rightly change the conversation."""


@dataclass(slots=True)
class Planned:
    """One mutant of one base, under its alias."""

    base: Base
    operator: str
    record: Record
    before: str
    after: str
    result: MutantResult | None = None


# What must have come of the course of an operator: a text says what was shown, nothing that the
# course did not do what it is for.
OUTCOMES: dict[str, Callable[[Transcript, OtherCourse], str | bool]] = {
    TRIED: lambda _, course: judged_tries(course.messages),
    CORRECTED: lambda base, course: correction(base, course.messages),
    MALFORMED: lambda base, course: refusal_with_value(base, course.messages),
    HELPED: lambda _, course: is_helped(course.messages),
    FURTHER_CALLS: lambda _, course: are_performed(course.messages),
    TO_AND_FRO: lambda _, course: are_undone(course.replies, course.messages),
    STAYS: lambda _, course: are_undone(course.replies, course.messages),
    CLAIMED: lambda base, course: are_only_claimed(base, course.messages),
}


def performed(planned: Planned) -> str | None:
    """What a mutant did, in words; None where no tool judges the answers that it tried or names the
    right ones, where one refused its further calls, where those that it claims were made, where it
    got no help, or where a move did not undo the one before."""
    course, outcome = planned.record.replies_to_repeat, OUTCOMES.get(planned.operator)
    if isinstance(course, OtherCourse) and outcome:
        shown = outcome(planned.base.transcript, course)
        return (shown if isinstance(shown, str) else planned.after) if shown else None
    return planned.after
