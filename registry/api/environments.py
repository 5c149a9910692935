"""Environments: list and search, create, show, change, star, move and delete."""

from __future__ import annotations

from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.permissions import require
from registry.api import body, catalog_query, lookup, paging, shapes
from registry.api.auth import get_actor, person
from registry.catalog import overlays, services, stars
from registry.catalog.deletion import delete_environment
from registry.catalog.models import Environment
from registry.catalog.search.results import RELEVANCE, SearchResults
from registry.catalog.transfer import transfer as give


@api_view(["GET", "POST"])
def environments(request: Request) -> Response:
    """GET: the catalogue, with `facets=1` counted too. POST: get or create an empty environment."""
    if request.method == "POST":
        return _create(request)
    search = catalog_query.search(request.query_params)
    if search.mine:
        person(request)
    sort = catalog_query.sort(request.query_params, search)
    results = SearchResults(search, *get_actor(request), by_relevance=sort == RELEVANCE)
    rows, cursor = catalog_query.environments(results, sort=sort, **paging.asked(request))
    more = {}
    if request.query_params.get("facets") == "1":
        more["facets"] = catalog_query.facet_shapes(results.facets())
    return paging.answer(request, shapes.environment_summaries(rows), cursor, **more)


def _create(request: Request) -> Response:
    user = person(request)
    data = body.read(request, only=("name", "owner", "visibility"))
    owner = lookup.find_owner(body.owner_name(data, user))
    _, token = get_actor(request)
    require(user, "owner.publish", owner, token)
    environment, created = services.get_or_create_environment(
        owner=owner,
        name=body.text(data, "name"),
        visibility=body.text(data, "visibility", default="") or None,
        by=user,
    )
    shape = shapes.environment_summary(environment)
    return Response(shape, 201 if created else 200)


@api_view(["GET", "PATCH", "DELETE"])
def environment(request: Request, owner: str, name: str) -> Response:
    """GET: an environment with its latest version. PATCH: its visibility. DELETE: for good."""
    if request.method == "DELETE":
        found = lookup.environment(request, owner, name, "environment.delete")
        delete_environment(environment=found, by=person(request))
        return Response(status=204)
    if request.method == "PATCH":
        found = lookup.environment(request, owner, name, "environment.manage")
        visibility = body.text(body.read(request, only=("visibility",)), "visibility")
        services.set_visibility(environment=found, visibility=visibility, by=person(request))
    else:
        found = lookup.environment(request, owner, name, "environment.see")
    return Response(_detail(request, found))


@api_view(["POST"])
def transfer(request: Request, owner: str, name: str) -> Response:
    """Give it to another owner, under whom the get_actor publishes too."""
    found = lookup.environment(request, owner, name, "environment.transfer")
    to = lookup.find_owner(body.text(body.read(request, only=("owner",)), "owner"))
    user, (_, token) = person(request), get_actor(request)
    require(user, "owner.publish", to, token)
    give(environment=found, to=to, by=user)
    return Response(_detail(request, found))


@api_view(["POST", "DELETE"])
def deprecate(request: Request, owner: str, name: str) -> Response:
    """POST with a reason and perhaps a successor: deprecate. DELETE: undo it."""
    found = lookup.environment(request, owner, name, "environment.deprecate")
    user, (_, token) = person(request), get_actor(request)
    if request.method == "POST":
        data = body.read(request)
        named = body.text(data, "successor", default="")
        successor = overlays.parse_successor(named, actor=user, token=token)
        reason = body.text(data, "reason")
        overlays.deprecate(environment=found, by=user, reason=reason, successor=successor)
    else:
        overlays.undeprecate(environment=found, by=user)
    return Response(_detail(request, found))


@api_view(["PUT", "DELETE"])
def starring(request: Request, owner: str, name: str) -> Response:
    """PUT: star it. DELETE: take the star away. Either may be said twice."""
    found = lookup.environment(request, owner, name, "environment.star")
    (stars.star if request.method == "PUT" else stars.unstar)(environment=found, by=person(request))
    return Response({"starred": request.method == "PUT", "stars": found.star_count})


def _detail(request: Request, found: Environment) -> shapes.Shape:
    """With the latest version, or the newest that the get_actor may see where none is current."""
    who, token = get_actor(request)
    visible = found.versions.visible_to(who, token).newest_first()
    latest = visible.select_related("uploaded_by", "environment__owner")
    current = latest.filter(pk=found.latest_id).first() if found.latest_id else None
    return shapes.environment_detail(
        found,
        current or latest.first(),
        starred=stars.starred(environment=found, actor=who),
    )
