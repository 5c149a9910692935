"""Changes of answers of several lines."""

from __future__ import annotations

import re

FEWEST_LINES = 3
PAIR = re.compile(r"([^\W_])(?!\1)([^\W_])")  # two different letters or digits side by side


def inner_line(answer: str) -> str | None:
    """Two characters exchanged in the middle one of FEWEST_LINES or more: a verifier may compare
    the first and the last one alone."""
    lines = answer.strip().split("\n")
    middle = len(lines) // 2
    if len(lines) < FEWEST_LINES or lines[middle] in (lines[0], lines[-1]):
        return None
    match = PAIR.search(lines[middle])
    if match is None:
        return None
    start, end = match.span()
    lines[middle] = f"{lines[middle][:start]}{match[2]}{match[1]}{lines[middle][end:]}"
    return "\n".join(lines)
