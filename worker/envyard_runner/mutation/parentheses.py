"""A negative amount in parentheses, as accounts write it, where the prompt allows that."""

from __future__ import annotations

import re

NEGATIVE = re.compile(r"[-\u2212](\d{1,3}(?:[, ]\d{3})*(?:\.\d{1,4})?|\d{1,12}(?:\.\d{1,4})?)")
ALLOWED = re.compile(
    r"\b(?:negative|loss|deficit|below zero|minus)\b[^.?!\n]{0,120}\b(?:parenthes[ei]s|brackets)\b"
    r"|\b(?:parenthes[ei]s|brackets)\b[^.?!\n]{0,80}\b(?:negative|loss|deficit|below zero|minus)\b",
    re.IGNORECASE,
)
REFUSED = re.compile(
    r"\b(?:no|not|never|without|instead of)\b[^.?!\n]{0,40}\b(?:parenthes|bracket)"
)


def in_parentheses(answer: str, prompt: str) -> str | None:
    """The amount in parentheses and without its sign; None for other answers and prompts."""
    match = NEGATIVE.fullmatch(answer.strip())
    if match is None or not ALLOWED.search(prompt) or REFUSED.search(prompt):
        return None
    return f"({match[1]})"
