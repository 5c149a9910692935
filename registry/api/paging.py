"""Lists in pages: `?limit=`, and an opaque `?cursor=` that holds the last row's sort keys.

A row that is added or removed between two pages neither repeats nor hides another one, and the
thousandth page costs what the first does. Cursors are signed: nobody else's values reach a query.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any, TypeVar

from django.core import signing
from django.db.models import Model, Q, QuerySet
from rest_framework.request import Request
from rest_framework.response import Response

from registry.errors import HubError

M = TypeVar("M", bound=Model)
LIMIT, MOST = 20, 100
SALT = "registry.api.cursor"


def page(
    request: Request,
    queryset: QuerySet[M],
    *,
    by: tuple[str, ...],
    shape: Callable[[Sequence[M]], list[dict[str, Any]]],
) -> Response:
    """`{"results", "next"}` sorted by the fields of `by`, `-` for falling, the last one unique."""
    limit = whole(request, "limit", LIMIT, low=1, high=MOST)
    keys = [field.lstrip("-") for field in by]
    cursor = request.query_params.get("cursor", "")
    after = _after(by, _read(cursor, by)) if cursor else Q()
    rows = list(queryset.order_by(*by).filter(after)[: limit + 1])
    following = None
    if len(rows) > limit:
        rows.pop()
        following = _url(request, _write(by, [_value(rows[-1], key) for key in keys]))
    return Response({"results": shape(rows), "next": following})


def whole(request: Request, name: str, default: int, *, low: int, high: int) -> int:
    """A whole number from the query string; raises 400 naming it where it is none or outside."""
    raw = request.query_params.get(name, "")
    if not raw:
        return default
    if not (raw.isascii() and raw.isdigit() and len(raw) < 19 and low <= int(raw) <= high):
        raise HubError(
            "request.invalid",
            f"{name} {raw[:40]!r} must be a whole number from {low} to {high}",
            details={"field": name},
        )
    return int(raw)


def _after(by: tuple[str, ...], values: list[Any]) -> Q:
    """Rows that stand behind these values: (a > x) or (a = x and b > y) or ..."""
    behind, equal = Q(), Q()
    for field, value in zip(by, values, strict=True):
        name = field.lstrip("-")
        behind |= equal & Q(**{f"{name}__{'lt' if field.startswith('-') else 'gt'}": value})
        equal &= Q(**{name: value})
    return behind


def _value(row: Model, key: str) -> Any:
    value = attrgetter(key.replace("__", "."))(row)
    if isinstance(value, datetime):
        return value.isoformat()
    return value if isinstance(value, int | float | str) else str(value)


def _write(by: tuple[str, ...], values: list[Any]) -> str:
    return signing.dumps([",".join(by), *values], salt=SALT)


def _read(cursor: str, by: tuple[str, ...]) -> list[Any]:
    """The values; raises 400 where this is no cursor that we gave out for a list sorted so."""
    values: list[Any]
    try:
        order, *values = signing.loads(cursor, salt=SALT)
    except (signing.BadSignature, ValueError):  # ValueError: text that UTF-8 cannot hold
        order, values = "", []
    if order != ",".join(by):
        raise HubError(
            "request.invalid",
            f"cursor {cursor[:60]!r} does not belong to this list",
            "Start again without a cursor.",
        )
    return values


def _url(request: Request, cursor: str) -> str:
    query = request.query_params.copy()
    query["cursor"] = cursor
    return request.build_absolute_uri(f"{request.path}?{query.urlencode()}")
