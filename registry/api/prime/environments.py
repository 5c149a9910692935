"""`prime env` list, status, info, install, version list and delete: what there is."""

from __future__ import annotations

from collections.abc import Iterable

from rest_framework.request import Request
from rest_framework.response import Response

from envyard.contract.names import normalise
from registry.accounts.permissions import can, require
from registry.api import lookup
from registry.api.auth import get_actor, person
from registry.api.prime import body, find, shapes
from registry.api.prime.endpoint import answer, endpoint, flag, short
from registry.api.prime.query import query_number
from registry.catalog import deletion, services
from registry.catalog.models import Environment, EnvironmentQuerySet
from registry.catalog.search.results import CatalogSearch, SearchResults
from registry.errors import HubError
from registry.read_models.times import when

# Ids grow with time, and `fresh_at` has an index: both sort as what they stand for.
ORDERS = {
    "name": "name",
    "created_at": "pk",
    "updated_at": "fresh_at",
    "stars": "star_count",
}
MOST_PAGE, LAST, MOST_VERSIONS, MOST_TAGS = 100, 1_000_000, 500, 20


@endpoint("GET")
def environments(request: Request) -> Response:
    """The catalogue by prime's filters; with `mine_only` all of one's own."""
    rows = _chosen(request)
    limit = query_number(request, "limit", 20, low=1, high=MOST_PAGE)
    offset = query_number(request, "offset", 0, low=0, high=LAST)
    order = _one_of(request, "sort_by", ORDERS, "created_at")
    falling = "-" if _one_of(request, "sort_order", ("asc", "desc"), "desc") == "desc" else ""
    rows = rows.order_by(f"{falling}{ORDERS[order]}", f"{falling}pk")
    return Response(
        {
            "data": [shapes.environment(row) for row in rows[offset : offset + limit]],
            "total_count": rows.count(),
        }
    )


def _chosen(request: Request) -> EnvironmentQuerySet:
    query = request.query_params
    visibility = _one_of(request, "visibility", ("", *Environment.Visibility.values), "")
    tags = [tag.lower() for tag in query.getlist("tags")[:MOST_TAGS]]
    search = CatalogSearch(
        words=query.get("search", "").strip(),
        filters={
            "tag": tags[0] if tags else "",
            "owner": query.get("owner", "").lower(),
            "visibility": visibility,
        },
        mine=flag(request, "mine_only") and person(request).is_authenticated,
    )
    rows = SearchResults(search, *get_actor(request), by_relevance=False).rows()
    for tag in tags[1:]:
        rows = rows.filter(tags__name=tag)
    if flag(request, "starred_only"):
        rows = rows.filter(stars__user=person(request))
    return rows


def _one_of(request: Request, name: str, words: Iterable[str], default: str) -> str:
    value = request.query_params.get(name, default).lower()
    allowed = [str(word) for word in words]
    if value not in allowed:
        raise HubError(
            "request.invalid",
            f"{name} {value[:40]!r} must be one of {', '.join(allowed)}",
            details={"field": name},
        )
    return value


@endpoint("POST")
def resolve(request: Request) -> Response:
    """Get or create an environment to publish in; without a visibility a new one is public."""
    data, user = body.read(request), person(request)
    _, token = get_actor(request)
    owner = find.owner(request, data)
    name = short(data, "name", 100, default=None)
    # As an upload does, it answers alike whether a private environment of that name exists or not.
    known = Environment.objects.filter(owner=owner, name=normalise(name), deleted_at=None).first()
    if known is None or not can(user, "environment.publish", known, token):
        require(user, "owner.publish", owner, token)
    visibility = short(data, "visibility", 20).lower() or None
    environment, created = services.get_or_create_environment(
        owner=owner, name=name, visibility=visibility, by=user
    )
    return answer(shapes.environment(environment) | {"created": created})


@endpoint("POST")
def look_up(request: Request) -> Response:
    """The environment of an id, where the actor may see it."""
    text = short(body.read(request), "id", 40, default=None)
    return answer(shapes.environment(find.by_id(request, text, "environment.see")))


@endpoint("GET")
def status(request: Request, owner: str, name: str) -> Response:
    """An environment and its latest version."""
    row = lookup.environment(request, owner, name, "environment.see")
    visible = row.versions.visible_to(*get_actor(request)).select_related("source")
    latest = find.latest(row, visible)
    return answer(
        shapes.environment(row)
        | {
            "latest_version": latest
            and {
                "semantic_version": latest.version,
                "content_hash": shapes.content_hash(latest),
                "status": latest.status,
                "created_at": when(latest.uploaded_at),
            }
        }
    )


@endpoint("GET")
def versions(request: Request, owner: str, name: str) -> Response:
    """The newest versions that the actor may see."""
    row = lookup.environment(request, owner, name, "environment.see")
    rows = row.versions.visible_to(*get_actor(request)).select_related("source").newest_first()
    return answer({"versions": [shapes.version(row) for row in rows[:MOST_VERSIONS]]})


@endpoint("GET", "DELETE")
def version(request: Request, owner: str, name: str, number: str) -> Response:
    """GET: a version by `latest`, number or hash. DELETE: take it away for ever."""
    if request.method == "DELETE":
        gone = find.version(request, owner, name, number, "version.delete")
        deletion.delete_version(version=gone, by=person(request))
        return answer({"success": True})
    row = find.version(request, owner, name, number, "version.see")
    return answer(shapes.detail(row, *get_actor(request)))


@endpoint("DELETE")
def delete(request: Request, owner: str, name: str) -> Response:
    """Take a whole environment away."""
    row = lookup.environment(request, owner, name, "environment.delete")
    deletion.delete_environment(environment=row, by=person(request))
    return answer({"success": True})


@endpoint("DELETE")
def delete_by_id(request: Request, pk: str) -> Response:
    """The same by its id."""
    row = find.by_id(request, pk, "environment.delete")
    deletion.delete_environment(environment=row, by=person(request))
    return answer({"success": True})
