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
    if len(lines) < FEWEST_LINES or lines[middle] in (lines[0], lines[-1]) or not are_items(answer):
        return None
    match = PAIR.search(lines[middle])
    if match is None:
        return None
    start, end = match.span()
    lines[middle] = f"{lines[middle][:start]}{match[2]}{match[1]}{lines[middle][end:]}"
    return "\n".join(lines)
