"""Does the environment show the answer to a policy that does no work?

A probe's replies earn nothing, so neither a tool's result nor the next message of a user should
contain the task's answer while the policy may still reply.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from envyard.contract.probes import PROBES
from envyard.contract.transcript import Transcript
from envyard_runner.gateway.chat_text import plain_text
from envyard_runner.gateway.junk_calls import junk_results, presents
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.mutation.answers import OPPOSITES, find_answer

SHORTEST, LONGEST = 4, 2_000  # characters of an answer; a shorter one is there by chance
AROUND = 60  # characters of an excerpt before and behind the answer


def shown_answer(record: Record, reference: str) -> str:
    """Where a message to a probe that does no work contains the reference's answer, which neither
    the first messages nor its own replies do; empty where none does."""
    probe = PROBES.get(record.policy)
    answer = find_answer(reference).answer.strip()
    if probe is None or probe.floor is None or probe.calls_tools:
        return ""
    if not SHORTEST <= len(answer) <= LONGEST or answer.casefold() in OPPOSITES:
        return ""
    pattern = re.compile(rf"(?<!\w){re.escape(answer)}(?!\w)", re.IGNORECASE)
    return _excerpt(record.recorder.transcript, pattern)


@dataclass(frozen=True, slots=True)
class JunkResults:
    """What tools returned to calls whose arguments name nothing, and the task's answer."""

    answer: str
    results: tuple[str, ...]

    @classmethod
    def of(cls, record: Record, reference: str) -> JunkResults:
        """Read the whole conversation of a rollout; without a reference its right reply counts."""
        right = record.right_answer or {}
        known = "" if right.get("tool_calls") else plain_text(right.get("content"))
        answer = find_answer(reference or known).answer.strip()
        return cls(answer, tuple(junk_results(record.recorder.transcript.messages)))

    def presented(self, answer: str) -> str:
        """The excerpt in which a result presents this answer; empty where none does."""
        excerpts = (presents(result, answer) for result in self.results)
        return next((excerpt for excerpt in excerpts if excerpt), "")


def _excerpt(transcript: Transcript, pattern: re.Pattern[str]) -> str:
    replies = {call.reply for call in transcript.calls if call.reply >= 0}
    shown = ""
    for place, node in enumerate(transcript.nodes):
        content = plain_text(node.message.get("content"))
        if match := pattern.search(content):
            if place in replies or place < min(replies, default=0):
                return ""
            shown = shown or content[max(0, match.start() - AROUND) : match.end() + AROUND]
    return shown
