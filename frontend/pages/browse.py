"""Browse and search; the URL contains the complete state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from envyard.contract.facets import FACETS
from frontend.paging import SIZE, page_at_cursor
from registry.catalog.search.criteria import WITHIN, CatalogSearch
from registry.catalog.search.facets import CountedFacet
from registry.catalog.search.results import RELEVANCE, SORTS, SearchResults
from registry.errors import HubError
from registry.read_models import catalog_query, environments

LABELS = {
    RELEVANCE: "Relevance",
    "fresh": "Newest",
    "installs": "Most installed",
    "stars": "Most starred",
    "learnability": "Most learnable",
    "name": "Name",
}
MAX_QUERY = 200  # characters of a search


@dataclass(frozen=True, slots=True)
class Link:
    """A filter to set or remove, or an order; `count` is the number of results."""

    label: str
    url: str
    on: bool = False
    count: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """A facet with its values; `source` says where these come from."""

    title: str
    links: list[Link]
    source: str
    description: str = ""


@require_safe
def browse(request: HttpRequest) -> HttpResponse:
    """Listed environments by words, filters and order; with `mine` all of the reader's own."""
    parameters = {name: value for name, value in request.GET.items() if isinstance(value, str)}
    search = catalog_query.search(parameters | {"q": parameters.get("q", "")[:MAX_QUERY]})
    if search.mine and not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    try:
        sort = catalog_query.sort(parameters, search)
    except HubError:
        sort = catalog_query.sort({}, search)
    results = SearchResults(search, request.user, by_relevance=sort == RELEVANCE)
    rows, following = page_at_cursor(
        request,
        lambda cursor: catalog_query.environments(results, sort=sort, cursor=cursor, limit=SIZE),
    )
    return render(
        request,
        "pages/browse.html",
        {
            "query": search.words,
            "mine": search.mine,
            "environments": environments.summaries(rows),
            "statuses": environments.newest_statuses(rows),
            "next": following,
            "filters": list(filters(request.GET, search)),
            "facets": side(request.GET, search, results.facets()),
            "sorts": [
                Link(LABELS[key], changed(request.GET, sort=key), key == sort)
                for key in SORTS
                if search.words or key != RELEVANCE
            ],
        },
    )


def filters(parameters: QueryDict, search: CatalogSearch) -> Iterator[Link]:
    """A link for each active filter that removes it."""
    if search.words:
        yield Link(search.words, changed(parameters, q=None))
    for name, facet in FACETS.items():
        if value := search.filters[name]:
            yield Link(f"{facet.title.lower()}: {value}", changed(parameters, **{name: None}))
    if search.within:
        yield Link(f"listed within {search.within} days", changed(parameters, within=None))


def side(parameters: QueryDict, search: CatalogSearch, facets: list[CountedFacet]) -> list[Choice]:
    """The facets and the time of listing; nothing where there is nothing to filter."""
    counted = list(choices(parameters, facets))
    if not counted and not search.is_narrowed:
        return []
    return [*counted, Choice("Listed within", list(periods(parameters, search)), "the hub")]


def periods(parameters: QueryDict, search: CatalogSearch) -> Iterator[Link]:
    """A link for each number of days since the latest version was listed; uncounted."""
    for days in WITHIN:
        on = days == search.within
        yield Link(f"{days} days", changed(parameters, within=None if on else str(days)), on)


def choices(parameters: QueryDict, facets: list[CountedFacet]) -> Iterator[Choice]:
    """The facets that leave a choice or are in force; a value links to the page with it alone,
    the chosen one to the page without."""
    for counted in facets:
        facet = counted.facet
        links = [
            Link(
                value.value,
                changed(parameters, **{facet.name: None if value.chosen else value.value}),
                value.chosen,
                f"{value.count}{'' if counted.complete else '+'}",
            )
            for value in counted.values
        ]
        if links:
            yield Choice(facet.title, links, facet.source, facet.description)


def changed(parameters: QueryDict, **changes: str | None) -> str:
    """The URL with some parameters changed or removed, at the first page."""
    unchanged = [
        (key, value) for key, value in parameters.items() if key not in changes and key != "cursor"
    ]
    return f"?{urlencode(unchanged + [(key, value) for key, value in changes.items() if value])}"
