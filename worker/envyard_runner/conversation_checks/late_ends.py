"""Does a game go on after the reply that should end it?

The reference then gives the same reply in each turn, up to the limit of turns, although the prompt
states that the game ends with it.
"""

from __future__ import annotations

import re

from envyard.contract.probes import ORACLE
from envyard_runner.gateway.courses.replies_in_turn import first_prompts, recorded_replies
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.probing.chat_text import plain_text

FEWEST_TURNS = 3
ENDS = re.compile(
    r"\b(?:game|round|session|puzzle|match|hunt|it|this)\b[^.\n]{0,30}"
    r"\b(?:ends?|is over|stops?|finish(?:es)?)\b[^.\n]{0,30}"
    r"\b(?:as soon as|when|once|if|after|with)\b",
    re.IGNORECASE,
)


def repeated_reply(record: Record) -> str:
    """The reply that the reference gave in each of FEWEST_TURNS turns or more, where the prompt
    names an end; empty for any other rollout."""
    transcript = record.recorder.transcript
    replies = recorded_replies(transcript)
    if record.policy != ORACLE or len(replies) < FEWEST_TURNS:
        return ""
    texts = {plain_text(reply.get("content")).strip() for reply in replies}
    if len(texts) > 1 or any(reply.get("tool_calls") for reply in replies):
        return ""
    return texts.pop() if ENDS.search(first_prompts(transcript)) else ""
