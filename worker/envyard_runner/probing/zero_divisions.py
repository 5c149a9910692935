"""The examples of expressions that a prompt shows, with a zero as their divisor.

No value can be the result, so an error message answers; it should not quote a secret operand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

EXAMPLE = re.compile(r"`([^`\n]{3,80})`|\"([^\"\n]{3,80})\"|'([^'\n]{3,80})'")
DIVISOR = re.compile(r"(%[ \t]{0,2}|/[ \t]{1,2})[1-9]\d{0,8}(?![\w./])")  # no date, no path
SEARCHED, MOST = 20_000, 4  # characters of each text, and examples


def zero_divisions(texts: Sequence[str]) -> list[str]:
    """At most MOST different ones, each with one divisor replaced."""
    return list(dict.fromkeys(_replaced(texts)))[:MOST]


def _replaced(texts: Sequence[str]) -> Iterator[str]:
    for text in texts:
        for match in EXAMPLE.finditer(text[:SEARCHED]):
            example = next(group for group in match.groups() if group)
            for divisor in DIVISOR.finditer(example):
                yield f"{example[: divisor.start()]}{divisor[1]}0{example[divisor.end() :]}"
