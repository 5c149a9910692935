"""The values by which what is found can be narrowed, each with how many it would leave.

A document holds each of its values as a mark: one word that no text of it holds, so that the
index of words narrows as well, and that can be read again once it was counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from django.core.cache import cache

from registry.catalog.search.models import SearchDocument

FACETS = ("framework", "tag", "owner", "license", "visibility")  # told apart by first letters
MOST_VALUES = 20
MOST = 500  # matches that are counted one by one; of more, the most used ones
KEPT = "search.facets"  # in the cache: what `recount` counted


@dataclass(frozen=True, slots=True)
class Value:
    """One value; what it would leave is `count`, or more where the facet is not whole."""

    value: str
    count: int
    chosen: bool


@dataclass(frozen=True, slots=True)
class Facet:
    """A facet's most frequent values; `whole` where all matches were counted."""

    name: str
    values: tuple[Value, ...]
    whole: bool


def mark(facet: str, value: str) -> str:
    """The value as a word; words of texts hold letters and digits alone."""
    return f"={facet[0]}{value.encode().hex()}"


def counted(marks: Iterable[str]) -> Counter[str]:
    """How many of the documents hold each mark; they are given by their column."""
    return Counter(mark for held in marks for mark in held.split())


def facet(name: str, counts: Counter[str], *, chosen: str, whole: bool) -> Facet:
    """That facet of what was counted."""
    own = {m: count for m, count in counts.items() if m[1] == name[0]}
    most = sorted(own, key=lambda m: (-own[m], m))[:MOST_VALUES]
    if chosen and (asked := mark(name, chosen)) not in most:
        most.append(asked)
    values = ((bytes.fromhex(m[2:]).decode(), own.get(m, 0)) for m in most)
    return Facet(name, tuple(Value(v, n, v == chosen) for v, n in values), whole)


def recount() -> None:
    """Count the public catalogue to its end, where a question would not (beat).

    Values are kept that are shown or that a question cannot count.
    """
    public = SearchDocument.objects.filter(listed=True, visibility="public")
    if public.count() <= MOST:
        cache.delete(KEPT)
        return
    counts = counted(public.values_list("marks", flat=True).iterator())
    shown = {
        mark(name, value.value)
        for name in FACETS
        for value in facet(name, counts, chosen="", whole=True).values
    }
    kept = {m: count for m, count in counts.items() if m in shown or count > MOST}
    cache.set(KEPT, kept, timeout=None)


def whole_catalogue() -> Counter[str] | None:
    """What `recount` kept; None where there is nothing, or too little to need it."""
    kept = cache.get(KEPT)
    return None if kept is None else Counter(kept)
