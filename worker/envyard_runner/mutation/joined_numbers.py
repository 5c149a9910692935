"""Lists of small whole numbers in another of the forms that a prompt shows for one list, such as
`(2 1 0)`, `(2,1,0)` and `(210)`.

Each form must stand in one sentence that allows it, with the same numbers in all.
"""

from __future__ import annotations

import re
import zlib
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

SIGNED = r"-?\d(?!\d)"
SEPARATED = re.compile(rf"([(\[{{<]?)({SIGNED}(?:,? ?{SIGNED}){{1,7}})([)\]}}>]?)")
JOINED = re.compile(r"([(\[{<]?)(-?\d(?:-?\d){1,7})([)\]}>]?)")
TOKEN = re.compile(r"(?<![\w.,-])[(\[{<]?-?\d(?:,? ?-?\d){1,7}[)\]}>]?(?![\w]|[.,-]\d)")
NUMBER = re.compile(r"-?\d")
MOST = 60  # lists of a sentence that are read
SENTENCE = re.compile(r"(?:[^.?!\n]|[.](?=\w)|\n(?!\s*\n))+")  # a line may break it
PERMITS = re.compile(
    r"\b(?:or|may|can|either|both|all|also|allowed|accepted|fine|ok|okay|same|equivalent)\b",
    re.IGNORECASE,
)
REFUSED = re.compile(
    r"\b(?:not|never|cannot|instead|rather|only|wrong|invalid|unless|except|if|convert\w*"
    r"|refus\w*|reject\w*|means?|becomes?|from)\b|n't\b",
    re.IGNORECASE,
)
NEGATIVE = re.compile(r"\bminus\b|\bnegative\b|\bsigns?\b|[(\[{<, ]-\d", re.IGNORECASE)


class Numbers(NamedTuple):
    """A list: its numbers, what stands between them, and its brackets."""

    numbers: tuple[str, ...]
    separator: str
    brackets: str

    def written(self, separator: str) -> str:
        """The list with another separator."""
        inner = separator.join(self.numbers)
        return f"{self.brackets[:1]}{inner}{self.brackets[1:]}"


def joined(answer: str, prompt: str) -> str | None:
    """The list with another separator that the prompt shows; of several, another one in each
    answer."""
    own = _read(answer.strip())
    others = _others(own, prompt) if own else []
    return (
        own.written(others[zlib.crc32(answer.encode()) % len(others)]) if own and others else None
    )


def joined_signs(answer: str, prompt: str) -> str | None:
    """The list without separators where a minus stands within it, such as `(1-10)`: a verifier may
    read the number -10 there."""
    own = _read(answer.strip())
    if own is None or not any(number.startswith("-") for number in own.numbers[1:]):
        return None
    return own.written("") if "" in _others(own, prompt) else None


def _others(own: Numbers, prompt: str) -> list[str]:
    """The separators that the prompt shows beside that of the list."""
    negative = any(each.startswith("-") for each in own.numbers)
    if negative and not NEGATIVE.search(prompt):
        return []
    shown = (each for each in _shown(prompt) if own.separator in each)
    return sorted(next(shown, {own.separator}) - {own.separator})


def _shown(prompt: str) -> Iterator[set[str]]:
    """The separators with which a sentence shows the same numbers, where that allows several."""
    for sentence in SENTENCE.findall(prompt):
        if not PERMITS.search(sentence) or REFUSED.search(sentence):
            continue
        separators: defaultdict[tuple[tuple[str, ...], str], set[str]] = defaultdict(set)
        for match in islice(TOKEN.finditer(sentence), MOST):
            if read := _read(match[0]):
                separators[read.numbers, read.brackets].add(read.separator)
        yield from (each for each in separators.values() if len(each) > 1)


def _read(text: str) -> Numbers | None:
    """A list with one separator, or none; None for another text."""
    match = SEPARATED.fullmatch(text) or JOINED.fullmatch(text)
    if match is None:
        return None
    before, inner, after = match.groups()
    separators = {*NUMBER.sub("\0", inner).strip("\0").split("\0")}
    if len(separators) > 1 or bool(before) != bool(after):
        return None
    return Numbers((*NUMBER.findall(inner),), separators.pop(), before + after)
