"""How well a document matches a query: the same whole number on every database.

It depends on the document and the query alone. The ranks that databases offer (ts_rank, bm25)
read every match, and bm25 changes with each document that is added, which would shift the pages
behind cursors; see docs/decisions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from registry.catalog.search.documents import steps
from registry.catalog.search.text import TextQuery

# The points of a word in each text: whole, and as the beginning of another.
WEIGHTS = {"name": (60, 40), "owner_name": (30, 16), "tags": (36, 20), "summary": (18, 12)}
README = 4
EXACT, BEGINS = 2000, 200  # a name that is the query, or begins with it
NAMED = 100  # a name that is one word of the query, or the correction of one
TIER = 10_000  # more than all of these together
MISSPELLED = 0.5
STEPS = 64  # of usage, which decide between equals
HIGHEST_ELSEWHERE = 18  # points of a word that name, owner and tags lack: those of the summary


class RankedFields(NamedTuple):
    """The columns of a document that its rank depends on, as one row."""

    pk: int
    place: int
    name: str
    owner_name: str
    tags: str
    summary: str

    @property
    def texts(self) -> tuple[str, ...]:
        """Those that the query's words are looked for in, in the order of WEIGHTS."""
        return self.name, self.owner_name, self.tags, self.summary


RANKED_FIELDS = RankedFields._fields
POINTS = tuple(WEIGHTS.values())


class _Word(NamedTuple):
    """An alternative of a word of the query: with a space before it, as in texts where a space
    precedes and follows every word, and the factor of its points."""

    start: str
    is_prefix: bool
    factor: float


def ranks(documents: Iterable[RankedFields], query: TextQuery, tier: int) -> Iterator[int]:
    """The rank of each document, greater for better matches; the tier, greater for closer matches,
    decides before all else.

    A word that none of these texts contains is in the README where every word must match, and
    counts nothing in a partial match.
    """
    counted = query.significant if query.minimum else range(len(query.words))
    words = [list(_alternatives(query, at)) for at in counted]
    minimum = 0 if query.minimum else README
    typed = (query.joined, query.joined_corrections)
    named = {word for alternatives in query.words for word in alternatives[:2]}
    for document in documents:  # hundreds a search: generators would take twice as long
        texts = [f" {text} " for text in document.texts]
        points = _points_of_name(document, typed, named)
        for alternatives in words:
            best = 0.0
            for word in alternatives:
                best = max(best, _points(texts, word, minimum) * word.factor)
            points += best
        yield (tier * TIER + round(points)) * STEPS + steps(document.place)


def best_first(
    documents: Iterable[RankedFields], query: TextQuery, tier: int, *, above: int = -1
) -> list[tuple[int, int]]:
    """Rank and primary key of the documents with a rank greater than `above`, best first, then
    newest first."""
    rows = [*documents]
    pairs = zip(ranks(rows, query, tier), (row.pk for row in rows), strict=True)
    return sorted((pair for pair in pairs if pair[0] > above), reverse=True)


def highest_elsewhere(tier: int) -> int:
    """The highest rank in that tier of a document that has a query's only word, but neither in its
    name nor in owner and tags."""
    return (tier * TIER + HIGHEST_ELSEWHERE) * STEPS + STEPS - 1


def _alternatives(query: TextQuery, at: int) -> Iterator[_Word]:
    is_prefix = query.last_is_prefix and at == len(query.words) - 1
    for number, word in enumerate(query.words[at]):
        yield _Word(f" {word}", is_prefix, MISSPELLED if number else 1)


def _points(texts: Sequence[str], word: _Word, minimum: int) -> int:
    """Those of the word's best place."""
    best, start, whole = minimum, word.start, f"{word.start} "
    for text, (full, beginning) in zip(texts, POINTS, strict=True):
        if start in text:
            if full > best and whole in text:
                best = full
            elif beginning > best and word.is_prefix:
                best = beginning
    return best


def _points_of_name(document: RankedFields, typed: tuple[str, str], named: set[str]) -> float:
    """Those of a name that is the query, begins with it, or is one of its words."""
    name = document.name.rpartition(" ")[2]
    owner = document.owner_name.rpartition(" ")[2]
    if typed[0] in (name, owner + name):
        return EXACT
    points = NAMED if name in named else 0.0
    if name.startswith(typed):
        longest = max(len(text) for text in typed if name.startswith(text))
        points += BEGINS * longest / len(name)
    return points
