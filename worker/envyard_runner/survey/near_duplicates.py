"""Exact and near duplicates among many texts, by MinHash and locality-sensitive hashing.

Broder 1997 ("On the resemblance and containment of documents"); Lee et al. 2021 ("Deduplicating
training data makes language models better") use word 5-grams and a Jaccard similarity of 0.8.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rensa import RMinHash, RMinHashLSH

GRAM = 5  # words
NEAR = 0.8
PERMUTATIONS, BANDS = 128, 16  # a pair of similarity 0.8 shares a band in 94.7 % of all cases
SEED = 0
CANDIDATES = 50  # that are compared exactly


def repeated(texts: Sequence[str]) -> tuple[int, int]:
    """How many texts equal an earlier one, and how many more nearly do.

    A candidate that shares a band is compared exactly, so that a match is never by chance.
    """
    first: dict[str, int] = {}
    for place, text in enumerate(texts):
        first.setdefault(text, place)
    index = RMinHashLSH(NEAR, PERMUTATIONS, BANDS)
    near = 0
    distinct = list(first)
    for key, text in enumerate(distinct):
        grams = word_grams(text)
        sketch = RMinHash(PERMUTATIONS, SEED)
        sketch.update(sorted(grams))
        candidates = index.query(sketch)[:CANDIDATES]
        if any(_similar(grams, word_grams(distinct[other])) for other in candidates):
            near += 1
        else:
            index.insert(key, sketch)
    return len(texts) - len(distinct), near


def word_grams(text: str) -> frozenset[str]:
    """The text's word 5-grams without case; a shorter text is one gram."""
    words = text.casefold().split()
    return frozenset(" ".join(words[at : at + GRAM]) for at in range(max(1, len(words) - GRAM + 1)))


def _similar(first: Iterable[str], second: Iterable[str]) -> bool:
    one, other = set(first), set(second)
    shared = len(one & other)
    return shared > NEAR * (len(one) + len(other) - shared)
