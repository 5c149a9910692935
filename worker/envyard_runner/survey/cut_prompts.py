"""Prompts that are cut at one number of characters, so that what the answer needs is missing.

Prompts of many lengths seldom share the longest one. Where many do, and some of these end within a
word, something has cut them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from envyard_runner.survey.listing import PROMPT

FEWEST, SHARE = 5, 0.04  # prompts of the longest length, and their share of all
LENGTHS = 10  # different ones of the others
USUAL = 0.25  # share of the others with one length, from which on a form decides it
BROKEN = 0.25  # of the longest prompts that end within a word
ENDS_IN_WORD = re.compile(r"(?<![^\W\d_])[^\W\d_]+\Z")
WORD = re.compile(r"[^\W\d_]+(?=[\W\d_])")


def cut_prompts(prompts: Sequence[str]) -> list[int]:
    """The places of the prompts of the longest length, where they are cut; none elsewhere.

    Those that the survey itself shortens are not judged.
    """
    lengths = Counter(map(len, prompts))
    longest = max(lengths, default=0)
    others = {length: count for length, count in lengths.items() if length != longest}
    cut = [at for at, prompt in enumerate(prompts) if len(prompt) == longest]
    if longest >= PROMPT or len(cut) < max(FEWEST, SHARE * len(prompts)):
        return []
    if len(others) < LENGTHS or max(others.values()) > USUAL * sum(others.values()):
        return []
    words = {word.casefold() for prompt in prompts for word in WORD.findall(prompt)}
    broken = [at for at, prompt in enumerate(prompts) if _ends_within(prompt, words)]
    here = sum(len(prompts[at]) == longest for at in broken)
    elsewhere = len(broken) - here
    usual = elsewhere > SHARE * (len(prompts) - len(cut))
    return [] if usual or here < max(2, BROKEN * len(cut)) else cut


def _ends_within(prompt: str, words: set[str]) -> bool:
    """Whether its last word stands nowhere before a mark or a space."""
    end = ENDS_IN_WORD.search(prompt)
    return end is not None and end[0].casefold() not in words
