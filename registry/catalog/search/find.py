"""One question to the catalogue: words and filters, an order, facets.

At most MOST matches are ranked, sorted or counted one by one, the most used ones. Where there are
more, an order is walked by its index, which meets that many soon enough: no question costs more
because the hub has grown.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import NamedTuple

from django.db.models import Exists, OuterRef

from registry.accounts.models import Token, User
from registry.accounts.permissions import Who
from registry.catalog.models import Environment
from registry.catalog.queries import (
    DocumentQuerySet,
    EnvironmentQuerySet,
    environments_visible_to,
)
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
from registry.catalog.search.models import SearchDocument
from registry.catalog.search.rank import HEAD, Head, rank
from registry.catalog.search.text import Query, meant, query

NEAR = 40  # known words that a misspelled one is compared with
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


class Found:
    """What a question finds for this person through this token."""

    def __init__(self, question: Question, who: Who, token: Token | None = None) -> None:
        self.question, self._who, self._token = question, who, token
        self._engine = engine(SearchDocument.objects.db)

    def ranked(self) -> list[tuple[int, int]]:
        """Rank and number of the best matches, best first, then newest first.

        Of more than MOST, those with the words in their names go before, then the most used ones.
        """
        asked, matches = self._answer
        heads = {match.head for match in matches}
        if len(heads) > MOST:
            named = self._foremost(self.question, asked, names=True).values_list(*HEAD)[:MOST]
            heads.update(map(Head._make, named))
        return sorted(((rank(head, asked), head.pk) for head in heads), reverse=True)

    def rows(self) -> EnvironmentQuerySet:
        """All of them, to be sorted by one of ORDERS."""
        environments = Environment.objects.for_summary()
        documents = self._visible()
        if self.question.narrows:
            asked, matches = self._answer
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
            marks = [match.marks for match in self._answer[1]]
        else:
            asked = replace(self._answer[0], marks=_marks(question))
            rows = self._foremost(question, asked).values_list("marks", flat=True)
            marks = list(rows[: MOST + 1])
        return (known or Counter()) + counted(marks[:MOST]), len(marks) <= MOST

    @cached_property
    def _answer(self) -> tuple[Query, list[Match]]:
        """The query with its matches; where nothing holds the words as they are written, one with
        words that may be meant."""
        asked = replace(query(self.question.words), marks=_marks(self.question))
        matches = self._read(asked)
        if matches or not asked.words:
            return asked, matches
        guessed = tuple(
            (word, *meant(word, self._engine.like(word, NEAR))) for (word,) in asked.words
        )
        asked = replace(asked, words=guessed)
        return asked, self._read(asked)

    def _read(self, asked: Query) -> list[Match]:
        """All matches, or MOST of them and one, which says that there are more."""
        rows = self._foremost(self.question, asked).values_list(*HEAD, "marks")[: MOST + 1]
        return [Match(Head(*row[:-1]), row[-1]) for row in rows]

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
            visible = environments_visible_to(self._who, self._token)
            return documents.filter(environment__in=visible.belonging_to(self._who))
        return documents.listed_to(self._who, self._token)


def _marks(question: Question) -> tuple[str, ...]:
    return tuple(mark(name, value) for name in FACETS if (value := getattr(question, name)))
