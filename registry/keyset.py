"""Pages of long lists: a cursor holds the sort keys of the last row that was shown.

A row that is added or removed between two pages neither repeats nor hides another one, and the
thousandth page costs what the first does. Cursors are signed: nobody else's values reach a query.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from itertools import islice
from operator import attrgetter
from typing import Any, TypeVar

from django.core import signing
from django.db.models import F, Lookup, Model, Q, QuerySet
from django.db.models.fields.tuple_lookups import (  # type: ignore[import-untyped]
    Tuple,
    TupleGreaterThan,
    TupleLessThan,
)

from registry.errors import HubError

M = TypeVar("M", bound=Model)
K = TypeVar("K", bound=tuple[int, ...])
SALT = "registry.api.cursor"


def read_page(
    rows: QuerySet[M], *, by: tuple[str, ...], cursor: str, limit: int
) -> tuple[list[M], str]:
    """A page of the rows sorted by the fields of `by` (`-` for falling, the last one unique), and
    the cursor of the next one, empty on the last; raises 400 for a cursor of another list."""
    after = _after(by, _read(cursor, ",".join(by))) if cursor else Q()
    page = list(rows.filter(after).order_by(*by)[: limit + 1])
    if len(page) <= limit:
        return page, ""
    return page[:limit], cursor_after(page[limit - 1], by=by)


def cursor_after(row: Model, *, by: tuple[str, ...]) -> str:
    """The cursor of the page that begins after that row."""
    keys = [attrgetter(field.lstrip("-").replace("__", "."))(row) for field in by]
    return _write(",".join(by), keys)


def read_ranked_page(ranked: Iterable[K], *, cursor: str, limit: int) -> tuple[list[K], str]:
    """The same for unique keys that are sorted already, the greatest first; reads no more of them
    than the page needs."""
    if cursor:
        after = tuple(_read(cursor, "rank"))
        ranked = (key for key in ranked if key < after)
    page = list(islice(ranked, limit + 1))
    if len(page) <= limit:
        return page, ""
    return page[:limit], _write("rank", list(page[limit - 1]))


def _after(by: tuple[str, ...], values: list[Any]) -> Q:
    """Rows behind these values.

    Compared as one row value, so that the index of the order is entered where the page begins,
    however many rows share its first value. Where the directions differ: (a > x) or (a = x and
    b > y) or ..., with a >= x beside it for the index.
    """
    names = [field.lstrip("-") for field in by]
    falling = [field.startswith("-") for field in by]
    bound = Q(**{f"{names[0]}__{'lte' if falling[0] else 'gte'}": values[0]})
    if len(set(falling)) == 1:
        compare: type[Lookup[Any]] = TupleLessThan if falling[0] else TupleGreaterThan
        return bound & Q(compare(Tuple(*map(F, names)), tuple(values)))
    past, equal = Q(), Q()
    for name, falls, value in zip(names, falling, values, strict=True):
        past |= equal & Q(**{f"{name}__{'lt' if falls else 'gt'}": value})
        equal &= Q(**{name: value})
    return bound & past


def _write(order: str, values: list[Any]) -> str:
    return signing.dumps([order, *map(_plain, values)], salt=SALT)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return value if isinstance(value, int | float | str) else str(value)


def _read(cursor: str, order: str) -> list[Any]:
    """The values; raises 400 for anything but a cursor of ours for a list in that order."""
    values: list[Any]
    try:
        cursor_order, *values = signing.loads(cursor, salt=SALT)
    except (signing.BadSignature, ValueError):  # ValueError: text that UTF-8 cannot hold
        cursor_order, values = "", []
    if cursor_order != order:
        raise HubError(
            "request.invalid",
            f"cursor {cursor[:60]!r} does not belong to this list",
            "Start again without a cursor.",
            details={"field": "cursor"},
        )
    return values
