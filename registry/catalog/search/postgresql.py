"""Search on PostgreSQL: generated `tsvector` and array columns with GIN indexes, and pg_trgm.

`names` holds the words of name (A), owner and tags (B) with their weights; `vector` holds all words
of the document, without weights and positions, which no query uses: that halves the time to read
it. `registry_search_beginnings`, which a trigger updates, has the first 3 and the first 5 letters
of the words of `names` with the document's place: GIN has no order, and returns all documents of a
frequent word.
A query for weights in one vector would make PostgreSQL read each row again, which takes half a
second for a word that every README contains. `held` is the array of marks.
"""

# ruff: noqa: S608 - only our own numbers are put into SQL here
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
from django.db.models import BooleanField, F, Field, Func, TextField, Value
from django.db.models.expressions import Col, RawSQL

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
LETTERS = (5, 3)  # of a word that `registry_search_beginnings` has; of a shorter one all
CANDIDATES = 1_500  # documents that a search by it looks at
BEGINNINGS = f"""
CREATE TABLE registry_search_beginnings (
    beginning text COLLATE "C", place bigint, PRIMARY KEY (beginning, place)
);
CREATE OR REPLACE FUNCTION registry_search_beginnings_of(names tsvector) RETURNS SETOF text
LANGUAGE sql IMMUTABLE AS $$
    SELECT DISTINCT left(word, letters)
    FROM unnest(tsvector_to_array(names)) AS word, unnest(ARRAY{list(LETTERS)}) AS letters
$$;
INSERT INTO registry_search_beginnings
SELECT registry_search_beginnings_of(names), place FROM registry_searchdocument;
CREATE OR REPLACE FUNCTION registry_search_beginnings() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM registry_search_beginnings WHERE place = OLD.place
        AND beginning IN (SELECT registry_search_beginnings_of(OLD.names));
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO registry_search_beginnings
        SELECT registry_search_beginnings_of(NEW.names), NEW.place ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER registry_search_beginnings AFTER INSERT OR DELETE
OR UPDATE OF place, name, owner_name, tags ON registry_searchdocument
FOR EACH ROW EXECUTE FUNCTION registry_search_beginnings()
"""
AMONG = """
registry_searchdocument.place = ANY(ARRAY(
    SELECT place FROM registry_search_beginnings WHERE beginning = %s ORDER BY place DESC LIMIT %s
))
"""
WITHOUT_BEGINNINGS = """
DROP TRIGGER IF EXISTS registry_search_beginnings ON registry_searchdocument;
DROP FUNCTION IF EXISTS registry_search_beginnings, registry_search_beginnings_of;
DROP TABLE IF EXISTS registry_search_beginnings
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
        cursor.execute("SELECT to_regclass('registry_search_beginnings')")
        if cursor.fetchone()[0] is None:
            cursor.execute(BEGINNINGS)
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
        cursor.execute(WITHOUT_BEGINNINGS)
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

    def frequent(self, documents: DocumentQuerySet, query: TextQuery) -> DocumentQuerySet | None:
        """Among CANDIDATES documents with a word that begins like the only one of the query.

        The conditions are functions, not operators, so that no index is read for them, and the
        candidates are an array, as the planner joins rows by reading the documents of all others.
        """
        (words,) = query.words
        known = (words[0][:letters] for letters in LETTERS if len(words[0]) >= letters)
        beginning = next((each for each in known if all(w.startswith(each) for w in words)), "")
        if not beginning:
            return None
        if query.marks:
            held, marks = _Column("held", ArrayField(TextField())), list(query.marks)
            wanted = Value(marks, ArrayField(TextField()))
            documents = documents.filter(_Condition(held, wanted, function="arraycontains"))
        names = _Column("names", SearchVectorField())
        documents = documents.filter(_Condition(names, _search(query), function="ts_match_vq"))
        candidates = RawSQL(AMONG, [beginning, CANDIDATES], BooleanField())  # noqa: S611
        return documents.filter(candidates).order_by("-place")

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


class _Condition(Func):
    """A function of the database that returns a truth value."""

    output_field = BooleanField()


def _holding(column: str, documents: DocumentQuerySet, query: TextQuery) -> DocumentQuerySet:
    if query.marks:
        marks = _Column("held", ArrayField(TextField()))
        documents = documents.filter(DataContains(marks, list(query.marks)))
    if query.words:
        vector = _Column(column, SearchVectorField())
        documents = documents.filter(SearchVectorExact(vector, _search(query)))
    return documents


def _search(query: TextQuery) -> SearchQuery:
    return SearchQuery(_tsquery(query), search_type="raw", config="simple")


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
