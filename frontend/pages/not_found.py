"""The page of an address that leads nowhere, with environments whose names are similar."""

from __future__ import annotations

import re
from difflib import get_close_matches

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from envyard.contract.names import normalise
from registry.accounts.services import RESERVED
from registry.catalog.models import Environment
from registry.catalog.search.results import RELEVANCE, CatalogSearch, SearchResults
from registry.read_models import catalog_query

ADDRESS = re.compile(
    r"/(?:envs/)?([a-z0-9-]{1,40})/([a-z0-9][a-z0-9._-]{0,99})(?:/.*)?", re.IGNORECASE
)
SUGGESTIONS = 3
COMPARED = 300  # names of one owner
SIMILARITY = 0.6  # of 1, difflib's ratio


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404 with the environments that the reader may have meant."""
    return render(request, "404.html", {"suggestions": suggestions(request)}, status=404)


def suggestions(request: HttpRequest) -> list[Environment]:
    """Up to SUGGESTIONS environments that the reader may see and whose names are similar: the
    owner's own, else listed ones."""
    match = ADDRESS.fullmatch(request.path)
    if match is None or match[1].lower() in RESERVED:
        return []
    owner, name = match[1].lower(), normalise(match[2])
    rows = Environment.objects.visible_to(request.user).filter(owner__name=owner, deleted_at=None)
    own = {row.name: row for row in rows.select_related("owner").order_by("-updated_at")[:COMPARED]}
    near = get_close_matches(name, own, SUGGESTIONS, SIMILARITY)
    if near:
        return [own[each] for each in near]
    results = SearchResults(
        CatalogSearch(words=name.replace("-", " ")), request.user, by_relevance=True
    )
    return catalog_query.environments(results, sort=RELEVANCE, cursor="", limit=SUGGESTIONS)[0]
