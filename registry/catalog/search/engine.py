"""What a database must be able to do for search; everything else is the same on all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Protocol

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

from registry.catalog.search import postgresql, sqlite
from registry.catalog.search.models import DocumentQuerySet
from registry.catalog.search.text import Query


class Engine(Protocol):
    """Finds documents by their words, and words by their letters."""

    def matching(self, documents: DocumentQuerySet, query: Query) -> DocumentQuerySet:
        """Those that hold every word of one of the query's groups somewhere."""

    def foremost(
        self, documents: DocumentQuerySet, query: Query, *, names: bool = False
    ) -> DocumentQuerySet:
        """The same, to be asked for the first few: greatest place first. With `names`, those that
        hold these words in name, owner or tags. Not to be put into another query."""

    def like(self, word: str, most: int) -> Iterable[str]:
        """Known words that share most letters with it or hold it; none where it cannot tell."""


def engine(using: str) -> Engine:
    """That of the database with this alias."""
    connection: BaseDatabaseWrapper = connections[using]
    made: Engine = _module(connection).Engine(connection)
    return made


@contextmanager
def rebuilding(connection: BaseDatabaseWrapper, *, alone: bool) -> Iterator[None]:
    """Make the database's own indexes, in the quickest way for all rows to be written inside;
    with `alone`, readers may be kept waiting until the transaction ends."""
    with _module(connection).rebuilding(connection, alone=alone):
        yield


def uninstall(connection: BaseDatabaseWrapper) -> None:
    """Take the database's own indexes away."""
    _module(connection).uninstall(connection)


def _module(connection: BaseDatabaseWrapper) -> ModuleType:
    return postgresql if connection.vendor == "postgresql" else sqlite
