"""Browse and search; the whole state is in the address."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render

from frontend.paging import page
from registry.api import shapes
from registry.catalog.queries import EnvironmentQuerySet, environments_visible_to
from registry.catalog.search import ORDERS, search

SORTS = {"relevance": "Relevance", "fresh": "Newest", "name": "Name", "installs": "Most installed"}


@dataclass(frozen=True, slots=True)
class Link:
    """A filter to take away, or an order to choose."""

    label: str
    url: str
    on: bool = False


def browse(request: HttpRequest) -> HttpResponse:
    """Listed environments by words, tag, framework and owner; with `mine` all one may publish."""
    query = request.GET.get("q", "").strip()[:200]
    mine = request.GET.get("mine") == "1"
    if mine and not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    rows = chosen(request, mine).for_summary()
    usual = "relevance" if query else "fresh"
    sort = request.GET.get("sort", usual)
    if sort not in SORTS or (sort == "relevance" and not query):
        sort = usual
    if query:
        rows = search(rows, query)
    shown, following = page(request, rows.order_by(*ORDERS[sort]))
    return render(
        request,
        "pages/browse.html",
        {
            "query": query,
            "mine": mine,
            "environments": shapes.environment_summaries(shown),
            "next": following,
            "filters": filters(request.GET),
            "sorts": [
                Link(label, changed(request.GET, sort=key), key == sort)
                for key, label in SORTS.items()
                if query or key != "relevance"
            ],
        },
    )


def chosen(request: HttpRequest, mine: bool) -> EnvironmentQuerySet:
    """The environments that the filters leave."""
    rows = environments_visible_to(request.user)
    if mine and request.user.is_authenticated:
        rows = rows.belonging_to(request.user)
    else:
        rows = rows.listed()
    if tag := request.GET.get("tag"):
        rows = rows.filter(tags__name=tag.lower())
    if owner := request.GET.get("owner"):
        rows = rows.filter(owner__name=owner.lower())
    if framework := request.GET.get("framework"):
        rows = rows.filter(latest__framework=framework)
    return rows


def filters(given: QueryDict) -> list[Link]:
    """A chip for each filter in force."""
    return [
        Link(value if key == "q" else f"{key}: {value}", changed(given, **{key: None}))
        for key in ("q", "tag", "owner", "framework")
        if (value := given.get(key))
    ]


def changed(given: QueryDict, **change: str | None) -> str:
    """The address with some parameters changed or taken away, back on the first page."""
    query = given.copy()
    query.pop("page", None)
    for key, value in change.items():
        query.pop(key, None)
        if value is not None:
            query[key] = value
    return f"?{query.urlencode()}"
