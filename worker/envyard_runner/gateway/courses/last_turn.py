"""The right reply in the last turn, behind empty ones: that the prompt promises, or in which the
environment has named the answer.

Frameworks end a rollout at its maximum of turns before the environment's turn: where that maximum
is the number of guesses, the last one is never judged. Source: verifiers 0.3.1, MultiTurnEnv.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from envyard.contract.probes import SILENT
from envyard.contract.transcript import Transcript
from envyard_runner.gateway.courses.replies_in_turn import Course, first_prompts, recorded_replies
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.mutation.answers import find_answer
from envyard_runner.probing.chat_text import plain_text
from envyard_runner.probing.probes import Message

FEWEST, MOST = 3, 20  # turns
DIGITS = re.compile(r"\d+")
COMMAND = re.compile(r"[A-Za-z]{2,20}:? (\d{2,9})")
LONGEST = 200  # characters of an answer that is searched for, and of a message that is shown
WORDS = ("three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
TRIES = r"(?:guess(?:es)?|tr(?:y|ies)|turns?|attempts?|moves?|questions?|chances?|replies|messages)"
BEFORE_LAST, LAST_TURN, NAMED = "before_last", "last_turn", "named"
OFFSETS = {BEFORE_LAST: 1, LAST_TURN: 0}
QUIET = (*OFFSETS, NAMED)


class QuietTurns:
    """How many turns tasks take where every reply is empty, and what the policy reads in them."""

    def __init__(self) -> None:
        self._turns: dict[int, int] = {}
        self._texts: dict[int, list[str]] = {}

    def add(self, record: Record) -> None:
        """Read a rollout that ended; those of other policies are ignored."""
        if record.policy == SILENT:
            transcript, task = record.recorder.transcript, int(record.rollout.split("/")[1])
            self._turns.setdefault(task, len(transcript.calls))
            sent = transcript.path(transcript.calls[-1].asked) if transcript.calls else ()
            read = (transcript.nodes[at].message for at in sent)
            texts = [plain_text(m.get("content")) for m in read if m.get("role") != "assistant"]
            self._texts.setdefault(task, texts)

    def course(self, operator: str, task: int, transcript: Transcript) -> Course | None:
        """The reply of a rollout in the last turn, or in the one before; None where it has several
        replies, or the prompt does not promise this number of turns. `named`: its last reply
        whose answer the last message names, which the rollout itself lacks, and no earlier one."""
        if operator == NAMED:
            return self._named(task, transcript)
        turns, replies = self._turns.get(task, 0), recorded_replies(transcript)
        promised = FEWEST <= turns <= MOST and _promises(turns, first_prompts(transcript))
        if not promised or len(replies) != 1 or replies[0].get("tool_calls"):
            return None
        turn = turns - OFFSETS[operator]
        empty: Sequence[Message] = [{"role": "assistant", "content": ""}] * (turn - 1)
        text = plain_text(replies[0].get("content"))
        return Course([*empty, replies[0]], text, f"{text} in turn {turn} of {turns}")

    def _named(self, task: int, transcript: Transcript) -> Course | None:
        *earlier, last = self._texts.get(task) or [""]
        replies = recorded_replies(transcript)
        if not earlier or any(reply.get("tool_calls") for reply in replies[-1:]):
            return None
        texts = [plain_text(reply.get("content")) for reply in reversed(replies)]
        text = next((text for text in texts if _naming(text, last)), "")
        named = _naming(text, last)
        if named is None or any(map(named.search, earlier)) or _is_told(transcript, named):
            return None
        if DIGITS.sub("0", last) in (DIGITS.sub("0", each) for each in earlier):
            return None  # a value that changes from turn to turn, such as a price
        empty: Sequence[Message] = [{"role": "assistant", "content": ""}] * (self._turns[task] - 1)
        reply = {"role": "assistant", "content": text}
        return Course([*empty, reply], text, f"{text} behind: {last[-LONGEST:]}")


def _naming(text: str, message: str) -> re.Pattern[str] | None:
    """What matches the answer of a reply, where the message has it; None where it has not. Of a
    command such as `OFFER 437` it is the only number."""
    answer = find_answer(text).answer.strip()
    if command := COMMAND.fullmatch(answer):
        answer = command[1]
    named = re.compile(rf"(?<!\w){re.escape(answer)}(?!\w)", re.IGNORECASE)
    return named if 0 < len(answer) <= LONGEST and named.search(message) else None


def _is_told(transcript: Transcript, named: re.Pattern[str]) -> bool:
    """Whether the rollout's first message with the answer is not a reply: what the policy asked
    about may be repeated to it."""
    first = next(
        (
            each.message
            for each in transcript.nodes
            if named.search(plain_text(each.message.get("content")))
        ),
        {"role": "assistant"},
    )
    return first.get("role") != "assistant"


def _promises(turns: int, prompt: str) -> bool:
    word = dict(enumerate(WORDS, FEWEST)).get(turns, str(turns))
    number = rf"\b(?:{turns}|{word})\b"
    return re.search(rf"{number}[^.\d\n]{{0,30}}\b{TRIES}\b", prompt, re.IGNORECASE) is not None
