"""How well a document matches a query: the same whole number on every database.

It depends on the document and the query alone. The ranks that databases offer (ts_rank, bm25)
read every match, and bm25 changes with each document that is added, which would shift the pages
behind cursors; see docs/decisions.
"""

from __future__ import annotations

from typing import NamedTuple

from registry.catalog.search.documents import steps
from registry.catalog.search.text import TextQuery

# The points of a word in each text: whole, and as the beginning of another.
WEIGHTS = {"name": (60, 40), "tags": (36, 20), "owner_name": (30, 16), "summary": (18, 12)}
README = 4
EXACT, BEGINS = 2000, 200  # a name that is the query, or begins with it
NAMED = 100  # a name that is one word of the query, or the correction of one
TIER = 10_000  # more than all of these together
MISSPELLED = 0.5
STEPS = 64  # of usage, which decide between equals


class RankedFields(NamedTuple):
    """The columns of a document that its rank depends on, as one row."""

    pk: int
    place: int
    name: str
    owner_name: str
    tags: str
    summary: str


RANKED_FIELDS = RankedFields._fields


def rank(document: RankedFields, query: TextQuery, tier: int) -> int:
    """Greater is better; the tier, greater for closer matches, decides before all else.

    A word that none of these texts contains is in the README where every word must match, and
    counts nothing in a partial match.
    """
    texts = {text: getattr(document, text).split() for text in WEIGHTS}
    minimum = 0 if query.minimum else README
    counted = query.significant if query.minimum else range(len(query.words))
    points = sum(
        max(
            _points(texts, word, query.last_is_prefix and at == len(query.words) - 1, minimum)
            * (1 if not number else MISSPELLED)
            for number, word in enumerate(query.words[at])
        )
        for at in counted
    )
    name, full = texts["name"][-1], texts["owner_name"][-1] + texts["name"][-1]
    if query.joined in (name, full):
        points += EXACT
    else:
        typed = (query.joined, query.joined_corrections)
        prefixes = [len(text) for text in typed if name.startswith(text)]
        points += BEGINS * max(prefixes, default=0) / len(name)
        points += NAMED * any(name in alternatives[:2] for alternatives in query.words)
    return (tier * TIER + round(points)) * STEPS + steps(document.place)


def _points(texts: dict[str, list[str]], word: str, is_prefix: bool, minimum: int) -> int:
    best = minimum
    for text, (full, beginning) in WEIGHTS.items():
        if full > best and word in texts[text]:
            best = full
        elif (
            is_prefix and beginning > best and any(other.startswith(word) for other in texts[text])
        ):
            best = beginning
    return best
