"""Exact and near duplicates among many texts, by MinHash and locality-sensitive hashing.

Broder 1997 ("On the resemblance and containment of documents"); Lee et al. 2021 ("Deduplicating
training data makes language models better") use word 5-grams and a Jaccard similarity of 0.8.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from rensa import RMinHash, RMinHashLSH

GRAM = 5  # words
NEAR = 0.8
PERMUTATIONS, BANDS = 128, 16  # a pair of similarity 0.8 shares a band in 94.7 % of all cases
SEED = 0
CANDIDATES = 50  # that are compared exactly
SAMPLE = 1_000  # texts, of which the common grams are counted
FEWEST = 20  # texts that show what a template is
COMMON = 0.5  # of the texts of a sample that share a gram, which then is the template's


class TextIndex:
    """Texts by their place in the order in which they were added, to be compared with others by
    their grams without the `common` ones."""

    def __init__(self, common: frozenset[str] = frozenset()) -> None:
        self._texts: list[str] = []
        self._common = common
        self._words = {word for gram in common for word in gram.split()}
        self._index = RMinHashLSH(NEAR, PERMUTATIONS, BANDS)

    def near(self, text: str, *, accept: Callable[[int], bool] | None = None) -> int | None:
        """The place of a text that nearly equals this one, among those that `accept` takes; None
        without one. Each candidate is compared exactly, so that a match is never by chance."""
        grams, sketch = self._sketch(text)
        return self._match(grams, sketch, accept)

    def add(self, text: str) -> None:
        """Add the text at the next place."""
        self._index.insert(len(self._texts), self._sketch(text)[1])
        self._texts.append(text)

    def near_or_add(self, text: str) -> int | None:
        """The place of a near text; where there is none, add this one."""
        grams, sketch = self._sketch(text)
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
            if accepted and _similar(grams, self._grams(self._texts[place])):
                return int(place)
        return None

    def _grams(self, text: str) -> frozenset[str]:
        grams = word_grams(text)
        own = grams - self._common
        words = (word for gram in own for word in gram.split())
        return own if any(_says(word) for word in words if word not in self._words) else grams

    def _sketch(self, text: str) -> tuple[frozenset[str], RMinHash]:
        grams = self._grams(text)
        sketch = RMinHash(PERMUTATIONS, SEED)
        sketch.update(sorted(grams))
        return grams, sketch


def _says(word: str) -> bool:
    """Whether it is more than marks: prompts that differ in those alone are near copies."""
    return any(map(str.isalnum, word))


def common_grams(texts: Sequence[str]) -> frozenset[str]:
    """The grams that more than half of the texts share, such as those of their instructions: by
    them all texts of a long template would nearly be equal."""
    sample = texts[:: max(1, len(texts) // SAMPLE)] if len(texts) >= FEWEST else []
    counts = Counter(gram for text in sample for gram in word_grams(text))
    return frozenset(gram for gram, count in counts.items() if count > COMMON * len(sample))


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


def _similar(first: Iterable[str], second: Iterable[str]) -> bool:
    one, other = set(first), set(second)
    shared = len(one & other)
    return shared > NEAR * (len(one) + len(other) - shared)
