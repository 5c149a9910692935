"""Environments that a reader may have meant by an address without one."""

from __future__ import annotations

from difflib import get_close_matches

from envyard.contract.names import normalise
from registry.accounts.models import Token
from registry.accounts.permissions import Actor
from registry.catalog.models import Environment
from registry.catalog.search.criteria import CatalogSearch
from registry.catalog.search.results import RELEVANCE, SearchResults
from registry.read_models import catalog_query

SUGGESTIONS = 3
COMPARED = 300  # names of one owner
SHORTEST = 3  # letters of a name that is a part of another
SIMILARITY = 0.6  # of 1, difflib's ratio


def similar_names(
    owner: str, name: str, actor: Actor, token: Token | None = None
) -> list[Environment]:
    """Up to SUGGESTIONS environments that the actor may see and whose names are similar: the
    owner's own, else listed ones."""
    name = normalise(name)
    rows = Environment.objects.visible_to(actor, token)
    rows = rows.filter(owner__name=owner.lower(), deleted_at=None)
    own = {row.name: row for row in rows.select_related("owner").order_by("-updated_at")[:COMPARED]}
    near = get_close_matches(name, own, SUGGESTIONS, SIMILARITY)
    if near:
        return [own[each] for each in near]
    results = SearchResults(
        CatalogSearch(words=name.replace("-", " ")), actor, token, by_relevance=True
    )
    matches = catalog_query.environments(results, sort=RELEVANCE, cursor="", limit=SUGGESTIONS)[0]
    return [row for row in matches if _resembles(name, row.name)]


def _resembles(name: str, other: str) -> bool:
    """Whether one is a part of the other, or they are similar: a search compares summaries too, and
    the beginnings of short words."""
    shorter, longer = sorted((name, other), key=len)
    is_part = len(shorter) >= SHORTEST and shorter in longer
    return is_part or bool(get_close_matches(name, [other], 1, SIMILARITY))
