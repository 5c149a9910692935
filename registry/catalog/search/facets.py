"""Count the values of facets among search results, or of the whole catalogue.

A search document holds each value as a mark: one word that no text contains, so that the index of
words filters by it as well. A counted mark is read back into facet and value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.core.cache import cache, caches

from envyard.contract.facets import FACETS, Facet
from registry.catalog.search.models import SearchDocument

MAX_VALUES = 20
MAX_COUNTED = 500  # matches that are counted one by one; of more, the most used ones
CACHE_KEY = "search.facets"  # the counts of `recount`
KEPT_SECONDS = 300  # that a web process keeps lower bounds of counts, as often as beat recounts
local = caches["local"]


@dataclass(frozen=True, slots=True)
class FacetValue:
    """One value; `count` matches have it, or more where the facet is not `complete`."""

    value: str
    count: int
    chosen: bool


@dataclass(frozen=True, slots=True)
class CountedFacet:
    """The most frequent values of a facet; `complete` where all matches were counted."""

    facet: Facet
    values: tuple[FacetValue, ...]
    complete: bool


def mark(facet: Facet, value: str) -> str:
    """The value as one word; words of texts contain letters and digits only."""
    return f"={facet.key}{value.encode().hex()}"


def marks_of(environment: Any) -> Iterator[str]:
    """The marks of an environment with owner, latest version and tags loaded."""
    for facet in FACETS.values():
        for value in sorted(_read(environment, facet.column)):
            yield mark(facet, value)


def _read(row: Any, column: str) -> Iterator[str]:
    """The values at that Django lookup, related rows included; none for empty ones."""
    name, _, remainder = column.partition("__")
    value: Any = row.get(name) if isinstance(row, dict) else getattr(row, name)
    if hasattr(value, "all"):
        for related in value.all():
            yield from _read(related, remainder)
    elif remainder and value is not None:
        yield from _read(value, remainder)
    elif isinstance(value, list):
        yield from map(str, value)
    elif value:
        yield str(value)


def count_marks(columns: Iterable[str]) -> Counter[str]:
    """The number of documents with each mark; documents are given by their `marks` column."""
    counts: Counter[str] = Counter()
    for column in columns:
        counts.update(column.split())
    return counts


def counted(
    facet: Facet, counts: Counter[str], *, chosen: str = "", complete: bool
) -> CountedFacet:
    """That facet's share of the counts, most frequent values first, always with the chosen one."""
    prefix = mark(facet, "")
    facet_counts = {mark: count for mark, count in counts.items() if mark.startswith(prefix)}
    frequent = sorted(facet_counts, key=lambda mark: (-facet_counts[mark], mark))[:MAX_VALUES]
    if chosen and (chosen_mark := mark(facet, chosen)) not in frequent:
        frequent.append(chosen_mark)
    values = tuple(
        FacetValue(value, facet_counts.get(mark, 0), value == chosen)
        for mark in frequent
        for value in (bytes.fromhex(mark.removeprefix(prefix)).decode(),)
    )
    return CountedFacet(facet, values, complete)


def recount() -> None:
    """Count the whole public catalogue, and the environments of each frequent mark; celery beat
    runs it, because a search counts MAX_COUNTED matches at most.

    Kept are values that are shown or that are too many for a search to count.
    """
    public = SearchDocument.objects.filter(listed=True, visibility="public")
    if public.count() <= MAX_COUNTED:
        cache.delete(CACHE_KEY)
        return
    columns = public.values_list("marks", flat=True)
    counts = count_marks(columns.iterator())
    frequent: dict[str, Counter[str]] = {
        mark: Counter() for mark, count in counts.items() if count > MAX_COUNTED
    }
    for column in columns.iterator():
        marks = column.split()
        for mark in marks:
            if mark in frequent:
                frequent[mark].update(marks)
    stored = {_key_of(mark): _kept(of_mark) for mark, of_mark in frequent.items()}
    cache.set_many(stored, timeout=None)
    cache.set(CACHE_KEY, _kept(counts), timeout=None)


def _kept(counts: Counter[str]) -> dict[str, int]:
    shown_marks = {
        mark(facet, value.value)
        for facet in FACETS.values()
        for value in counted(facet, counts, complete=True).values
    }
    return {m: count for m, count in counts.items() if m in shown_marks or count > MAX_COUNTED}


def keep(search: object, what: str, value: Any) -> None:
    """Keep what was found of many public matches of the search in this web process."""
    local.set(_local_key(search, what), value, KEPT_SECONDS)


def kept(search: object, what: str) -> Any:
    """What `keep` got under these names; None where nothing is kept."""
    return local.get(_local_key(search, what))


def _local_key(search: object, what: str) -> str:
    return f"{CACHE_KEY}.{what}.{sha256(repr(search).encode()).hexdigest()}"


def _key_of(mark: str) -> str:
    """A value can be longer than a key of the cache may be."""
    return f"{CACHE_KEY}.{sha256(mark.encode()).hexdigest()[:32]}"


def catalogue_counts() -> Counter[str] | None:
    """The counts of `recount`; None where there are none, or the catalogue is too small."""
    stored = cache.get(CACHE_KEY)
    return None if stored is None else Counter(stored)


def counts_of_mark(mark: str) -> Counter[str] | None:
    """Those of the environments with that mark; None where they are few enough to be counted."""
    stored = cache.get_many([CACHE_KEY, _key_of(mark)])
    if stored.get(CACHE_KEY, {}).get(mark, 0) <= MAX_COUNTED:
        return None
    counts = stored.get(_key_of(mark))
    return None if counts is None else Counter(counts)
