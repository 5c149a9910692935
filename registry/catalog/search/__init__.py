"""Search over name, owner, tags, summary and README; every word must occur somewhere.

PostgreSQL matches words and their beginnings with its full-text search; SQLite matches parts of
words with LIKE. Both weigh the fields alike, so that the order of results is much the same.
"""

from __future__ import annotations

import re

from django.contrib.postgres.search import SearchQuery, SearchRank, SearchVector
from django.db import connections
from django.db.models import (
    Case,
    Exists,
    F,
    FloatField,
    IntegerField,
    OuterRef,
    Q,
    TextField,
    Value,
    When,
)
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Coalesce, Left, Round

from registry.catalog.models import Tag
from registry.catalog.queries import EnvironmentQuerySet

MOST_WORDS, LONGEST_WORD = 12, 200  # PostgreSQL refuses words above 2 KiB
README = 200_000  # characters; PostgreSQL refuses vectors above 1 MiB
# How lists of environments may be sorted, the last field unique; `relevance` needs a search.
ORDERS = {
    "relevance": ("-rank", "pk"),
    "fresh": ("-fresh_at", "-pk"),
    "name": ("name", "owner__name", "pk"),
    "installs": ("-installs", "-pk"),
    "stars": ("-star_count", "-pk"),
}
WORD = re.compile(r"[^\W_]+")


def search(queryset: EnvironmentQuerySet, words: str) -> EnvironmentQuerySet:
    """The environments that hold every word, each with a whole number `rank`; best first.

    Words are runs of letters and digits, so no character of the query means anything to the
    database. A query without any word finds nothing.
    """
    wanted = [word.lower()[:LONGEST_WORD] for word in WORD.findall(words)][:MOST_WORDS]
    if not wanted:
        return queryset.none().annotate(rank=Value(0))
    postgres = connections[queryset.db].vendor == "postgresql"
    found = _full_text(queryset, wanted) if postgres else _like(queryset, wanted)
    return found.order_by(*ORDERS["relevance"])


def _full_text(queryset: EnvironmentQuerySet, wanted: list[str]) -> EnvironmentQuerySet:
    """`simple` neither stems nor drops words: what is written is what is found."""
    keywords = Cast(F("latest__keywords"), TextField())
    vector = (
        SearchVector("name", "owner__name", weight="A", config="simple")
        + SearchVector(keywords, weight="B", config="simple")
        + SearchVector("summary", weight="C", config="simple")
        + SearchVector(Left("latest__readme", README), weight="D", config="simple")
    )
    query = SearchQuery(
        " & ".join(f"{word}:*" for word in wanted), search_type="raw", config="simple"
    )
    rank = SearchRank(vector, query, weights=Value([0.1, 0.4, 0.6, 1.0]))
    return queryset.annotate(
        vector=vector, rank=Cast(Round(Cast(rank, FloatField()) * 1_000_000), IntegerField())
    ).filter(vector=query)


def _like(queryset: EnvironmentQuerySet, wanted: list[str]) -> EnvironmentQuerySet:
    rank: Combinable = Value(0)
    for word in wanted:
        tagged = Exists(Tag.objects.filter(environments=OuterRef("pk"), name__icontains=word))
        fields = (
            (Q(name__iexact=word), 6),
            (Q(name__icontains=word), 10),
            (Q(owner__name__icontains=word), 8),
            (Q(tagged), 6),
            (Q(summary__icontains=word), 4),
            (Q(latest__readme__icontains=word), 1),
        )
        anywhere = Q()
        for where, weight in fields:
            anywhere |= where
            rank = rank + Case(When(where, then=Value(weight)), default=Value(0))
        queryset = queryset.filter(anywhere)
    return queryset.annotate(rank=Coalesce(rank, 0, output_field=IntegerField()))
