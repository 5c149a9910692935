"""The catalogue's query string, the same for the API and the browse page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from registry.api.cursors import cut, cut_ranked
from registry.catalog.models import Environment
from registry.catalog.search.facets import Facet
from registry.catalog.search.find import ORDERS, RELEVANCE, SORTS, Found, Question
from registry.errors import HubError

LOWER = ("framework", "tag", "owner", "visibility")  # their values have no capitals


def question(given: Mapping[str, str]) -> Question:
    """What `q`, `mine` and the filters of a query string ask for."""
    filters = {name: given.get(name, "").strip().lower() for name in LOWER}
    return Question(
        words=given.get("q", "").strip(),
        license=given.get("license", "").strip(),
        mine=given.get("mine") == "1",
        **filters,
    )


def sort(given: Mapping[str, str], asked: Question) -> str:
    """The order that `sort` names, else the usual one; raises 400 for another word."""
    chosen = given.get("sort") or (RELEVANCE if asked.words else "fresh")
    if chosen not in SORTS or (chosen == RELEVANCE and not asked.words):
        raise HubError(
            "request.invalid",
            f"sort {chosen[:40]!r} must be one of {', '.join(SORTS)}; relevance needs q",
            details={"field": "sort"},
        )
    return chosen


def environments(
    found: Found, *, sort: str, cursor: str, limit: int
) -> tuple[list[Environment], str]:
    """A page of what is found, ready for `shapes`, and the cursor of the next one."""
    if sort != RELEVANCE:
        return cut(found.rows(), by=ORDERS[sort], cursor=cursor, limit=limit)
    keys, following = cut_ranked(found.ranked(), cursor=cursor, limit=limit)
    rows = Environment.objects.for_summary().in_bulk([pk for _, pk in keys])
    return [rows[pk] for _, pk in keys if pk in rows], following


def facet_shapes(facets: Sequence[Facet]) -> dict[str, Any]:
    """Name to its values, the most frequent first; counts are at least so many unless `whole`."""
    return {
        facet.name: {
            "whole": facet.whole,
            "values": [
                {"value": value.value, "count": value.count, "chosen": value.chosen}
                for value in facet.values
            ],
        }
        for facet in facets
    }
