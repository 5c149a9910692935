"""Amounts with the prefix of a thousand or a million, such as 4.7k, where a prompt allows it."""

from __future__ import annotations

import re
import zlib
from decimal import Decimal

NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,9})?")
# `k for kilo`, `M for mega-ohms`, `4700` and `4.7k` are the same value.
NAMED = re.compile(r"\b([kKM]) (?:for|stands for|means|=) (?:kilo|mega|thousand|million)", re.ASCII)
PERMITS = re.compile(
    r"\b(?:may|can|either|or|also|allowed|accepted|fine|optional)\b", re.IGNORECASE
)
SAME = re.compile(r"\b(?:are|is|as|count as|mean) the same\b|\bequivalent\b", re.IGNORECASE)
SHOWN = re.compile(r"[`\"'](?:\d+\.\d+|\.?\d+)([kKM])[`\"']")
# What says nothing of an answer, or forbids: `do not write k for kilo`, `notes have k for kilo`.
REFUSED = re.compile(
    r"\b(?:not|never|no|cannot|without|unless|except|only|instead|rather|omit\w*|left out|drop\w*"
    r"|refus\w*|reject\w*|wrong|invalid|errors?)\b|n't\b",
    re.IGNORECASE,
)
ANSWERED = re.compile(
    r"\b(?:answer\w*|repl(?:y|ies)|respond|write|give|state|use|accepted)\b", re.IGNORECASE
)
SOURCES = re.compile(
    r"\b(?:in|on|of) (?:the|each|every|a|this|these) (?:\w+ )?"
    r"(?:lists?|tables?|notes?|texts?|data|logs?|records?|documents?|columns?|rows?|labels?|orders?|sheets?)\b",
    re.IGNORECASE,
)
SENTENCE = re.compile(r"(?:[^.?!\n]|[.](?=\w))+")
SCALES = {"k": Decimal(1_000), "K": Decimal(1_000), "M": Decimal(1_000_000)}
PLACES = 9


def with_si_prefix(answer: str, prompt: str) -> str | None:
    """The number with a prefix that the prompt allows for it; of several, another one in each
    answer. None for other answers."""
    text = answer.strip()
    letters = sorted(_allowed(prompt)) if NUMBER.fullmatch(text) else []
    if not letters:
        return None
    letter = letters[zlib.crc32(text.encode()) % len(letters)]
    scaled = Decimal(text) / SCALES[letter]
    short = f"{scaled.normalize():f}"
    return f"{short}{letter}" if len(short.partition(".")[2]) <= PLACES else None


def _allowed(prompt: str) -> set[str]:
    """The prefixes that sentences of the prompt allow in answers."""
    letters: set[str] = set()
    for sentence in SENTENCE.findall(prompt):
        if REFUSED.search(sentence) or SOURCES.search(sentence):
            continue
        if PERMITS.search(sentence) and ANSWERED.search(sentence):
            letters.update(NAMED.findall(sentence))
        if SAME.search(sentence):
            letters.update(SHOWN.findall(sentence))
    return letters
