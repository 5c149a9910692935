"""Pages of a list: `?page=2`, one row more than shown tells whether there is a next one."""

from __future__ import annotations

from typing import TypeVar

from django.db.models import Model, QuerySet
from django.http import HttpRequest

SIZE = 20
MOST_PAGES = 500

Row = TypeVar("Row", bound=Model)


def page(request: HttpRequest, rows: QuerySet[Row], size: int = SIZE) -> tuple[list[Row], str]:
    """The rows of the asked page and the address of the next, empty on the last."""
    asked = request.GET.get("page", "1")
    whole = asked.isascii() and asked.isdigit() and len(asked) < 10
    number = min(max(int(asked), 1), MOST_PAGES) if whole else 1
    found = list(rows[(number - 1) * size : number * size + 1])
    if len(found) <= size or number == MOST_PAGES:
        return found[:size], ""
    query = request.GET.copy()
    query["page"] = str(number + 1)
    return found[:size], f"?{query.urlencode()}"
