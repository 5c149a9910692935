"""One question to the catalogue: words and filters, an order, facets.

At most MOST matches are ranked, sorted or counted one by one. Where there are more, an order is
walked by its index, which meets that many soon enough: no question costs more because the hub
has grown.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import NamedTuple

from django.db.models import Exists, OuterRef

from registry.accounts.models import Owner, Token, User
from registry.accounts.permissions import Who
from registry.catalog.models import Environment, Tag
from registry.catalog.queries import (
    DocumentQuerySet,
    EnvironmentQuerySet,
    environments_visible_to,
)
from registry.catalog.search.engine import engine
from registry.catalog.search.facets import FACETS, Counted, Facet, count
from registry.catalog.search.models import SearchDocument
from registry.catalog.search.rank import HEAD, Head, rank
from registry.catalog.search.text import Query, meant, query

MOST = 500  # matches that are ranked, sorted and counted; of more, the most used ones
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
    counted: Counted


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
        documents = self._filtered(self.question)
        if self.question.narrows:
            asked, matches = self._answer
            if len(matches) <= MOST:
                return environments.filter(pk__in=[match.head.pk for match in matches])
            if self.question.words:
                documents = self._engine.matching(documents, asked)
        return environments.filter(Exists(documents.filter(pk=OuterRef("pk"))))

    def facets(self) -> list[Facet]:
        """Each facet's values among what all other filters leave."""
        names = [name for name in FACETS if name != "visibility" or self.question.mine]
        asked, matches = self._answer
        among = {self.question: matches}
        found = []
        for name in names:
            others = replace(self.question, **{name: ""})  # type: ignore[arg-type]  # never `mine`
            if others not in among:
                among[others] = self._read(others, asked)
            matches = among[others]
            found.append(
                count(
                    name,
                    [match.counted for match in matches[:MOST]],
                    chosen=getattr(self.question, name),
                    whole=len(matches) <= MOST,
                )
            )
        return found

    @cached_property
    def _answer(self) -> tuple[Query, list[Match]]:
        """The query with its matches; where nothing holds the words as they are written, one with
        words that may be meant."""
        asked = query(self.question.words)
        matches = self._read(self.question, asked)
        if matches or not asked.words:
            return asked, matches
        guessed = tuple(
            (word, *meant(word, self._engine.like(word, NEAR))) for (word,) in asked.words
        )
        asked = replace(asked, words=guessed)
        return asked, self._read(self.question, asked)

    def _read(self, question: Question, asked: Query) -> list[Match]:
        """All matches, or MOST of them and one, which says that there are more."""
        columns = (*HEAD, *Counted._fields)
        rows = self._foremost(question, asked).values_list(*columns)[: MOST + 1]
        return [Match(Head(*row[: len(HEAD)]), Counted(*row[len(HEAD) :])) for row in rows]

    def _foremost(
        self, question: Question, asked: Query, *, names: bool = False
    ) -> DocumentQuerySet:
        """What the question finds, to be asked for the first few."""
        documents = self._filtered(question)
        if not question.words:
            return documents
        if not asked.words:
            return documents.none()
        return self._engine.foremost(documents, asked, names=names)

    def _filtered(self, question: Question) -> DocumentQuerySet:
        documents = SearchDocument.objects.all()
        if question.mine and isinstance(self._who, User):
            visible = environments_visible_to(self._who, self._token)
            documents = documents.filter(environment__in=visible.belonging_to(self._who))
        else:
            documents = documents.listed_to(self._who, self._token)
        if question.owner:
            owner = Owner.objects.filter(name=question.owner)
            documents = documents.filter(owner_id__in=list(owner.values_list("pk", flat=True)))
        if question.tag:
            tag = Tag.objects.filter(name=question.tag).values_list("pk", flat=True)
            tagged = Environment.tags.through.objects.filter(tag_id__in=list(tag))
            documents = documents.filter(pk__in=tagged.values("environment_id"))
        for field in ("framework", "license", "visibility"):
            if value := getattr(question, field):
                documents = documents.filter(**{field: value})
        return documents
