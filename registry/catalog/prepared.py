"""Queries whose SQL is written once: to have Django write it takes longer than to run it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from django.db import connection
from django.db.models import QuerySet

Query = Callable[[], QuerySet[Any, Any]]


def row(query: Query, filled: Mapping[object, str]) -> tuple[Any, ...] | None:
    """Its first row, with the values in the places that their names hold in the query."""
    sql, parameters = _statement(query)
    with connection.cursor() as cursor:
        cursor.execute(sql, [filled.get(one, one) for one in parameters])
        found: tuple[Any, ...] | None = cursor.fetchone()
    return found


@cache
def _statement(query: Query) -> tuple[str, tuple[Any, ...]]:
    sql, parameters = query().query.sql_with_params()
    return sql, parameters
