"""Queries whose SQL is written once: to have Django write it takes longer than to run it.

A query is a function that makes it, with values in it that stand for what is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from functools import cache
from typing import Any, TypeVar

from django.db import connection
from django.db.models import Model, QuerySet

Query = Callable[[], QuerySet[Any, Any]]
M = TypeVar("M", bound=Model)


def row(query: Query, filled: Mapping[Any, Any]) -> tuple[Any, ...] | None:
    """Its first row as the driver gives it, with the values in the places that theirs hold."""
    _, _, sql, parameters = _statement(query)
    with connection.cursor() as cursor:
        cursor.execute(sql, [filled.get(one, one) for one in parameters])
        found: tuple[Any, ...] | None = cursor.fetchone()
    return found


def rows(query: Callable[[], QuerySet[M, M]], filled: Mapping[Any, Any]) -> list[M]:
    """All its rows, as Django makes objects of them."""
    asked, compiler, sql, parameters = _statement(query)
    bound = tuple(filled.get(one, one) for one in parameters)
    ready = copy(compiler)
    ready.connection = connection
    ready.as_sql = lambda *_, **__: (sql, bound)
    found: QuerySet[M, M] = asked.all()
    found.query.get_compiler = lambda *_, **__: ready  # type: ignore[method-assign]
    return list(found)


@cache
def _statement(query: Query) -> tuple[QuerySet[Any, Any], Any, str, tuple[Any, ...]]:
    """The query, a compiler that knows its columns, and what that wrote."""
    asked = query()
    compiler = asked.query.get_compiler(asked.db)
    sql, parameters = compiler.as_sql()
    return asked, compiler, sql, tuple(parameters)
