"""One question to the catalogue: words and filters, an order, facets.

At most MOST matches are ranked, sorted or counted one by one, the most used ones. Where there are
more, an order is walked by its index, which meets that many soon enough: no question costs more
because the hub has grown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import NamedTuple

from django.db.models import Exists, OuterRef

from registry.accounts.models import Token, User
from registry.accounts.permissions import Actor
from registry.catalog.models import Environment, EnvironmentQuerySet
from registry.catalog.search.engine import engine
from registry.catalog.search.facets import (
    FACETS,
    MOST,
    Facet,
    counted,
    facet,
    mark,
    whole_catalogue,
)
from registry.catalog.search.models import DocumentQuerySet, SearchDocument
from registry.catalog.search.rank import HEAD, Head, rank
from registry.catalog.search.text import Query, meant, query

NEAR = 40  # known words that a misspelled one is compared with
TIERS = 2  # of partial matches: see Query.looser
RELEVANCE = "relevance"
# How lists of environments may be sorted, the last field unique; relevance needs words.
ORDERS = {
    "fresh": ("-fresh_at", "-pk"),
    "installs": ("-installs", "-pk"),
    "stars": ("-star_count", "-pk"),
    "name": ("name", "pk"),
}
SORTS = (RELEVANCE, *ORDERS)


@dataclass(frozen=True, slots=True)
class Question:
    """What somebody looks for; an empty text means anything.

    `mine` is what the person belongs to, listed or not, in place of the catalogue.
    """

    words: str = ""
    framework: str = ""
    tag: str = ""
    owner: str = ""
    license: str = ""
    visibility: str = ""
    mine: bool = False

    @property
    def narrows(self) -> bool:
        """It asks for anything."""
        return any(getattr(self, field.name) for field in fields(self))


class Match(NamedTuple):
    """A document, as rank and facets read it."""

    head: Head
    marks: str


class Level(NamedTuple):
    """A query and its matches: all of them, or MOST and one where there are more."""

    query: Query
    matches: list[Match]


class Found:
    """What a question finds for this person through this token.

    `by_relevance` adds partial matches behind those of all words; any other order would mix them,
    and has partial matches only where no document holds all words.
    """

    def __init__(
        self,
        question: Question,
        who: Actor,
        token: Token | None = None,
        *,
        by_relevance: bool = True,
    ) -> None:
        self.question, self._who, self._token = question, who, token
        self._by_relevance = by_relevance
        self._engine = engine(SearchDocument.objects.db)

    def ranked(self) -> list[tuple[int, int]]:
        """Rank and number of the best matches, best first, then newest first.

        Of more than MOST, those with the words in their names go before, then the most used ones.
        """
        ranks: dict[int, int] = {}
        for nth, (asked, matches) in enumerate(self._levels):
            heads = {match.head for match in matches}
            if len(heads) > MOST:
                named = self._foremost(self.question, asked, names=True).values_list(*HEAD)[:MOST]
                heads.update(map(Head._make, named))
            for head in heads:
                if head.pk not in ranks:
                    ranks[head.pk] = rank(head, asked, TIERS - nth)
        return sorted(((rank, pk) for pk, rank in ranks.items()), reverse=True)

    def rows(self) -> EnvironmentQuerySet:
        """All of them, to be sorted by one of ORDERS."""
        environments = Environment.objects.for_summary()
        documents = self._visible()
        if self.question.narrows:
            asked, matches = self._levels[-1]
            if len(matches) <= MOST:
                return environments.filter(pk__in=[match.head.pk for match in matches])
            documents = self._engine.matching(documents, asked)
        return environments.filter(Exists(documents.filter(pk=OuterRef("pk"))))

    def facets(self) -> list[Facet]:
        """Each facet's values among what all other filters leave."""
        found: list[Facet] = []
        among: dict[Question, tuple[Counter[str], bool]] = {}
        for name in FACETS:
            if name == "visibility" and not self.question.mine:
                continue
            chosen = getattr(self.question, name)
            others = replace(self.question, **{name: ""})  # type: ignore[arg-type]  # never `mine`
            if others not in among:
                among[others] = self._counts(others)
            counts, whole = among[others]
            found.append(facet(name, counts, chosen=chosen, whole=whole))
        return found

    def _counts(self, question: Question) -> tuple[Counter[str], bool]:
        """How many of what it finds hold each mark, and whether all were counted."""
        known = None if question.narrows else whole_catalogue()
        if known is not None:
            private = SearchDocument.objects.private_to(self._who, self._token)
            marks = list(private.values_list("marks", flat=True)[: MOST + 1])
        elif question == self.question:
            marks = [match.marks for match in self._levels[-1].matches]
        else:
            asked = replace(self._levels[-1].query, marks=_marks(question))
            rows = self._foremost(question, asked).values_list("marks", flat=True)
            marks = list(rows[: MOST + 1])
        return (known or Counter()) + counted(marks[:MOST]), len(marks) <= MOST

    @cached_property
    def _levels(self) -> list[Level]:
        """The closest matches, then partial ones, each level with all of those before it.

        Where nothing holds all words as they are written, words that nothing holds at all are
        taken for misspelled. A level of more than MOST matches is the last one.
        """
        asked = replace(query(self.question.words), marks=_marks(self.question))
        levels = [self._read(asked)]
        if not levels[0].matches and asked.words:
            asked = replace(asked, words=tuple(self._guessed(asked)))
            levels = [self._read(asked)]
        for looser in asked.looser():
            if len(levels[-1].matches) > MOST:
                break
            if levels[-1].matches and not self._by_relevance:
                break
            levels.append(self._read(looser))
        return levels

    def _guessed(self, asked: Query) -> Iterator[tuple[str, ...]]:
        """For each word what may stand for it: itself, and words like it if no document that this
        person may see holds it."""
        for at, (word,) in enumerate(asked.words):
            is_open = asked.open and at == len(asked.words) - 1
            alone = Query(((word,),), is_open, asked.marks)
            held = self._foremost(self.question, alone).values_list("pk")[:1]
            if len(asked.words) > 1 and held:
                yield (word,)
            else:
                yield (word, *meant(word, self._engine.like(word, NEAR)))

    def _read(self, asked: Query) -> Level:
        rows = self._foremost(self.question, asked).values_list(*HEAD, "marks")[: MOST + 1]
        return Level(asked, [Match(Head(*row[:-1]), row[-1]) for row in rows])

    def _foremost(
        self, question: Question, asked: Query, *, names: bool = False
    ) -> DocumentQuerySet:
        """What the question finds, to be asked for the first few."""
        documents = self._visible()
        if question.words and not asked.words:
            return documents.none()
        return self._engine.foremost(documents, asked, names=names)

    def _visible(self) -> DocumentQuerySet:
        documents = SearchDocument.objects.all()
        if self.question.mine and isinstance(self._who, User):
            visible = Environment.objects.visible_to(self._who, self._token)
            return documents.filter(environment__in=visible.belonging_to(self._who))
        return documents.listed_to(self._who, self._token)


def _marks(question: Question) -> tuple[str, ...]:
    return tuple(mark(name, value) for name in FACETS if (value := getattr(question, name)))
