"""How well a document answers a question: the same whole number on every database.

It depends on the document and the question alone. The ranks that databases offer (ts_rank, bm25)
have to look at every match, and bm25 changes with each document that comes, which cursors must
not notice; see docs/decisions.
"""

from __future__ import annotations

from typing import NamedTuple

from registry.catalog.search.documents import steps
from registry.catalog.search.text import Query

# What a word counts in each text: whole, and as the beginning of another.
WEIGHTS = {"name": (60, 40), "tags": (36, 20), "owner_name": (30, 16), "summary": (18, 12)}
README = 4
EXACT, BEGINS = 2000, 200  # a name that is the question, or begins with it
NAMED = 100  # a name that is one word of the question, or what it was taken for
TIER = 10_000  # more than all of these together
MISSPELLED = 0.5
STEPS = 64  # of use, which decide between equals


class Head(NamedTuple):
    """What a document's rank depends on, read from the database as one row."""

    pk: int
    place: int
    name: str
    owner_name: str
    tags: str
    summary: str


HEAD = Head._fields


def rank(head: Head, query: Query, tier: int) -> int:
    """Greater is better; the tier, greater for closer matches, decides before all else.

    A word that none of these texts holds stands in the README where every word must match, and
    counts nothing in a partial match.
    """
    texts = {text: getattr(head, text).split() for text in WEIGHTS}
    least = 0 if query.least else README
    counted = query.significant if query.least else range(len(query.words))
    points = sum(
        max(
            _points(texts, word, query.open and at == len(query.words) - 1, least)
            * (1 if not nth else MISSPELLED)
            for nth, word in enumerate(query.words[at])
        )
        for at in counted
    )
    name, full = texts["name"][-1], texts["owner_name"][-1] + texts["name"][-1]
    if query.joined in (name, full):
        points += EXACT
    else:
        begun = [len(said) for said in (query.joined, query.guessed) if name.startswith(said)]
        points += BEGINS * max(begun, default=0) / len(name)
        points += NAMED * any(name in alternatives[:2] for alternatives in query.words)
    return (tier * TIER + round(points)) * STEPS + steps(head.place)


def _points(texts: dict[str, list[str]], word: str, is_open: bool, least: int) -> int:
    best = least
    for text, (whole, beginning) in WEIGHTS.items():
        if whole > best and word in texts[text]:
            best = whole
        elif is_open and beginning > best and any(o.startswith(word) for o in texts[text]):
            best = beginning
    return best
