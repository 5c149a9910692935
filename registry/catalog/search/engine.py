"""The part of search that differs between databases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Protocol

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

from registry.catalog.search import postgresql, sqlite
from registry.catalog.search.models import DocumentQuerySet
from registry.catalog.search.text import TextQuery


class Engine(Protocol):
    """Matches documents by their words, and words by their letters."""

    def matching(self, documents: DocumentQuerySet, query: TextQuery) -> DocumentQuerySet:
        """Those that contain every word of one of the query's groups somewhere."""

    def most_used(
        self, documents: DocumentQuerySet, query: TextQuery, *, in_names: bool = False
    ) -> DocumentQuerySet:
        """The same, greatest place first, to be sliced. With `in_names`, those that contain the
        words in name, owner or tags. Not to be put into another query."""

    def frequent(self, documents: DocumentQuerySet, query: TextQuery) -> DocumentQuerySet | None:
        """The same as `most_used` in names, where an index has them in that order; None where it
        has not. It may end early, after a bounded number of candidates."""

    def similar_words(self, word: str, maximum: int) -> Iterable[str]:
        """Known words that share most letters with it or contain it; none without an index."""


def engine(using: str) -> Engine:
    """The engine of the database with this alias."""
    connection: BaseDatabaseWrapper = connections[using]
    instance: Engine = _module(connection).Engine(connection)
    return instance


@contextmanager
def rebuilding(connection: BaseDatabaseWrapper, *, alone: bool) -> Iterator[None]:
    """Create the database's own indexes in the quickest way for all rows being written inside;
    with `alone`, readers may have to wait until the transaction ends."""
    with _module(connection).rebuilding(connection, alone=alone):
        yield


def uninstall(connection: BaseDatabaseWrapper) -> None:
    """Remove the database's own indexes."""
    _module(connection).uninstall(connection)


def _module(connection: BaseDatabaseWrapper) -> ModuleType:
    return postgresql if connection.vendor == "postgresql" else sqlite
