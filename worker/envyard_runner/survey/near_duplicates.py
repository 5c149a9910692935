"""Exact and near duplicates among many texts, by MinHash and locality-sensitive hashing.

Broder 1997 ("On the resemblance and containment of documents"); Lee et al. 2021 ("Deduplicating
training data makes language models better") use word 5-grams and a Jaccard similarity of 0.8.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rensa import RMinHash, RMinHashLSH

GRAM = 5  # words
NEAR = 0.8
PERMUTATIONS, BANDS = 128, 16  # a pair of similarity 0.8 shares a band in 94.7 % of all cases
SEED = 0
CANDIDATES = 50  # that are compared exactly


class TextIndex:
    """Texts by their place in the order in which they were added, to be compared with others."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._index = RMinHashLSH(NEAR, PERMUTATIONS, BANDS)

    def near(self, text: str, *, accept: Callable[[int], bool] | None = None) -> int | None:
        """The place of a text that nearly equals this one, among those that `accept` takes; None
        without one. Each candidate is compared exactly, so that a match is never by chance."""
        grams, sketch = _sketch(text)
        return self._match(grams, sketch, accept)

    def add(self, text: str) -> None:
        """Add the text at the next place."""
        self._index.insert(len(self._texts), _sketch(text)[1])
        self._texts.append(text)

    def near_or_add(self, text: str) -> int | None:
        """The place of a near text; where there is none, add this one."""
        grams, sketch = _sketch(text)
        place = self._match(grams, sketch, None)
        if place is None:
            self._index.insert(len(self._texts), sketch)
            self._texts.append(text)
        return place

    def _match(
        self, grams: frozenset[str], sketch: RMinHash, accept: Callable[[int], bool] | None
    ) -> int | None:
        for place in self._index.query(sketch)[:CANDIDATES]:
            accepted = accept is None or accept(place)
            if accepted and _similar(grams, word_grams(self._texts[place])):
                return int(place)
        return None


def repeated(texts: Sequence[str]) -> tuple[int, int]:
    """How many texts equal an earlier one, and how many more nearly do."""
    distinct = dict.fromkeys(texts)
    index = TextIndex()
    near = sum(index.near_or_add(text) is not None for text in distinct)
    return len(texts) - len(distinct), near


def word_grams(text: str) -> frozenset[str]:
    """The text's word 5-grams without case; a shorter text is one gram."""
    words = text.casefold().split()
    return frozenset(" ".join(words[at : at + GRAM]) for at in range(max(1, len(words) - GRAM + 1)))


def _sketch(text: str) -> tuple[frozenset[str], RMinHash]:
    grams = word_grams(text)
    sketch = RMinHash(PERMUTATIONS, SEED)
    sketch.update(sorted(grams))
    return grams, sketch


def _similar(first: Iterable[str], second: Iterable[str]) -> bool:
    one, other = set(first), set(second)
    shared = len(one & other)
    return shared > NEAR * (len(one) + len(other) - shared)
