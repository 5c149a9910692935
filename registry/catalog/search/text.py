"""Texts as plain words, the same for what is kept and for what is asked, on every database."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations

WORD = re.compile(r"[^\W_]+")
LONGEST = 60  # letters of a word that count
MOST_ASKED = 12  # words of a question that count
SHORTEST_BEGINNING = 2  # letters from which a last word also means the words it begins


def words(text: str) -> list[str]:
    """Its runs of letters and digits, without case and accents; nothing else is left."""
    plain = text.casefold()
    if not plain.isascii():
        apart = unicodedata.normalize("NFKD", plain)
        plain = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return [word[:LONGEST] for word in WORD.findall(plain)]


# Words that alone make no document a match of a longer question.
GRAMMAR = frozenset(
    words("a an and as at be by for from how in into is it its not of on or that the this to with")
)


def with_joined(names: Iterable[str]) -> str:
    """The words of each name, and each name in one word: `code-golf` is `code golf codegolf`."""
    found: dict[str, None] = {}
    for name in names:
        parts = words(name)
        found |= dict.fromkeys([*parts, "".join(parts)[:LONGEST]])
    return " ".join(word for word in found if word)


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked: for each word the words that may stand for it, itself first; and `marks`
    that must be there as well, as `facets.mark` makes them.

    Where it is open, the last word also means all that begin with it. Words hold letters and
    digits alone, so that none of them means anything to a database. `least` is how many of the
    significant words a document must hold; 0 for every word of the question.
    """

    words: tuple[tuple[str, ...], ...]
    open: bool
    marks: tuple[str, ...] = ()
    least: int = 0

    @property
    def significant(self) -> tuple[int, ...]:
        """Positions of the words that count for a partial match: neither of GRAMMAR nor twice."""
        last = {alternatives[0]: at for at, alternatives in enumerate(self.words)}
        chosen = sorted(at for word, at in last.items() if word not in GRAMMAR)
        return tuple(chosen or last.values())

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Positions of words: a document matches if it holds every word of one group."""
        if not self.least:
            return (tuple(range(len(self.words))),) if self.words else ()
        return tuple(combinations(self.significant, self.least))

    def looser(self) -> Iterator[Query]:
        """The same question for partial matches, the nearest first: all significant words but one
        (or all, where the question has others), then any of them."""
        count = len(self.significant)
        nearly = count if count < len(self.words) else count - 1
        for least in dict.fromkeys((nearly, 1)):
            if 0 < least < len(self.words):
                yield replace(self, least=least)

    @property
    def joined(self) -> str:
        """All in one word, as somebody writes who forgets the hyphen or puts one too many."""
        return "".join(alternatives[0] for alternatives in self.words)[:LONGEST]

    @property
    def guessed(self) -> str:
        """The same of the nearest guesses."""
        return "".join(alternatives[:2][-1] for alternatives in self.words)[:LONGEST]


def query(text: str) -> Query:
    """The question in that text; one without words finds nothing."""
    asked = words(text)[:MOST_ASKED]
    last_is_open = bool(asked) and len(asked[-1]) >= SHORTEST_BEGINNING
    return Query(tuple((word,) for word in asked), last_is_open)


def distance(a: str, b: str, most: int) -> int:
    """Letters left out, put in, taken for another or swapped with the next; `most` + 1 for more.

    Source: optimal string alignment, the restricted Damerau-Levenshtein distance.
    """
    if abs(len(a) - len(b)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        before, last, row = row, before, [i]
        for j, other in enumerate(b, 1):
            cost = min(before[j] + 1, row[-1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]


def meant(word: str, known: Iterable[str]) -> tuple[str, ...]:
    """Those of the known words that somebody who wrote `word` may have meant, nearest first.

    One slip in a short word, two from eight letters on; or the word is a part of theirs.
    """
    most = 0 if len(word) < 3 else 1 if len(word) < 8 else 2
    near = {}
    for other in known:
        apart = distance(word, other, most)
        if apart <= most:
            near[other] = apart
        elif len(word) >= 3 and word in other:
            near[other] = most + 1
    return tuple(sorted(near, key=lambda other: (near[other], other))[:8])
