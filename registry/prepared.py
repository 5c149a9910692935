"""Queries whose SQL is compiled once per process and run with other parameters.

A query is a function that returns a query set with placeholder values, which are replaced by the
real ones. This replaces methods of Django's SQL compiler, a private API, because Django compiles
the SQL at every call. Without it requests to web cost this many times the CPU time: a wheel 1.7 to
2.6, an index page that the app answers 2 to 3.3, an upload 1.35 (requests over HTTP, SQLite,
November 2026). docs/decisions/0040 has the measurement.
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


def row(query: Query, values: Mapping[Any, Any]) -> tuple[Any, ...] | None:
    """The first row as the driver returns it; `values` maps placeholders to parameters."""
    _, _, sql, parameters = _compiled(query)
    with connection.cursor() as cursor:
        cursor.execute(sql, [values.get(parameter, parameter) for parameter in parameters])
        first: tuple[Any, ...] | None = cursor.fetchone()
    return first


def rows(query: Callable[[], QuerySet[M, M]], values: Mapping[Any, Any]) -> list[M]:
    """All rows as model instances; `values` maps placeholders to parameters."""
    template, compiler, sql, parameters = _compiled(query)
    bound = tuple(values.get(parameter, parameter) for parameter in parameters)
    prepared = copy(compiler)
    prepared.connection = connection
    prepared.as_sql = lambda *_, **__: (sql, bound)
    query_set: QuerySet[M, M] = template.all()
    query_set.query.get_compiler = lambda *_, **__: prepared  # type: ignore[method-assign]
    return list(query_set)


@cache
def _compiled(query: Query) -> tuple[QuerySet[Any, Any], Any, str, tuple[Any, ...]]:
    """The query set with placeholders, its compiler, SQL and parameters."""
    query_set = query()
    compiler = query_set.query.get_compiler(query_set.db)
    sql, parameters = compiler.as_sql()
    return query_set, compiler, sql, tuple(parameters)
