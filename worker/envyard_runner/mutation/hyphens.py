"""Sequences of codes or words that hyphens join, such as `Met-Ala-Gly`, where a prompt names
hyphens or shows such a sequence; `mother-in-law` is one word."""

from __future__ import annotations

import re

FEWEST = 3
ITEM = r"[^\W_]{1,40}"
SEQUENCE = re.compile(rf"{ITEM}(?:-{ITEM}){{2,100}}")
NAMED = re.compile(
    r"\b(?:joined|separated|connected|linked|parted|divided|with|between|by|use)\b[^.;]{0,30}"
    r"\b(?:hyphens?|dash(?:es)?)\b|[\"'`]-[\"'`]|\w-(?:\w+-)?\.\.\.",
    re.IGNORECASE,
)
NUMBERS = re.compile(r"[\d-]+")  # a date or a telephone number


def hyphenated(answer: str, prompt: str) -> list[str]:
    """The items of such a sequence; empty for another answer."""
    text = answer.strip()
    if not SEQUENCE.fullmatch(text) or NUMBERS.fullmatch(text) or not NAMED.search(prompt):
        return []
    return text.split("-")
