"""The surroundings of an answer that an example in a prompt shows: `a code such as #a0b1c2`."""

from __future__ import annotations

import re
from collections.abc import Iterator

NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
EXAMPLE = re.compile(
    r"(?:\b(?:such as|like|for example|for instance|example)|\be\.g\.)[:,]?\s{0,3}"
    r"(?:`([^`\n]{2,60})`|\"([^\"\n]{2,60})\"|'([^'\n]{2,60})'|(\S{2,40}))",
    re.IGNORECASE,
)
SHELL = re.compile(r"([^\w\s-]*)(.*?)(\W*)")
ALONE = ".,;:!?"  # what ends a sentence, and no example
MAX_EXAMPLES = 2


def surroundings(text: str, answer: str) -> list[tuple[str, str]]:
    """What stands before and behind the answers' kind in the examples of a text, MAX_EXAMPLES at
    most; none where the examples are bare, or of another kind than the bare `answer`."""
    bare = answer.strip()
    around = (pair for match in EXAMPLE.finditer(text) for pair in _around(match, bare))
    return list(dict.fromkeys(pair for pair in around if any(pair)))[:MAX_EXAMPLES] if bare else []


def _around(match: re.Match[str], answer: str) -> Iterator[tuple[str, str]]:
    quoted = match[1] or match[2] or match[3]
    example = quoted or _unpunctuated(match[4])
    numbers = list(NUMBER.finditer(example))
    if NUMBER.fullmatch(answer):
        if len(numbers) == 1 and (quoted or not re.search(r"\w", _without(example, numbers[0]))):
            yield example[: numbers[0].start()], example[numbers[0].end() :]
    elif (shell := SHELL.fullmatch(example)) and _are_alike(shell[2], answer):
        yield shell[1], shell[3]


def _without(example: str, number: re.Match[str]) -> str:
    return example[: number.start()] + example[number.end() :]


def _unpunctuated(token: str) -> str:
    """The token without the punctuation of its sentence, and without the bracket around it."""
    token = token.rstrip(ALONE)
    for opening, closing in (("(", ")"), ("[", "]")):
        if token.endswith(closing) and opening not in token:
            token = token[:-1].rstrip(ALONE)
    return token


def _are_alike(example: str, answer: str) -> bool:
    """Whether both are words, codes of one length, or parts with the same signs between them."""
    if example.isalnum() and answer.isalnum():
        return len(example) == len(answer) or (example.isalpha() and answer.isalpha())
    signs = [re.sub(r"\w+", "x", text) for text in (example, answer)]
    return signs[0] == signs[1] and "x" in signs[0]
