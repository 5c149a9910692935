"""Texts as plain words, the same for indexed texts and search texts, on every database."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations

WORD = re.compile(r"[^\W_]+")
MAX_LETTERS = 60  # of a word that count
MAX_WORDS = 12  # of a search text that count
MIN_PREFIX = 2  # letters from which the last word also matches the words that begin with it
MIN_CORRECTED = 3  # letters from which a word may be misspelled
LETTERS = {*string.ascii_lowercase, *string.digits}  # that a slip may put into a word


def words(text: str) -> list[str]:
    """Its runs of letters and digits, without case and accents; nothing else is left."""
    plain = text.casefold()
    if not plain.isascii():
        decomposed = unicodedata.normalize("NFKD", plain)
        plain = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return [word[:MAX_LETTERS] for word in WORD.findall(plain)]


# Words that alone make no document a match of a longer text.
GRAMMAR = frozenset(
    words("a an and as at be by for from how in into is it its not of on or that the this to with")
)


def with_joined(names: Iterable[str]) -> str:
    """The words of each name, and each name as one word: `code-golf` is `code golf codegolf`."""
    unique: dict[str, None] = {}
    for name in names:
        parts = words(name)
        unique |= dict.fromkeys([*parts, "".join(parts)[:MAX_LETTERS]])
    return " ".join(word for word in unique if word)


@dataclass(frozen=True, slots=True)
class TextQuery:
    """A search text: for each word its alternatives, itself first; and `marks` that must be there
    as well, as `facets.mark` makes them.

    With `last_is_prefix` the last word also matches all words that begin with it. Words contain
    letters and digits only, so that none of them is an operator of a database. `minimum` is how
    many of the significant words a document must contain; 0 for every word.
    """

    words: tuple[tuple[str, ...], ...]
    last_is_prefix: bool
    marks: tuple[str, ...] = ()
    minimum: int = 0

    @property
    def significant(self) -> tuple[int, ...]:
        """Positions of the words that count for a partial match: neither of GRAMMAR nor twice."""
        last = {alternatives[0]: at for at, alternatives in enumerate(self.words)}
        chosen = sorted(at for word, at in last.items() if word not in GRAMMAR)
        return tuple(chosen or last.values())

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Positions of words: a document matches if it contains every word of one group."""
        if not self.minimum:
            return (tuple(range(len(self.words))),) if self.words else ()
        return tuple(combinations(self.significant, self.minimum))

    def looser(self) -> Iterator[TextQuery]:
        """The same text for partial matches, the nearest first: all significant words but one
        (or all, where there are others), then any of them."""
        count = len(self.significant)
        nearly_all = count if count < len(self.words) else count - 1
        for minimum in dict.fromkeys((nearly_all, 1)):
            if 0 < minimum < len(self.words):
                yield replace(self, minimum=minimum)

    @property
    def joined(self) -> str:
        """All words as one, for a text that lacks a hyphen or has one too many."""
        return "".join(alternatives[0] for alternatives in self.words)[:MAX_LETTERS]

    @property
    def joined_corrections(self) -> str:
        """The same with the nearest correction of each word."""
        return "".join(alternatives[:2][-1] for alternatives in self.words)[:MAX_LETTERS]


def parse(text: str) -> TextQuery:
    """The query for that text; one without words matches nothing."""
    typed = words(text)[:MAX_WORDS]
    last_is_prefix = bool(typed) and len(typed[-1]) >= MIN_PREFIX
    return TextQuery(tuple((word,) for word in typed), last_is_prefix)


def distance(a: str, b: str, maximum: int) -> int:
    """Letters left out, put in, replaced or swapped with the next; `maximum` + 1 for more.

    Source: optimal string alignment, the restricted Damerau-Levenshtein distance.
    """
    if abs(len(a) - len(b)) > maximum:
        return maximum + 1
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        before, last, row = row, before, [i]
        for j, other in enumerate(b, 1):
            cost = min(before[j] + 1, row[-1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
        if min(row) > maximum:
            return maximum + 1
    return row[-1]


def one_slip(word: str) -> set[str]:
    """The texts at distance 1, with letters of LETTERS and of the word."""
    letters = LETTERS | set(word)
    cuts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    texts = {before + after[1:] for before, after in cuts if after}
    texts |= {before + letter + after for before, after in cuts for letter in letters}
    texts |= {before + letter + after[1:] for before, after in cuts if after for letter in letters}
    texts |= {before + after[1] + after[0] + after[2:] for before, after in cuts if len(after) > 1}
    return texts - {word}


def corrections(word: str, vocabulary: Iterable[str]) -> tuple[str, ...]:
    """Those of the known words that `word` may be a misspelling of, nearest first.

    One slip in a short word, two from eight letters on; or the word is a part of theirs.
    """
    maximum = 0 if len(word) < MIN_CORRECTED else 1 if len(word) < 8 else 2
    distances = {}
    for candidate in vocabulary:
        slips = distance(word, candidate, maximum)
        if slips <= maximum:
            distances[candidate] = slips
        elif len(word) >= MIN_CORRECTED and word in candidate:
            distances[candidate] = maximum + 1
    return tuple(sorted(distances, key=lambda candidate: (distances[candidate], candidate))[:8])
