"""A last value beside the right one, alone and behind the worst value: does a bad beginning pay?

A verifier that takes the largest error of a rollout for the whole of its credit pays the same last
value more the worse it began. Pure functions of the recorded rollout.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from envyard.contract.transcript import Transcript
from envyard_runner.gateway.courses.replies_in_turn import Course, first_prompts, recorded_replies
from envyard_runner.probing.chat_text import plain_text
from envyard_runner.probing.probes import Message

WHOLE = re.compile(r"(?<![\w.])\d{1,9}(?![\w.]*\d)")
RANGE = re.compile(r"\b(?:between|from) (\d{1,9}) (?:and|to) (\d{1,9})\b", re.IGNORECASE)
NEAR, FEWEST = 0.05, 20  # of the range, and its smallest size
# What says that nothing before the last value counts.
LAST_COUNTS = re.compile(
    r"\b(?:your|the|only the) (?:last|final) \w+(?: \w+)? (?:alone )?"
    r"(?:counts?|decides?|is (?:judged|scored|graded|taken|what counts))\b",
    re.IGNORECASE,
)
# What says that the way to it counts too.
WAY = re.compile(
    r"\b(?:improv\w*|progress\w*|relative|compared (?:to|with)|average|mean|each (?:\w+ )?(?:costs?"
    r"|counts?|is (?:paid|scored))|fewer|efficien\w*)\b",
    re.IGNORECASE,
)


def missed(transcript: Transcript, others: Sequence[str]) -> Course | None:
    """The recorded replies with another value in the place of the only one, beside it."""
    changed = _changed(transcript)
    if changed is None:
        return None
    replies, value, near, _ = changed
    return Course(replies, value, near)


def begun_worse(transcript: Transcript, others: Sequence[str]) -> Course | None:
    """The same behind a reply with the worst value of the range that the prompt names."""
    changed = _changed(transcript)
    if changed is None:
        return None
    replies, value, near, worst = changed
    first = {**replies[0], "content": plain_text(replies[0].get("content")).replace(near, worst)}
    return Course([first, *replies], value, f"{worst}, then {near}")


def _changed(transcript: Transcript) -> tuple[list[Message], str, str, str] | None:
    """The replies with a value beside the right one, the right, that, and the worst value. None
    where the prompt does not say that the last value alone counts, where it names no range, or
    where other replies than the first have a number."""
    replies, prompt = recorded_replies(transcript), first_prompts(transcript)
    texts = [plain_text(reply.get("content")) for reply in replies]
    bounds = [sorted(map(int, pair)) for pair in RANGE.findall(prompt)]
    numbers = [WHOLE.findall(text) for text in texts]
    if not LAST_COUNTS.search(prompt) or WAY.search(prompt) or len(replies) < 2:
        return None
    if len(numbers[0]) != 1 or any(numbers[1:]) or any(each.get("tool_calls") for each in replies):
        return None
    value = int(numbers[0][0])
    ranges = [(low, high) for low, high in bounds if low <= value <= high and high - low >= FEWEST]
    if len({*ranges}) != 1:
        return None
    low, high = ranges[0]
    step = max(1, round(NEAR * (high - low)))
    near, worst = (value + step, low) if value - low > high - value else (value - step, high)
    near = near if low <= near <= high else 2 * value - near
    text = WHOLE.sub(str(near), texts[0])
    return [{**replies[0], "content": text}, *replies[1:]], str(value), str(near), str(worst)
