"""Browse and search; the whole state is in the address."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from frontend.paging import SIZE, begun
from registry.api import catalog_query, shapes
from registry.catalog.search.facets import FACETS, Facet
from registry.catalog.search.find import RELEVANCE, SORTS, Found, Question
from registry.errors import HubError

LABELS = {
    RELEVANCE: "Relevance",
    "fresh": "Newest",
    "installs": "Most installed",
    "stars": "Most starred",
    "name": "Name",
}
TITLES = {
    "framework": "Framework",
    "tag": "Tag",
    "owner": "Owner",
    "license": "Licence",
    "visibility": "Visibility",
}
LONGEST = 200  # characters of a search


@dataclass(frozen=True, slots=True)
class Link:
    """A filter to set or take away, or an order to choose; `count` is what it would leave."""

    label: str
    url: str
    on: bool = False
    count: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """A facet with its values."""

    title: str
    links: list[Link]


@require_safe
def browse(request: HttpRequest) -> HttpResponse:
    """What is listed, by words, filters and an order; with `mine` all that one belongs to."""
    given = {name: value for name, value in request.GET.items() if isinstance(value, str)}
    asked = catalog_query.question(given | {"q": given.get("q", "")[:LONGEST]})
    if asked.mine and not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    try:
        sort = catalog_query.sort(given, asked)
    except HubError:
        sort = catalog_query.sort({}, asked)
    found = Found(asked, request.user, by_relevance=sort == RELEVANCE)
    rows, following = begun(
        request,
        lambda cursor: catalog_query.environments(found, sort=sort, cursor=cursor, limit=SIZE),
    )
    return render(
        request,
        "pages/browse.html",
        {
            "query": asked.words,
            "mine": asked.mine,
            "environments": shapes.environment_summaries(rows),
            "next": following,
            "filters": list(filters(request.GET, asked)),
            "facets": list(choices(request.GET, found.facets())),
            "sorts": [
                Link(LABELS[key], changed(request.GET, sort=key), key == sort)
                for key in SORTS
                if asked.words or key != RELEVANCE
            ],
        },
    )


def filters(given: QueryDict, asked: Question) -> Iterator[Link]:
    """A chip for each filter in force, which takes it away."""
    if asked.words:
        yield Link(asked.words, changed(given, q=None))
    for name in FACETS:
        if value := getattr(asked, name):
            yield Link(f"{TITLES[name].lower()}: {value}", changed(given, **{name: None}))


def choices(given: QueryDict, facets: list[Facet]) -> Iterator[Choice]:
    """The facets that leave a choice or are in force; a value links to the page with it alone,
    the chosen one to the page without."""
    for facet in facets:
        links = [
            Link(
                value.value,
                changed(given, **{facet.name: None if value.chosen else value.value}),
                value.chosen,
                f"{value.count}{'' if facet.whole else '+'}",
            )
            for value in facet.values
        ]
        if links:
            yield Choice(TITLES[facet.name], links)


def changed(given: QueryDict, **change: str | None) -> str:
    """The address with some parameters changed or taken away, back on the first page."""
    kept = [(key, value) for key, value in given.items() if key not in change and key != "cursor"]
    return f"?{urlencode(kept + [(key, value) for key, value in change.items() if value])}"
