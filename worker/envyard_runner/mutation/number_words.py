"""Numbers in words with the "and" of British English, or without it, where a prompt allows both."""

from __future__ import annotations

import re

ONES = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety"
)
WORDS = frozenset(f"zero {ONES} hundred thousand million billion and".split())
QUOTE = "[\"'`\u201c\u201d\u2018\u2019]"
AND_FREE = re.compile(
    rf"{QUOTE}and{QUOTE}[^.\n]{{0,80}}\b(?:may|optional|either|allowed|fine|accepted|habit|usage|matter)"
    rf"|\bwith or without (?:the (?:word )?)?{QUOTE}?and\b"
    r"|\b(?:British|American) (?:or|and) (?:British|American)\b",
    re.IGNORECASE,
)
AND_REFUSED = re.compile(
    rf"\b(?:not|no|never|without|omit|avoid)\b(?<!or without)[^.,;\n]{{0,30}}{QUOTE}and{QUOTE}",
    re.IGNORECASE,
)
BEHIND = re.compile(rf"\b(hundred)(?=[ ](?:{'|'.join(ONES.split())})\b)", re.IGNORECASE)
AND = re.compile(r" and\b", re.IGNORECASE)


def number_and(answer: str, prompt: str) -> str | None:
    """A number of hundreds in words, with `and` behind them, or without it where it has one."""
    words = re.findall(r"[a-z]+", answer.casefold())
    if "hundred" not in words or not WORDS.issuperset(words):
        return None
    if not AND_FREE.search(prompt) or AND_REFUSED.search(prompt):
        return None
    if "and" in words:
        return AND.sub("", answer)
    other = BEHIND.sub(r"\1 and", answer)
    return other if other != answer else None
