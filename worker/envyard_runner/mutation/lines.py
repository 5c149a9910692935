"""Changes of answers of several lines."""

from __future__ import annotations

import re

from envyard_runner.mutation.answers import PROGRAM

FEWEST_LINES = 3
MOST_WORDS = 12  # of a line that is an item
PAIR = re.compile(r"([^\W_])(?!\1)([^\W_])")  # two different letters or digits side by side


def are_items(text: str) -> bool:
    """Whether each line counts: of a program or a text, less or other words may be as right."""
    return not PROGRAM.search(text) and all(
        len(line.split(None, MOST_WORDS)) <= MOST_WORDS for line in text.split("\n")
    )


def inner_line(answer: str) -> str | None:
    """Two characters exchanged in the middle one of FEWEST_LINES items or more: a verifier may
    compare the first and the last one alone."""
    lines = answer.strip().split("\n")
    middle = len(lines) // 2
    match = PAIR.search(middle_line(answer))
    if len(lines) < FEWEST_LINES or lines[middle] in (lines[0], lines[-1]):
        return None
    if match is None or not are_items(answer):
        return None
    start, end = match.span()
    lines[middle] = f"{lines[middle][:start]}{match[2]}{match[1]}{lines[middle][end:]}"
    return "\n".join(lines)


def middle_line(answer: str) -> str:
    """The line that `inner_line` changes."""
    lines = answer.strip().split("\n")
    return lines[len(lines) // 2]
