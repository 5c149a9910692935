"""Search results of the catalogue: by words and filters, in an order, with facets.

At most MAX_COUNTED matches are ranked or counted one by one, the most used ones, and at most
MAX_LISTED are sorted. Where there are more, an order is read along its index, which meets that many
soon enough: no search costs more because the hub has grown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import NamedTuple

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from envyard.contract.facets import FACETS, LEARNABLE_BANDS
from registry.accounts.models import Token, User
from registry.accounts.permissions import Actor
from registry.catalog.models import Environment, EnvironmentQuerySet
from registry.catalog.search.criteria import CatalogSearch
from registry.catalog.search.engine import engine
from registry.catalog.search.facets import (
    MAX_COUNTED,
    CountedFacet,
    catalogue_counts,
    count_marks,
    counted,
    counts_of_mark,
    keep,
    kept,
    mark,
)
from registry.catalog.search.models import DocumentQuerySet, SearchDocument
from registry.catalog.search.rank import (
    RANKED_FIELDS,
    RankedFields,
    best_first,
    highest_elsewhere,
)
from registry.catalog.search.text import TextQuery, corrections, parse

FEW_FRESH = 5000  # environments: reading as many costs what passing over the older of 100,000 does
MAX_LISTED = 2_000  # matches that are sorted by themselves; of more, an order's index finds a page
MAX_CANDIDATES = 40  # known words that a misspelled one is compared with
TIERS = 2  # of partial matches: see TextQuery.looser
RELEVANCE = "relevance"
# How lists of environments may be sorted, the last field unique; relevance needs words.
ORDERS = {
    "fresh": ("-fresh_at", "-pk"),
    "installs": ("-installs", "-pk"),
    "stars": ("-star_count", "-pk"),
    "learnability": ("-learnability", "-pk"),
    "name": ("name", "pk"),
}
SORTS = (RELEVANCE, *ORDERS)


class Match(NamedTuple):
    """A document, with the columns that rank and facets read."""

    fields: RankedFields
    marks: str


@dataclass(slots=True)
class Level:
    """A query and its matches: all of them, or MAX_COUNTED and one where there are more.

    Where that many have its word in their names, these are `named`, and the matches are None until
    `SearchResults` reads them.
    """

    query: TextQuery
    matches: list[Match] | None
    named: list[RankedFields]

    @property
    def count(self) -> int:
        """The number of matches, MAX_COUNTED and one for more."""
        return MAX_COUNTED + 1 if self.matches is None else len(self.matches)


class SearchResults:
    """The environments that match, as far as the actor may see them through this token.

    `by_relevance` adds partial matches behind those of all words; any other order would mix them,
    and has partial matches only where no document contains all words.
    """

    def __init__(
        self,
        search: CatalogSearch,
        actor: Actor,
        token: Token | None = None,
        *,
        by_relevance: bool = True,
    ) -> None:
        self.search, self._actor, self._token = search, actor, token
        self._by_relevance = by_relevance
        self._engine = engine(SearchDocument.objects.db)
        self._read_counts: dict[tuple[str, ...], Counter[str] | None] = {}

    def ranked(self) -> Iterator[tuple[int, int]]:
        """Rank and primary key of the best matches, best first, then newest first.

        Of more than MAX_COUNTED, those with the words in their names go first, then the most used.
        The latter are read where the former are exhausted: they decide on no first page.
        """
        seen: set[int] = set()
        for number, level in enumerate(self._levels):
            query, tier, named = level.query, TIERS - number, level.named[:MAX_COUNTED]
            seen.update(row.pk for row in level.named[MAX_COUNTED:])
            if level.matches is None:
                best = best_first(named, query, tier, above=highest_elsewhere(tier))
                yield from best
                seen.update(pk for _, pk in best)
            elif level.count > MAX_COUNTED and not named:
                rows = self._most_used(self.search, query, in_names=True)
                named = _fields(rows[:MAX_COUNTED])
            documents = {match.fields for match in self._matches(level)}.union(named)
            yield from best_first((row for row in documents if row.pk not in seen), query, tier)
            seen.update(row.pk for row in documents)

    def rows(self, *, sort: str = "") -> EnvironmentQuerySet:
        """All of them, to be sorted by one of ORDERS, `sort` if that is known."""
        environments = Environment.objects.for_list()
        band = LEARNABLE_BANDS.get(self.search.filters.get("learnable", ""))
        if band and sort == "learnability":  # else the index is read from its best environment on
            environments = environments.filter(learnability__range=band)
        if self.search.within:
            environments = environments.filter(fresh_at__gte=self._since)
        documents = self._listed()
        if self.search.marks and self._stored(self.search) is not None:
            documents = self._engine.matching(documents, self._marked)
        elif self.search.is_narrowed and not self._begins_the_order(sort):
            if (keys := self._few_keys()) is not None:
                return environments.filter(pk__in=keys)
            query = self._levels[-1].query if self.search.words else self._marked
            documents = self._engine.matching(documents, query)
        return environments.filter(Exists(documents.filter(pk=OuterRef("pk"))))

    def _begins_the_order(self, sort: str) -> bool:
        """The matches are the first rows of the order, as it is by the days alone."""
        narrowed_otherwise = self.search.words or self.search.marks or self.search.mine
        return sort == "fresh" and not narrowed_otherwise

    def _few_keys(self) -> list[int] | None:
        """The keys of all matches where they are few: the whole order may hold few of them near its
        beginning. None for many, which a web process remembers of the searches of strangers."""
        if self._is_public and kept(self.search, "many"):
            return None
        level = self._levels[-1]
        if level.count <= MAX_COUNTED:
            return [match.fields.pk for match in self._matches(level)]
        documents = self._most_used(self.search, level.query)  # `matching` may read all documents
        keys = [*documents.values_list("pk", flat=True)[: MAX_LISTED + 1]]
        if len(keys) <= MAX_LISTED:
            return keys
        if self._is_public:
            keep(self.search, "many", True)
        return None

    def facets(self) -> list[CountedFacet]:
        """The values of each facet among the matches of all other filters."""
        facets: list[CountedFacet] = []
        counts_of: dict[tuple[str, ...], tuple[Counter[str], bool]] = {}
        for name, facet in FACETS.items():
            if facet.mine_only and not self.search.mine:
                continue
            other_filters = self.search.without(name)
            if other_filters.marks not in counts_of:
                counts_of[other_filters.marks] = self._counts(other_filters)
            counts, complete = counts_of[other_filters.marks]
            chosen = self.search.filters.get(name, "")
            if chosen and mark(facet, chosen) not in counts:  # not among those that are stored
                counts = counts + Counter({mark(facet, chosen): self._levels[-1].count})
            facets.append(counted(facet, counts, chosen=chosen, complete=complete))
        return facets

    def _counts(self, search: CatalogSearch) -> tuple[Counter[str], bool]:
        """The number of matches with each mark, and whether all matches were counted."""
        stored = self._stored(search)
        if stored is not None:
            private = SearchDocument.objects.private_to(self._actor, self._token)
            if search.marks:
                only = replace(parse(""), marks=search.marks)
                private = self._engine.matching(private, only)
            marks = list(private.values_list("marks", flat=True)[: MAX_COUNTED + 1])
            return stored + count_marks(marks[:MAX_COUNTED]), len(marks) <= MAX_COUNTED
        if self._is_public and (counts := kept(search, "counts")):
            return counts, False
        if search.marks == self.search.marks:
            marks = [match.marks for match in self._matches(self._levels[-1])]
        else:
            query = replace(
                self._levels[-1].query if search.words else parse(""), marks=search.marks
            )
            rows = self._most_used(search, query).values_list("marks", flat=True)
            marks = [*rows[: MAX_COUNTED + 1]]
        counts, complete = count_marks(marks[:MAX_COUNTED]), len(marks) <= MAX_COUNTED
        if self._is_public and not complete:
            keep(search, "counts", counts)
        return counts, complete

    def _stored(self, search: CatalogSearch) -> Counter[str] | None:
        """What `facets.recount` counted of the public matches: of the whole catalogue, and of one
        frequent filter; None for any other search."""
        if search.words or search.mine or search.within or len(search.marks) > 1:
            return None
        if search.marks not in self._read_counts:
            self._read_counts[search.marks] = (
                counts_of_mark(search.marks[0]) if search.marks else catalogue_counts()
            )
        return self._read_counts[search.marks]

    @cached_property
    def _levels(self) -> list[Level]:
        """The closest matches, then partial ones, each level with all of those before it.

        Where nothing contains all words as they are written, words that nothing contains at all
        are treated as misspelled. A level of more than MAX_COUNTED matches is the last one.
        """
        query = replace(parse(self.search.words), marks=self.search.marks)
        levels = [self._read(query)]
        if not levels[0].count and query.words:
            query = replace(query, words=tuple(self._corrected(query)))
            levels = [self._read(query)]
        for looser in query.looser():
            if levels[-1].count > MAX_COUNTED:
                break
            if levels[-1].count and not self._by_relevance:
                break
            levels.append(self._read(looser))
        return levels

    def _corrected(self, query: TextQuery) -> Iterator[tuple[str, ...]]:
        """The alternatives of each word: itself, and similar words if no document that the actor
        may see contains it."""
        for at, (word,) in enumerate(query.words):
            is_prefix = query.last_is_prefix and at == len(query.words) - 1
            alone = TextQuery(((word,),), is_prefix, query.marks)
            matches = self._most_used(self.search, alone).values_list("pk")[:1]
            if len(query.words) > 1 and matches:
                yield (word,)
            else:
                candidates = self._engine.similar_words(word, MAX_CANDIDATES)
                yield (word, *corrections(word, candidates))

    def _read(self, query: TextQuery) -> Level:
        if named := self._frequent(query):
            return Level(query, None, named)
        level = Level(query, None, [])
        self._matches(level)
        return level

    def _frequent(self, query: TextQuery) -> list[RankedFields]:
        """More than MAX_COUNTED matches with the query's only word in their names, where an index
        has them; of a corrected word, as it was written no document has it."""
        if len(query.words) != 1 or not query.last_is_prefix:
            return []
        (alternatives,) = query.words
        written = replace(query, words=(alternatives[1:] or alternatives,))
        documents = self._engine.frequent(self._visible(), written)
        rows = [] if documents is None else _fields(documents[: MAX_COUNTED + 1])
        return rows if len(rows) > MAX_COUNTED else []

    def _matches(self, level: Level) -> list[Match]:
        """The matches of the level, read where they are needed for the first time."""
        if level.matches is None:
            documents = self._most_used(self.search, level.query)
            rows = documents.values_list(*RANKED_FIELDS, "marks")[: MAX_COUNTED + 1]
            level.matches = [Match(RankedFields(*row[:-1]), row[-1]) for row in rows]
        return level.matches

    def _most_used(
        self, search: CatalogSearch, query: TextQuery, *, in_names: bool = False
    ) -> DocumentQuerySet:
        """The matches, most used first; slice it."""
        documents = self._visible()
        if search.words and not query.words:
            return documents.none()
        return self._engine.most_used(documents, query, in_names=in_names)

    def _visible(self) -> DocumentQuerySet:
        documents = self._listed()
        return documents.filter(self._is_fresh) if self.search.within else documents

    def _listed(self) -> DocumentQuerySet:
        """Those that the actor may see, listed within any number of days."""
        documents = SearchDocument.objects.all()
        if self.search.mine and isinstance(self._actor, User):
            visible = Environment.objects.visible_to(self._actor, self._token)
            return documents.filter(environment__in=visible.belonging_to(self._actor))
        return documents.listed_to(self._actor, self._token)

    @cached_property
    def _is_fresh(self) -> Q:
        """Whether a document's environment was listed within the days. Few such environments are
        read first; of many, each document's own is looked up until enough are found."""
        fresh = Environment.objects.filter(fresh_at__gte=self._since)
        if fresh[: FEW_FRESH + 1].count() <= FEW_FRESH:
            return Q(pk__in=fresh.values("pk"))
        return Q(Exists(fresh.filter(pk=OuterRef("pk"))))

    @cached_property
    def _since(self) -> datetime:
        return timezone.now() - timedelta(days=self.search.within)

    @cached_property
    def _marked(self) -> TextQuery:
        """The filters without the words."""
        return replace(parse(""), marks=self.search.marks)

    @property
    def _is_public(self) -> bool:
        """The actor sees public environments alone."""
        return not isinstance(self._actor, User)


def _fields(documents: DocumentQuerySet) -> list[RankedFields]:
    return [*map(RankedFields._make, documents.values_list(*RANKED_FIELDS))]
