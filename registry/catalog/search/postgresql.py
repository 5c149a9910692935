"""Search on PostgreSQL: generated `tsvector` and array columns with GIN indexes, and pg_trgm.

`names` holds the words of name (A), owner and tags (B) with their weights; `vector` holds all words
of the document, without weights and positions, which no query uses: that halves the time to read
it. A query for weights in one vector would make PostgreSQL read each row again, which takes half a
second for a word that every README contains. `held` is the array of marks.
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
from registry.catalog.search.text import MIN_CORRECTED, TextQuery, one_slip

WEIGHTS = {"name": "A", "owner_name": "B", "tags": "B"}
NAMES = (f"setweight(to_tsvector('simple', {text}), '{w}')" for text, w in WEIGHTS.items())
ALL = (f"to_tsvector('simple', {text})" for text in (*WEIGHTS, "summary", "readme"))
COLUMNS = {
    "names": ("tsvector", " || ".join(NAMES)),
    "vector": ("tsvector", f"strip({' || '.join(ALL)})"),
    "held": ("text[]", "string_to_array(marks, ' ')"),
}
TRIGRAMS = """
CREATE INDEX IF NOT EXISTS registry_searchword_trigrams
ON registry_searchword USING gin (word gin_trgm_ops) WITH (fastupdate = off)
"""
FORMER_TRIGRAMS = "registry_searchword_like"  # by GiST, which reads all of it for a word
SIMILAR_WORDS = """
(SELECT word FROM registry_searchword WHERE word = ANY(%s))
UNION (SELECT word FROM registry_searchword WHERE word %% %s ORDER BY word <-> %s LIMIT %s)
UNION (SELECT word FROM registry_searchword WHERE word LIKE %s LIMIT %s)
"""


def install(connection: BaseDatabaseWrapper) -> None:
    """Add columns and indexes; pg_trgm only where the server has it and the user may create it."""
    with connection.cursor() as cursor:
        for column, (kind, expression) in COLUMNS.items():
            if _has(cursor, column):  # even ADD COLUMN blocks all readers
                continue
            cursor.execute(
                "ALTER TABLE registry_searchdocument ADD COLUMN IF NOT EXISTS "
                f"{column} {kind} GENERATED ALWAYS AS ({expression}) STORED"
            )
            cursor.execute(
                f"CREATE INDEX registry_searchdocument_{column} "
                f"ON registry_searchdocument USING gin ({column}) WITH (fastupdate = off)"
            )
        try:
            with transaction.atomic(using=connection.alias):
                cursor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
                cursor.execute(TRIGRAMS)
                cursor.execute(f"DROP INDEX IF EXISTS {FORMER_TRIGRAMS}")
        except Error:
            return  # search then corrects no misspelled words; see `has_trigrams`


def _has(cursor: CursorWrapper, column: str) -> bool:
    cursor.execute(
        "SELECT 1 FROM pg_attribute WHERE attrelid = 'registry_searchdocument'::regclass "
        "AND attname = %s AND NOT attisdropped",
        [column],
    )
    return cursor.fetchone() is not None


def uninstall(connection: BaseDatabaseWrapper) -> None:
    """Undo `install`, except the extension, which other applications may use."""
    with connection.cursor() as cursor:
        cursor.execute("DROP INDEX IF EXISTS registry_searchword_trigrams")
        for column in COLUMNS:
            cursor.execute(f"ALTER TABLE registry_searchdocument DROP COLUMN IF EXISTS {column}")


@contextmanager
def rebuilding(connection: BaseDatabaseWrapper, *, alone: bool) -> Iterator[None]:
    """In place, so that no reader waits; alone, GIN indexes the finished rows, which is faster."""
    (uninstall if alone else install)(connection)
    yield
    if alone:
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # else the table counts as in use
        install(connection)


class Engine:
    """Queries the indexes that `install` creates."""

    def __init__(self, connection: BaseDatabaseWrapper) -> None:
        self._connection = connection

    def matching(self, documents: DocumentQuerySet, query: TextQuery) -> DocumentQuerySet:
        """By `vector` and `held`."""
        return _holding("vector", documents, query)

    def most_used(
        self, documents: DocumentQuerySet, query: TextQuery, *, in_names: bool = False
    ) -> DocumentQuerySet:
        """The same, or by `names` in place of `vector`."""
        column = "names" if in_names else "vector"
        return _holding(column, documents, query).order_by("-place")

    def similar_words(self, word: str, maximum: int) -> Iterable[str]:
        """Those with one slip by the index of words, as a slip leaves a short word few trigrams;
        those with more, and those that contain it, by trigrams."""
        if len(word) < MIN_CORRECTED or not self.has_trigrams():
            return []
        slips = sorted(one_slip(word))
        with self._connection.cursor() as cursor:
            cursor.execute(SIMILAR_WORDS, [slips, word, word, maximum, f"%{word}%", maximum])
            return [row[0] for row in cursor.fetchall()]

    def has_trigrams(self) -> bool:
        """The extension and its index exist."""
        with self._connection.cursor() as cursor:
            cursor.execute("SELECT to_regclass('registry_searchword_trigrams')")
            return cursor.fetchone()[0] is not None


class _Column(F):
    """A column that is not in the Django model."""

    def __init__(self, name: str, field: Field[Any, Any]) -> None:
        super().__init__(name)
        field.set_attributes_from_name(name)
        self._field = field

    def resolve_expression(self, query: Any = None, *args: Any, **kwargs: Any) -> Col:
        """The column under the table alias of that query."""
        return Col(query.get_initial_alias(), self._field)


def _holding(column: str, documents: DocumentQuerySet, query: TextQuery) -> DocumentQuerySet:
    if query.marks:
        marks = _Column("held", ArrayField(TextField()))
        documents = documents.filter(DataContains(marks, list(query.marks)))
    if query.words:
        condition = SearchQuery(_tsquery(query), search_type="raw", config="simple")
        vector = _Column(column, SearchVectorField())
        documents = documents.filter(SearchVectorExact(vector, condition))
    return documents


def _tsquery(query: TextQuery) -> str:
    """Words contain letters and digits only, so that no quote can be closed."""
    parts = []
    for number, alternatives in enumerate(query.words, 1):
        ending = ":*" if query.last_is_prefix and number == len(query.words) else ""
        parts.append("(" + " | ".join(f"'{word}'{ending}" for word in alternatives) + ")")
    groups = [" & ".join(parts[at] for at in group) for group in query.groups]
    if len(parts) > 1:
        groups.append(f"'{query.joined}'")
    return " | ".join(f"({group})" for group in groups)
