"""Pagination of lists by `?cursor=`, with the API's cursors."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from django.db.models import Model, QuerySet
from django.http import HttpRequest

from registry.errors import HubError
from registry.keyset import read_page

SIZE = 20

Row = TypeVar("Row", bound=Model)


def page(
    request: HttpRequest, rows: QuerySet[Row], *, by: tuple[str, ...]
) -> tuple[list[Row], str]:
    """The rows of the requested page and the URL of the next one, empty on the last."""
    return page_at_cursor(request, lambda cursor: read_page(rows, by=by, cursor=cursor, limit=SIZE))


def page_at_cursor(
    request: HttpRequest, cut_at: Callable[[str], tuple[list[Row], str]]
) -> tuple[list[Row], str]:
    """The same for any source of rows; an invalid cursor returns the first page."""
    try:
        rows, cursor = cut_at(request.GET.get("cursor", ""))
    except HubError:
        rows, cursor = cut_at("")
    if not cursor:
        return rows, ""
    query = request.GET.copy()
    query["cursor"] = cursor
    return rows, f"?{query.urlencode()}"
