"""`prime env` list, status, info, install, version list and delete."""

from __future__ import annotations

from typing import Any

from rest_framework.decorators import permission_classes
from rest_framework.request import Request
from rest_framework.response import Response

from envyard.contract.names import normalise
from registry.accounts.permissions import can
from registry.api import lookup
from registry.api.auth import get_actor, person, sole_person
from registry.api.permissions import SignedIn, demand, requires
from registry.api.prime import inputs
from registry.api.prime import lookup as prime_lookup
from registry.api.prime.endpoint import answer, endpoint
from registry.api.prime.outputs import (
    EnvironmentSerializer,
    LatestVersionSerializer,
    VersionDetailSerializer,
    VersionSerializer,
)
from registry.api.serializers.base import validated, validated_query
from registry.catalog import deletion, services
from registry.catalog.models import Environment, EnvironmentQuerySet
from registry.catalog.search.criteria import CatalogSearch
from registry.catalog.search.results import SearchResults
from registry.lookup import owner as find_owner

MAX_VERSIONS = 500


@endpoint("GET")
def environments(request: Request) -> Response:
    """The catalogue by prime's filters; with `mine_only` all of one's own."""
    query = validated_query(inputs.EnvironmentsQuery, request)
    rows = _matching(request, query)
    sign = "-" if query["sort_order"] == "desc" else ""
    rows = rows.order_by(f"{sign}{inputs.ORDERS[query['sort_by']]}", f"{sign}pk")
    page = rows[query["offset"] : query["offset"] + query["limit"]]
    return answer(EnvironmentSerializer(page, many=True).data, total_count=rows.count())


def _matching(request: Request, query: dict[str, Any]) -> EnvironmentQuerySet:
    tags = [tag.lower() for tag in request.query_params.getlist("tags")[: inputs.MAX_TAGS]]
    search = CatalogSearch(
        words=query["search"],
        filters={
            "tag": tags[0] if tags else "",
            "owner": query["owner"].lower(),
            "visibility": query["visibility"],
        },
        mine=query["mine_only"] and person(request).is_authenticated,
    )
    rows = SearchResults(search, *get_actor(request), by_relevance=False).rows()
    for tag in tags[1:]:
        rows = rows.filter(tags__name=tag)
    return rows.filter(stars__user=person(request)) if query["starred_only"] else rows


@endpoint("POST")
@permission_classes([SignedIn])
def resolve(request: Request) -> Response:
    """Get or create an environment to publish in; without a visibility a new one is public."""
    fields, user = validated(inputs.NewEnvironment, request), person(request)
    owner_name = fields["owner_slug"] or fields["team_slug"] or fields["team_id"]
    owner = find_owner(owner_name) if owner_name else sole_person(request).owner
    name = fields["name"]
    # As an upload does, it answers alike whether a private environment of that name exists or not.
    known = Environment.objects.filter(owner=owner, name=normalise(name), deleted_at=None).first()
    if known is None or not can(user, "environment.publish", known, get_actor(request)[1]):
        demand(request, "owner.publish", owner)
    environment, created = services.get_or_create_environment(
        owner=owner, name=name, visibility=fields["visibility"], by=user
    )
    return answer(EnvironmentSerializer(environment).data | {"created": created})


@endpoint("POST")
@permission_classes([requires(POST="environment.see")])
def environment_by_id(request: Request) -> Response:
    """The environment of an id, where the actor may see it."""
    pk = validated(inputs.EnvironmentId, request)["id"]
    return answer(EnvironmentSerializer(prime_lookup.environment_by_id(request, pk)).data)


@endpoint("GET")
@permission_classes([requires(GET="environment.see")])
def status(request: Request, owner: str, name: str) -> Response:
    """An environment and its latest version."""
    row = lookup.environment(request, owner, name)
    visible = row.versions.visible_to(*get_actor(request)).select_related("source")
    version = prime_lookup.latest(row, visible)
    latest = version and LatestVersionSerializer(version).data
    return answer(EnvironmentSerializer(row).data | {"latest_version": latest})


@endpoint("GET")
@permission_classes([requires(GET="environment.see")])
def versions(request: Request, owner: str, name: str) -> Response:
    """The newest versions that the actor may see."""
    row = lookup.environment(request, owner, name)
    rows = row.versions.visible_to(*get_actor(request)).select_related("source").newest_first()
    return answer({"versions": VersionSerializer(rows[:MAX_VERSIONS], many=True).data})


@endpoint("GET", "DELETE")
@permission_classes([requires(GET="version.see", DELETE="version.delete")])
def version(request: Request, owner: str, name: str, number: str) -> Response:
    """GET: a version by `latest`, number or hash. DELETE: delete it for good."""
    row = prime_lookup.version(request, owner, name, number)
    if request.method == "DELETE":
        deletion.delete_version(version=row, by=person(request))
        return answer({"success": True})
    context = {"actor": get_actor(request)}
    return answer(VersionDetailSerializer(row, context=context).data)


@endpoint("DELETE")
@permission_classes([requires(DELETE="environment.delete")])
def delete(request: Request, owner: str, name: str) -> Response:
    """Delete an environment for good."""
    row = lookup.environment(request, owner, name)
    deletion.delete_environment(environment=row, by=person(request))
    return answer({"success": True})


@endpoint("DELETE")
@permission_classes([requires(DELETE="environment.delete")])
def delete_by_id(request: Request, pk: str) -> Response:
    """The same by its id."""
    row = prime_lookup.environment_by_id(request, pk)
    deletion.delete_environment(environment=row, by=person(request))
    return answer({"success": True})
