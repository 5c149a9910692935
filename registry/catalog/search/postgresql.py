"""Search on PostgreSQL: generated `tsvector` and array columns with GIN indexes, and pg_trgm.

`names` holds the words of name (A), owner and tags (B) with their weights; `vector` holds all words
of the document, without weights and places, which nothing asks: that halves the time to read it.
Asking one vector for weights would make PostgreSQL look at each row again, which takes half a
second for a word that every README holds. `held` is the marks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.lookups import DataContains
from django.contrib.postgres.search import (
    SearchQuery,
    SearchVectorExact,
    SearchVectorField,
)
from django.db import Error, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from django.db.models import F, Field, TextField
from django.db.models.expressions import Col

from registry.catalog.search.models import DocumentQuerySet
from registry.catalog.search.text import Query

WEIGHTS = {"name": "A", "owner_name": "B", "tags": "B"}
NAMES = (f"setweight(to_tsvector('simple', {text}), '{w}')" for text, w in WEIGHTS.items())
ALL = (f"to_tsvector('simple', {text})" for text in (*WEIGHTS, "summary", "readme"))
COLUMNS = {
    "names": ("tsvector", " || ".join(NAMES)),
    "vector": ("tsvector", f"strip({' || '.join(ALL)})"),
    "held": ("text[]", "string_to_array(marks, ' ')"),
}
TRIGRAMS = """
CREATE INDEX IF NOT EXISTS registry_searchword_like
ON registry_searchword USING gist (word gist_trgm_ops(siglen=256))
"""


def install(connection: BaseDatabaseWrapper) -> None:
    """Add columns and indexes; pg_trgm only where this user may and the server has it."""
    with connection.cursor() as cursor:
        for column, (kind, made) in COLUMNS.items():
            if _has(cursor, column):  # even ADD COLUMN keeps all readers waiting
                continue
            cursor.execute(
                "ALTER TABLE registry_searchdocument ADD COLUMN IF NOT EXISTS "
                f"{column} {kind} GENERATED ALWAYS AS ({made}) STORED"
            )
            cursor.execute(
                f"CREATE INDEX registry_searchdocument_{column} "
                f"ON registry_searchdocument USING gin ({column}) WITH (fastupdate = off)"
            )
        try:
            with transaction.atomic(using=connection.alias):
                cursor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
                cursor.execute(TRIGRAMS)
        except Error:
            return  # search then forgives no typing errors; see `has_trigrams`


def _has(cursor: CursorWrapper, column: str) -> bool:
    cursor.execute(
        "SELECT 1 FROM pg_attribute WHERE attrelid = 'registry_searchdocument'::regclass "
        "AND attname = %s AND NOT attisdropped",
        [column],
    )
    return cursor.fetchone() is not None


def uninstall(connection: BaseDatabaseWrapper) -> None:
    """Undo `install`, but for the extension, which others may use."""
    with connection.cursor() as cursor:
        cursor.execute("DROP INDEX IF EXISTS registry_searchword_like")
        for column in COLUMNS:
            cursor.execute(f"ALTER TABLE registry_searchdocument DROP COLUMN IF EXISTS {column}")


@contextmanager
def rebuilding(connection: BaseDatabaseWrapper, *, alone: bool) -> Iterator[None]:
    """In place, so that nobody waits; alone, GIN is made of the finished rows, much faster."""
    (uninstall if alone else install)(connection)
    yield
    if alone:
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # or the table counts as in use
        install(connection)


class Engine:
    """Reads what `install` made."""

    def __init__(self, connection: BaseDatabaseWrapper) -> None:
        self._connection = connection

    def matching(self, documents: DocumentQuerySet, query: Query) -> DocumentQuerySet:
        """By `vector` and `held`."""
        return _holding("vector", documents, query)

    def foremost(
        self, documents: DocumentQuerySet, query: Query, *, names: bool = False
    ) -> DocumentQuerySet:
        """The same, or by `names` in place of `vector`."""
        column = "names" if names else "vector"
        return _holding(column, documents, query).order_by("-place")

    def like(self, word: str, most: int) -> Iterable[str]:
        """By trigrams; the index gives the nearest first."""
        if not self.has_trigrams():
            return []
        with self._connection.cursor() as cursor:
            cursor.execute(
                "(SELECT word FROM registry_searchword ORDER BY word <-> %s LIMIT %s) UNION "
                "(SELECT word FROM registry_searchword WHERE word LIKE %s LIMIT %s)",
                [word, most, f"%{word}%", most],
            )
            return [row[0] for row in cursor.fetchall()]

    def has_trigrams(self) -> bool:
        """The extension is there, and its index."""
        with self._connection.cursor() as cursor:
            cursor.execute("SELECT to_regclass('registry_searchword_like')")
            return cursor.fetchone()[0] is not None


class _Column(F):
    """A column that Django's model does not know."""

    def __init__(self, name: str, field: Field[Any, Any]) -> None:
        super().__init__(name)
        field.set_attributes_from_name(name)
        self._field = field

    def resolve_expression(self, query: Any = None, *args: Any, **kwargs: Any) -> Col:
        """It in the documents of that query, whatever they are called there."""
        return Col(query.get_initial_alias(), self._field)


def _holding(column: str, documents: DocumentQuerySet, query: Query) -> DocumentQuerySet:
    if query.marks:
        held = _Column("held", ArrayField(TextField()))
        documents = documents.filter(DataContains(held, list(query.marks)))
    if query.words:
        wanted = SearchQuery(_tsquery(query), search_type="raw", config="simple")
        vector = _Column(column, SearchVectorField())
        documents = documents.filter(SearchVectorExact(vector, wanted))
    return documents


def _tsquery(query: Query) -> str:
    """Words are letters and digits, so that quotes cannot be left."""
    parts = []
    for number, alternatives in enumerate(query.words, 1):
        ending = ":*" if query.open and number == len(query.words) else ""
        parts.append("(" + " | ".join(f"'{word}'{ending}" for word in alternatives) + ")")
    groups = [" & ".join(parts[at] for at in group) for group in query.groups]
    if len(parts) > 1:
        groups.append(f"'{query.joined}'")
    return " | ".join(f"({group})" for group in groups)
