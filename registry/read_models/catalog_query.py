"""The catalogue's query string, the same for the API and the browse page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from envyard.contract.facets import FACETS
from registry.catalog.models import Environment
from registry.catalog.search.criteria import WITHIN, CatalogSearch
from registry.catalog.search.facets import CountedFacet
from registry.catalog.search.results import ORDERS, RELEVANCE, SORTS, SearchResults
from registry.errors import HubError
from registry.keyset import read_page, read_ranked_page


def search(parameters: Mapping[str, str]) -> CatalogSearch:
    """The search that `q`, `mine` and the filters of a query string describe."""
    return CatalogSearch(
        words=parameters.get("q", "").strip(),
        filters={name: facet.parse(parameters.get(name, "")) for name, facet in FACETS.items()},
        mine=parameters.get("mine") == "1",
        within=days(parameters.get("within", "")),
    )


def days(text: str) -> int:
    """One of WITHIN; 0 for no such number."""
    return next((days for days in WITHIN if str(days) == text), 0)


def sort(parameters: Mapping[str, str], search: CatalogSearch) -> str:
    """The order that `sort` names, else the usual one; raises 400 for another word."""
    chosen = parameters.get("sort") or (RELEVANCE if search.words else "fresh")
    if chosen not in SORTS or (chosen == RELEVANCE and not search.words):
        raise HubError(
            "request.invalid",
            f"sort {chosen[:40]!r} must be one of {', '.join(SORTS)}; relevance needs q",
            details={"field": "sort"},
        )
    return chosen


def environments(
    results: SearchResults, *, sort: str, cursor: str, limit: int
) -> tuple[list[Environment], str]:
    """A page of the results, ready for the read models, and the cursor of the next one."""
    if sort != RELEVANCE:
        return read_page(results.rows(sort=sort), by=ORDERS[sort], cursor=cursor, limit=limit)
    keys, following = read_ranked_page(results.ranked(), cursor=cursor, limit=limit)
    rows = Environment.objects.for_list().in_bulk([pk for _, pk in keys])
    return [rows[pk] for _, pk in keys if pk in rows], following


def facet_counts(facets: Sequence[CountedFacet]) -> dict[str, Any]:
    """Name to its values, the most frequent first; counts are lower bounds unless `whole`."""
    return {
        facet.facet.name: {
            "whole": facet.complete,
            "values": [
                {"value": value.value, "count": value.count, "chosen": value.chosen}
                for value in facet.values
            ],
        }
        for facet in facets
    }
