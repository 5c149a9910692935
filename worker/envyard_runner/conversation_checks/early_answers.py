"""Is the answer a value of an early tool result, so that later calls are not needed?

A task of several steps, such as to read a ticket and then a log, is answered by its first step
where the ticket's record has the cause as a field.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from envyard.contract.probes import ORACLE
from envyard_runner.gateway.courses.replies_in_turn import recorded_replies
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.mutation.answers import find_answer
from envyard_runner.mutation.wrong_answers import OPPOSITES
from envyard_runner.probing.chat_text import plain_text
from envyard_runner.probing.submitted_answers import is_submitted

SHORTEST, LONGEST = 2, 200  # characters of an answer; one digit is there by chance
SEARCHED = 50_000  # characters of a result


@dataclass(frozen=True, slots=True)
class EarlyAnswer:
    """A rollout of the reference with calls of several tools: its answer, and the part of an early
    result with that; empty where it came last. `listings` are the early results."""

    answer: str
    tool: str
    shown: str
    listings: tuple[str, ...]

    @classmethod
    def of(cls, record: Record, field: str = "") -> EarlyAnswer | None:
        """Read a rollout; None where that is no such rollout. `field` is the task's answer, which
        the last call may submit."""
        transcript = record.recorder.transcript
        replies = recorded_replies(transcript)
        submits = is_submitted(replies, field)
        if (
            record.policy != ORACLE
            or not replies
            or (replies[-1].get("tool_calls") and not submits)
        ):
            return None
        replied = plain_text(replies[-1].get("content"))
        answer = field.strip() if submits else find_answer(replied).answer.strip()
        calls = [call for reply in replies for call in reply.get("tool_calls") or ()]
        calls = calls[:-1] if submits else calls
        names = [str((call.get("function") or {}).get("name")) for call in calls]
        given = " ".join(json.dumps(call.get("function"), default=str) for call in calls)
        if not _is_searched(answer) or len({*names}) < 2 or answer in given:
            return None
        results = {
            node.message.get("tool_call_id"): plain_text(node.message.get("content"))[:SEARCHED]
            for node in transcript.nodes
            if node.message.get("role") == "tool"
        }
        early = [
            (name, results.get(call.get("id"), ""))
            for call, name in zip(calls, names, strict=True)
            if name != names[-1]
        ]
        excerpts = (
            (name, value_in(result, answer))
            for name, result in early
            if not (submits and _lists_candidates(result, answer))
        )
        tool, shown = next(((name, text) for name, text in excerpts if text), ("", ""))
        return cls(answer, tool, shown, tuple(result for _, result in early))

    def lists(self, other: str) -> bool:
        """Whether the early results name this answer of another task too."""
        return any(value_in(result, other) for result in self.listings)


def _is_searched(answer: str) -> bool:
    return SHORTEST <= len(answer) <= LONGEST and answer.casefold() not in OPPOSITES


def _lists_candidates(result: str, answer: str) -> bool:
    """Whether what stands before the answer in a result also stands before others, as in a list of
    all that may be chosen."""
    label = re.match(r"[\w \"'-]*[:=|>,\[]", value_in(result, answer))
    return label is not None and result.count(label[0].strip()) > 1


def value_in(result: str, answer: str) -> str:
    """The part of a result in which the answer is a whole value; empty where there is none."""
    pattern = (
        rf"[\w \"'-]{{0,40}}[:=|>,\[][ \t]*[\"']?{re.escape(answer)}[\"']?[ \t]*(?=$|[,}}\]|;])"
    )
    match = re.search(pattern, result, re.IGNORECASE | re.MULTILINE)
    return match[0].strip()[:200] if match else ""
