"""Pages of a list by `?cursor=`, as the API has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from django.db.models import Model, QuerySet
from django.http import HttpRequest

from registry.api.cursors import cut
from registry.errors import HubError

SIZE = 20

Row = TypeVar("Row", bound=Model)


def page(
    request: HttpRequest, rows: QuerySet[Row], *, by: tuple[str, ...]
) -> tuple[list[Row], str]:
    """The rows of the asked page and the address of the next, empty on the last."""
    return begun(request, lambda cursor: cut(rows, by=by, cursor=cursor, limit=SIZE))


def begun(
    request: HttpRequest, cut_at: Callable[[str], tuple[list[Row], str]]
) -> tuple[list[Row], str]:
    """The same for whatever can be cut at a cursor; an address with an old one begins anew."""
    try:
        rows, cursor = cut_at(request.GET.get("cursor", ""))
    except HubError:
        rows, cursor = cut_at("")
    if not cursor:
        return rows, ""
    query = request.GET.copy()
    query["cursor"] = cursor
    return rows, f"?{query.urlencode()}"
