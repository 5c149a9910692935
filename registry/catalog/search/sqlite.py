"""Search on SQLite: two FTS5 tables that triggers keep.

`registry_search_words` indexes the words of documents and their beginnings, with the document's
place as its row's number, so that it gives the most used first and stops early.
`registry_search_letters` indexes the trigrams of every known word, for misspelled ones.

A migration that makes SQLite copy either table loses its triggers: call `install` behind it.
"""

# ruff: noqa: S608 - all that is put into SQL here are our own names of columns
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
from registry.catalog.search.text import Query

TEXTS = ("name", "owner_name", "tags", "summary", "readme", "marks")
NAMES = "{name owner_name tags}"
BEFORE, BEHIND = "  ", " "  # as pg_trgm does, so that first and last letters count


def _triggers() -> dict[str, str]:
    columns = ", ".join(TEXTS)
    old, new = (", ".join(f"{row}.{text}" for text in TEXTS) for row in ("old", "new"))
    words = "registry_search_words"
    gone = f"INSERT INTO {words}({words}, rowid, {columns}) VALUES ('delete', old.place, {old});"
    come = f"INSERT INTO {words}(rowid, {columns}) VALUES (new.place, {new});"
    letters = "registry_search_letters"
    return {
        "AFTER INSERT ON registry_searchdocument": come,
        "AFTER DELETE ON registry_searchdocument": gone,
        f"AFTER UPDATE OF place, {columns} ON registry_searchdocument": f"{gone} {come}",
        "AFTER INSERT ON registry_searchword": f"INSERT INTO {letters}(rowid, word) "
        f"VALUES (new.id, '{BEFORE}' || new.word || '{BEHIND}');",
        "AFTER DELETE ON registry_searchword": f"DELETE FROM {letters} WHERE rowid = old.id;",
    }


def install(connection: BaseDatabaseWrapper) -> None:
    """Make both tables anew from the rows that there are, and their triggers."""
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
        for number, (when, does) in enumerate(_triggers().items()):
            cursor.execute(f"CREATE TRIGGER registry_search_{number} {when} BEGIN {does} END")


def uninstall(connection: BaseDatabaseWrapper) -> None:
    """Undo `install`."""
    with connection.cursor() as cursor:
        for number in range(len(_triggers())):
            cursor.execute(f"DROP TRIGGER IF EXISTS registry_search_{number}")
        for table in ("registry_search_words", "registry_search_letters"):
            cursor.execute(f"DROP TABLE IF EXISTS {table}")


@contextmanager
def rebuilding(connection: BaseDatabaseWrapper, *, alone: bool) -> Iterator[None]:
    """Without triggers: FTS5 reads the finished rows in one go."""
    uninstall(connection)
    yield
    install(connection)


class Engine:
    """Reads what `install` made."""

    def __init__(self, connection: BaseDatabaseWrapper) -> None:
        self._connection = connection

    def matching(self, documents: DocumentQuerySet, query: Query) -> DocumentQuerySet:
        """By their places, read all at once; without words row by row, which costs less."""
        if query.words:
            held = "SELECT rowid FROM registry_search_words WHERE registry_search_words MATCH %s"
            return documents.filter(place__in=RawSQL(held, [_match(query)]))  # noqa: S611
        marks = Concat(Value(" "), "marks", Value(" "))
        for mark in query.marks:
            documents = documents.filter(GreaterThan(StrIndex(marks, Value(f" {mark} ")), 0))
        return documents

    def foremost(
        self, documents: DocumentQuerySet, query: Query, *, names: bool = False
    ) -> DocumentQuerySet:
        """Joined by hand, for the rows to come as the index gives them, as many as are asked."""
        if not (query.words or query.marks):
            return documents.order_by("-place")
        found = documents.extra(
            tables=["registry_search_words"],
            where=[
                "registry_search_words MATCH %s",
                "registry_search_words.rowid = registry_searchdocument.place",
            ],
            params=[_match(query, names=names)],
            order_by=["-registry_search_words.rowid"],
        )
        return cast("DocumentQuerySet", found)

    def like(self, word: str, most: int) -> Iterable[str]:
        """By trigrams, rare ones first; a word of one letter has too few."""
        padded = f"{BEFORE}{word}{BEHIND}"
        trigrams = [padded[at : at + 3] for at in range(len(padded) - 2)]
        held = [f'"{word}"'] if len(word) > 2 else []
        with self._connection.cursor() as cursor:
            cursor.execute(
                "SELECT word FROM registry_search_letters WHERE word MATCH %s "
                "ORDER BY bm25(registry_search_letters) LIMIT %s",
                [" OR ".join(held + [f'"{trigram}"' for trigram in trigrams]), most],
            )
            return [row[0].strip() for row in cursor.fetchall()]


def _match(query: Query, *, names: bool = False) -> str:
    """Words are letters and digits, and marks have a sign more, so that quotes cannot be left."""
    every = [f'"{mark}"' for mark in query.marks]
    if words := _words(query):
        every.append(f"{NAMES} : ({words})" if names else f"({words})")
    return " AND ".join(every)


def _words(query: Query) -> str:
    parts = []
    for number, alternatives in enumerate(query.words, 1):
        ending = "*" if query.open and number == len(query.words) else ""
        parts.append("(" + " OR ".join(f'"{word}"{ending}' for word in alternatives) + ")")
    groups = [" AND ".join(parts[at] for at in group) for group in query.groups]
    if len(parts) > 1:
        groups.append(f'"{query.joined}"')
    return " OR ".join(f"({group})" for group in groups)
