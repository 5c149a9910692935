"""Lists in pages: `?limit=`, and the opaque `?cursor=` that the page before gave."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.db.models import Model, QuerySet
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.cursors import behind, cut
from registry.errors import HubError

M = TypeVar("M", bound=Model)
LIMIT, MOST = 20, 100


def page(
    request: Request,
    queryset: QuerySet[M],
    *,
    by: tuple[str, ...],
    shape: Callable[[Sequence[M]], list[dict[str, Any]]],
) -> Response:
    """`{"results", "next"}` sorted by the fields of `by`, `-` for falling, the last one unique.

    Where `shape` gives fewer than it got, the next page begins after those.
    """
    rows, cursor = cut(queryset, by=by, **asked(request))
    results = shape(rows)
    if len(results) < len(rows):
        cursor = behind(rows[len(results) - 1], by=by)
    return answer(request, results, cursor)


def asked(request: Request) -> dict[str, Any]:
    """The cursor and the limit of the query string, as `cut` takes them."""
    limit = whole(request, "limit", LIMIT, low=1, high=MOST)
    return {"cursor": request.query_params.get("cursor", ""), "limit": limit}


def answer(
    request: Request, results: list[dict[str, Any]], cursor: str, **more: object
) -> Response:
    """A page, the address of the one that begins at the cursor, and what else there is to say."""
    following = None
    if cursor:
        query = request.query_params.copy()
        query["cursor"] = cursor
        following = request.build_absolute_uri(f"{request.path}?{query.urlencode()}")
    return Response({"results": results, "next": following, **more})


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


def real(request: Request, name: str) -> float | None:
    """A number from the query string, None where it is not there; raises 400 naming it."""
    raw = request.query_params.get(name, "")
    if not raw:
        return None
    try:
        found = float(raw)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise HubError(
            "request.invalid",
            f"{name} {raw[:40]!r} must be a number",
            details={"field": name},
        )
    return found


def yes_or_no(request: Request, name: str) -> bool | None:
    """`true` or `false` from the query string, None where it is not there; raises 400 naming it."""
    raw = request.query_params.get(name, "")
    if raw not in ("", "true", "false"):
        raise HubError(
            "request.invalid",
            f"{name} {raw[:40]!r} must be true or false",
            details={"field": name},
        )
    return raw == "true" if raw else None
