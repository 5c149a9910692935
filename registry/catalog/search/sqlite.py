"""Search on SQLite: two FTS5 tables that triggers update.

`registry_search_words` indexes the words of documents and their beginnings, with the place of the
document as rowid, so that it returns the most used first and stops early.
`registry_search_letters` indexes the trigrams of every known word, for misspelled ones.

A migration that makes SQLite copy either table loses its triggers: call `install` after it.
"""

# ruff: noqa: S608 - only our own column names are put into SQL here
from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import cast

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Value
from django.db.models.expressions import RawSQL
from django.db.models.functions import Concat, StrIndex
from django.db.models.lookups import GreaterThan

from registry.catalog.search.models import DocumentQuerySet
from registry.catalog.search.text import TextQuery

TEXTS = ("name", "owner_name", "tags", "summary", "readme", "marks")
NAMES = "{name owner_name tags}"
BEFORE, BEHIND = "  ", " "  # as pg_trgm does, so that first and last letters count


def _triggers() -> dict[str, str]:
    columns = ", ".join(TEXTS)
    old, new = (", ".join(f"{row}.{text}" for text in TEXTS) for row in ("old", "new"))
    words = "registry_search_words"
    delete = f"INSERT INTO {words}({words}, rowid, {columns}) VALUES ('delete', old.place, {old});"
    insert = f"INSERT INTO {words}(rowid, {columns}) VALUES (new.place, {new});"
    letters = "registry_search_letters"
    return {
        "AFTER INSERT ON registry_searchdocument": insert,
        "AFTER DELETE ON registry_searchdocument": delete,
        f"AFTER UPDATE OF place, {columns} ON registry_searchdocument": f"{delete} {insert}",
        "AFTER INSERT ON registry_searchword": f"INSERT INTO {letters}(rowid, word) "
        f"VALUES (new.id, '{BEFORE}' || new.word || '{BEHIND}');",
        "AFTER DELETE ON registry_searchword": f"DELETE FROM {letters} WHERE rowid = old.id;",
    }


def install(connection: BaseDatabaseWrapper) -> None:
    """Create both tables from the existing rows, and their triggers."""
    uninstall(connection)
    with connection.cursor() as cursor:
        cursor.execute(
            f"CREATE VIRTUAL TABLE registry_search_words USING fts5({', '.join(TEXTS)}, "
            "content='registry_searchdocument', content_rowid='place', prefix='2 3', "
            "tokenize=\"unicode61 tokenchars '='\")"
        )
        cursor.execute("INSERT INTO registry_search_words(registry_search_words) VALUES('rebuild')")
        cursor.execute(
            "CREATE VIRTUAL TABLE registry_search_letters USING fts5(word, tokenize='trigram')"
        )
        cursor.execute(
            "INSERT INTO registry_search_letters(rowid, word) "
            f"SELECT id, '{BEFORE}' || word || '{BEHIND}' FROM registry_searchword"
        )
        for number, (event, statement) in enumerate(_triggers().items()):
            cursor.execute(f"CREATE TRIGGER registry_search_{number} {event} BEGIN {statement} END")


def uninstall(connection: BaseDatabaseWrapper) -> None:
    """Undo `install`."""
    with connection.cursor() as cursor:
        for number in range(len(_triggers())):
            cursor.execute(f"DROP TRIGGER IF EXISTS registry_search_{number}")
        for table in ("registry_search_words", "registry_search_letters"):
            cursor.execute(f"DROP TABLE IF EXISTS {table}")


@contextmanager
def rebuilding(connection: BaseDatabaseWrapper, *, alone: bool) -> Iterator[None]:
    """Without triggers: FTS5 reads the finished rows in one pass."""
    uninstall(connection)
    yield
    install(connection)


class Engine:
    """Queries the indexes that `install` creates."""

    def __init__(self, connection: BaseDatabaseWrapper) -> None:
        self._connection = connection

    def matching(self, documents: DocumentQuerySet, query: TextQuery) -> DocumentQuerySet:
        """By their places, all in one subquery; without words row by row, which costs less."""
        if query.words:
            matching = (
                "SELECT rowid FROM registry_search_words WHERE registry_search_words MATCH %s"
            )
            return documents.filter(place__in=RawSQL(matching, [_match(query)]))  # noqa: S611
        marks = Concat(Value(" "), "marks", Value(" "))
        for mark in query.marks:
            documents = documents.filter(GreaterThan(StrIndex(marks, Value(f" {mark} ")), 0))
        return documents

    def most_used(
        self, documents: DocumentQuerySet, query: TextQuery, *, in_names: bool = False
    ) -> DocumentQuerySet:
        """Joined by hand, so that as few rows as needed are read, in the order of the index."""
        if not (query.words or query.marks):
            return documents.order_by("-place")
        joined = documents.extra(
            tables=["registry_search_words"],
            where=[
                "registry_search_words MATCH %s",
                "registry_search_words.rowid = registry_searchdocument.place",
            ],
            params=[_match(query, in_names=in_names)],
            order_by=["-registry_search_words.rowid"],
        )
        return cast("DocumentQuerySet", joined)

    def frequent(self, documents: DocumentQuerySet, query: TextQuery) -> DocumentQuerySet | None:
        """All of them: FTS5 has every word in that order."""
        return self.most_used(documents, query, in_names=True)

    def similar_words(self, word: str, maximum: int) -> Iterable[str]:
        """By trigrams, rare ones first; a word of one letter has too few."""
        padded = f"{BEFORE}{word}{BEHIND}"
        trigrams = [padded[at : at + 3] for at in range(len(padded) - 2)]
        whole_word = [f'"{word}"'] if len(word) > 2 else []
        with self._connection.cursor() as cursor:
            cursor.execute(
                "SELECT word FROM registry_search_letters WHERE word MATCH %s "
                "ORDER BY bm25(registry_search_letters) LIMIT %s",
                [" OR ".join(whole_word + [f'"{trigram}"' for trigram in trigrams]), maximum],
            )
            return [row[0].strip() for row in cursor.fetchall()]


def _match(query: TextQuery, *, in_names: bool = False) -> str:
    """Words contain letters and digits only, marks also a `=`, so that no quote can be closed."""
    conditions = [f'"{mark}"' for mark in query.marks]
    if words := _words(query):
        conditions.append(f"{NAMES} : ({words})" if in_names else f"({words})")
    return " AND ".join(conditions)


def _words(query: TextQuery) -> str:
    parts = []
    for number, alternatives in enumerate(query.words, 1):
        ending = "*" if query.last_is_prefix and number == len(query.words) else ""
        parts.append("(" + " OR ".join(f'"{word}"{ending}' for word in alternatives) + ")")
    groups = [" AND ".join(parts[at] for at in group) for group in query.groups]
    if len(parts) > 1:
        groups.append(f'"{query.joined}"')
    return " OR ".join(f"({group})" for group in groups)
