"""Tasks of different kinds: those whose prompts give instructions that others do not give."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

SENTENCE = re.compile(r"[^.?!:;\n]+")
NUMBER = re.compile(r"\d+")
LONGEST = 20_000  # characters of a prompt


def of_each_kind(prompts: Sequence[str], number: int) -> list[int]:
    """The places of at most this many prompts, in order: the first, then each time the one with the
    most sentences that several prompts share and no chosen one has, then the first ones left."""
    sentences = [_sentences(prompt) for prompt in prompts]
    counts = Counter(sentence for each in sentences for sentence in each)
    shared = [{each for each in some if counts[each] > 1} for some in sentences]
    chosen: list[int] = []
    known: set[str] = set()
    left = list(range(len(prompts)))
    while left and len(chosen) < number:
        best = left[0] if not chosen else max(left, key=lambda at: len(shared[at] - known))
        left.remove(best)
        chosen.append(best)
        known |= shared[best]
    return sorted(chosen)


def _sentences(prompt: str) -> set[str]:
    """Its sentences, with `0` for each number."""
    sentences = SENTENCE.findall(prompt[:LONGEST])
    return {NUMBER.sub("0", sentence.strip().casefold()) for sentence in sentences}
