"""The middle one of a set's answers in the place of the right one.

A wide tolerance pays it in many tasks, though it takes no work: a temperature in kelvin, a year.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from envyard.contract.transcript import Transcript
from envyard_runner.gateway.courses.replies_in_turn import Course, recorded_replies
from envyard_runner.mutation.answers import find_answer

NUMBER = re.compile(r"-?\d{1,12}(?:\.\d{1,9})?")
FEWEST = 4  # answers of other tasks
NEAREST = 0.01  # to the right answer, as a share of it


def middle(transcript: Transcript, others: Sequence[str]) -> Course | None:
    """The median of the other tasks' answers in the last reply, with the decimals of the right one;
    None where they are no numbers, too few, or where the right one is nearly that."""
    *earlier, last = recorded_replies(transcript) or [{}]
    text = str(last.get("content", ""))
    marked = find_answer(text)
    right = marked.answer.strip()
    numbers = sorted(float(each) for each in map(str.strip, others) if NUMBER.fullmatch(each))
    if len(numbers) < max(FEWEST, len(others)) or not NUMBER.fullmatch(right):
        return None
    median = numbers[len(numbers) // 2]
    if abs(median - float(right)) <= NEAREST * abs(float(right)):
        return None
    answer = f"{median:.{len(right.partition('.')[2])}f}"
    return Course([*earlier, {**last, "content": marked.holding(answer)}], right, answer)
