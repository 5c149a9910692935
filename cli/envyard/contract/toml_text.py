"""Read TOML that a stranger wrote, in bounded time and memory.

tomllib copies the parts of a dotted key for each of its parts: a line of 100 KB of `a.a.a.` takes
gigabytes and a minute.
"""

from __future__ import annotations

import tomllib
from typing import Any

MAX_CHARACTERS = 128 << 10
MAX_DOTS = 300  # in one line, which holds all of a key


def loads(text: str, *, max_characters: int = MAX_CHARACTERS) -> dict[str, Any]:
    """The table; raises ValueError, also beyond the limits, and RecursionError."""
    if len(text) > max_characters:
        raise ValueError(f"{len(text)} characters; the limit is {max_characters}")
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > MAX_DOTS:
            raise ValueError(f"line {number} has more than {MAX_DOTS} dots")
    return tomllib.loads(text)
