"""The right reply in the last turn that a prompt promises, behind empty ones.

Frameworks end a rollout at its maximum of turns before the environment's turn: where that maximum
is the number of guesses, the last one is never judged. Source: verifiers 0.3.1, MultiTurnEnv.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from envyard.contract.probes import SILENT
from envyard.contract.transcript import Transcript
from envyard_runner.gateway.chat_text import plain_text
from envyard_runner.gateway.probes import Message
from envyard_runner.gateway.replies_in_turn import Course, first_prompts, recorded_replies
from envyard_runner.gateway.rollout_records import Record

FEWEST, MOST = 3, 20  # turns
WORDS = ("three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
TRIES = r"(?:guess(?:es)?|tr(?:y|ies)|turns?|attempts?|moves?|questions?|chances?|replies|messages)"
BEFORE_LAST, LAST_TURN = "before_last", "last_turn"
OFFSETS = {BEFORE_LAST: 1, LAST_TURN: 0}


class QuietTurns:
    """How many turns tasks take where every reply is empty."""

    def __init__(self) -> None:
        self._turns: dict[int, int] = {}

    def add(self, record: Record) -> None:
        """Read a rollout that ended; those of other policies are ignored."""
        if record.policy == SILENT:
            calls = record.recorder.transcript.calls
            self._turns.setdefault(int(record.rollout.split("/")[1]), len(calls))

    def course(self, operator: str, task: int, transcript: Transcript) -> Course | None:
        """The reply of a rollout in the last turn, or in the one before; None where it has several
        replies, or the prompt does not promise this number of turns."""
        turns, replies = self._turns.get(task, 0), recorded_replies(transcript)
        promised = FEWEST <= turns <= MOST and _promises(turns, first_prompts(transcript))
        if not promised or len(replies) != 1 or replies[0].get("tool_calls"):
            return None
        turn = turns - OFFSETS[operator]
        empty: Sequence[Message] = [{"role": "assistant", "content": ""}] * (turn - 1)
        text = plain_text(replies[0].get("content"))
        return Course([*empty, replies[0]], text, f"{text} in turn {turn} of {turns}")


def _promises(turns: int, prompt: str) -> bool:
    word = dict(enumerate(WORDS, FEWEST)).get(turns, str(turns))
    number = rf"\b(?:{turns}|{word})\b"
    return re.search(rf"{number}[^.\d\n]{{0,30}}\b{TRIES}\b", prompt, re.IGNORECASE) is not None
