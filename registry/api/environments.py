"""Environments: list and search, create, show, change, star, move and delete."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.decorators import api_view, permission_classes
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import User
from registry.api import lookup
from registry.api.auth import get_actor, person
from registry.api.pagination import KeysetPagination, PageQuery
from registry.api.permissions import SignedInToWrite, demand, requires
from registry.api.schema.auto_schema import refusals
from registry.api.serializers import catalog
from registry.api.serializers.base import validated, validated_query
from registry.catalog import overlays, services, stars
from registry.catalog.deletion import delete_environment
from registry.catalog.models import Environment
from registry.catalog.search.results import RELEVANCE, SearchResults
from registry.catalog.transfer import transfer as transfer_environment
from registry.errors import HubError
from registry.lookup import owner as find_owner
from registry.read_models import catalog_query
from registry.read_models import environments as read_models


@extend_schema(
    methods=["GET"],
    operation_id="listEnvironments",
    tags=["Environments"],
    summary="Search the catalogue",
    description="Listed environments that you may see, with words and filters; all filters must "
    "hold.",
    parameters=[catalog.CatalogQuery, PageQuery],
    responses=catalog.CataloguePageSerializer,
)
@extend_schema(
    methods=["POST"],
    operation_id="createEnvironment",
    tags=["Environments"],
    summary="Get or create an environment",
    description="An empty environment under a name of yours; uploading its first version makes "
    "one too, so this is for those that shall be private from the start.",
    request=catalog.NewEnvironmentSerializer,
    responses={
        200: OpenApiResponse(catalog.EnvironmentSerializer, "It exists already."),
        201: catalog.EnvironmentSerializer,
        **refusals(404, 409, 429),
    },
)
@api_view(["GET", "POST"])
@permission_classes([SignedInToWrite])
def environments(request: Request) -> Response:
    """GET: the catalogue, with `facets=1` counted too. POST: get or create an empty environment."""
    if request.method == "POST":
        return _create(request)
    query = validated_query(catalog.CatalogQuery, request)
    search = catalog_query.search(request.query_params)
    if search.mine:
        person(request)
    sort = catalog_query.sort(request.query_params, search)
    results = SearchResults(search, *get_actor(request), by_relevance=sort == RELEVANCE)
    paginator = KeysetPagination()
    paginator.request = request
    rows, paginator.cursor = catalog_query.environments(
        results, sort=sort, **validated_query(PageQuery, request)
    )
    counts = {}
    if query.get("facets"):
        counts["facets"] = catalog_query.facet_counts(results.facets())
    page = catalog.EnvironmentSerializer(read_models.summaries(rows), many=True).data
    return paginator.get_paginated_response(page, **counts)


def _create(request: Request) -> Response:
    user = person(request)
    fields = validated(catalog.NewEnvironmentSerializer, request)
    owner = find_owner(fields["owner"] or own_name(user))
    demand(request, "owner.publish", owner)
    environment, created = services.get_or_create_environment(
        owner=owner, name=fields["name"], visibility=fields["visibility"], by=user
    )
    summary = catalog.EnvironmentSerializer(read_models.summary(environment))
    return Response(summary.data, 201 if created else 200)


def own_name(user: User) -> str:
    """The name that a body without `owner` means; raises 400 for the staff who have none."""
    owner = getattr(user, "owner", None)
    if owner is None:
        message = "owner '' must not be empty"
        raise HubError("request.invalid", message, details={"field": "owner"})
    return str(owner.name)


@extend_schema(
    methods=["GET"],
    operation_id="getEnvironment",
    tags=["Environments"],
    summary="Show an environment",
    description="With its latest version, or the newest that you may see where none is listed.",
    responses=catalog.EnvironmentDetailSerializer,
)
@extend_schema(
    methods=["PATCH"],
    operation_id="changeEnvironment",
    tags=["Environments"],
    summary="Change the visibility",
    description="For maintainers and owners.",
    request=catalog.ChangedEnvironmentSerializer,
    responses=catalog.EnvironmentDetailSerializer,
)
@extend_schema(
    methods=["DELETE"],
    operation_id="deleteEnvironment",
    tags=["Environments"],
    summary="Delete an environment",
    description="For good: its versions and file names never return.",
    responses={204: None},
)
@api_view(["GET", "PATCH", "DELETE"])
@permission_classes(
    [requires(GET="environment.see", PATCH="environment.manage", DELETE="environment.delete")]
)
def environment(request: Request, owner: str, name: str) -> Response:
    """GET: an environment with its latest version. PATCH: its visibility. DELETE: for good."""
    row = lookup.environment(request, owner, name)
    if request.method == "DELETE":
        delete_environment(environment=row, by=person(request))
        return Response(status=204)
    if request.method == "PATCH":
        fields = validated(catalog.ChangedEnvironmentSerializer, request)
        services.set_visibility(environment=row, **fields, by=person(request))
    return _detail(request, row)


@extend_schema(
    operation_id="transferEnvironment",
    tags=["Environments"],
    request=catalog.NewOwnerSerializer,
    responses=catalog.EnvironmentDetailSerializer,
)
@api_view(["POST"])
@permission_classes([requires(POST="environment.transfer")])
def transfer(request: Request, owner: str, name: str) -> Response:
    """Give an environment to another owner. You must publish under both names. The old address
    leads to the new one."""
    row = lookup.environment(request, owner, name)
    to = find_owner(validated(catalog.NewOwnerSerializer, request)["owner"])
    demand(request, "owner.publish", to)
    transfer_environment(environment=row, to=to, by=person(request))
    return _detail(request, row)


@extend_schema(
    methods=["POST"],
    operation_id="deprecateEnvironment",
    tags=["Environments"],
    summary="Deprecate an environment",
    description="It stays installable; pages and the index show the reason and the successor.",
    request=catalog.NewDeprecationSerializer,
    responses=catalog.EnvironmentDetailSerializer,
)
@extend_schema(
    methods=["DELETE"],
    operation_id="undeprecateEnvironment",
    tags=["Environments"],
    summary="Take a deprecation back",
    description="409 where there is none.",
    responses={200: catalog.EnvironmentDetailSerializer},
)
@api_view(["POST", "DELETE"])
@permission_classes([requires(POST="environment.deprecate", DELETE="environment.deprecate")])
def deprecate(request: Request, owner: str, name: str) -> Response:
    """POST with a reason and perhaps a successor: deprecate. DELETE: undo it."""
    row, user = lookup.environment(request, owner, name), person(request)
    if request.method == "POST":
        fields = validated(catalog.NewDeprecationSerializer, request)
        token = get_actor(request)[1]
        successor = overlays.parse_successor(fields["successor"], actor=user, token=token)
        overlays.deprecate(environment=row, by=user, reason=fields["reason"], successor=successor)
    else:
        overlays.undeprecate(environment=row, by=user)
    return _detail(request, row)


@extend_schema(
    methods=["PUT"],
    operation_id="starEnvironment",
    tags=["Environments"],
    summary="Star an environment",
    description="May be repeated.",
    request=None,
    responses=catalog.StarredSerializer,
)
@extend_schema(
    methods=["DELETE"],
    operation_id="unstarEnvironment",
    tags=["Environments"],
    summary="Take a star away",
    description="May be repeated.",
    responses={200: catalog.StarredSerializer},
)
@api_view(["PUT", "DELETE"])
@permission_classes([requires(PUT="environment.star", DELETE="environment.star")])
def starring(request: Request, owner: str, name: str) -> Response:
    """PUT: star it. DELETE: take the star away. Either may be repeated."""
    row, starred = lookup.environment(request, owner, name), request.method == "PUT"
    (stars.star if starred else stars.unstar)(environment=row, by=person(request))
    values = {"starred": starred, "stars": row.star_count}
    return Response(catalog.StarredSerializer(values).data)


def _detail(request: Request, row: Environment) -> Response:
    """With the latest version, or the newest that the actor may see where none is current."""
    actor, token = get_actor(request)
    rows = row.versions.visible_to(actor, token).newest_first()
    rows = rows.select_related("uploaded_by", "environment__owner")
    current = rows.filter(pk=row.latest_id).first() if row.latest_id else None
    starred = stars.starred(environment=row, actor=actor)
    detail = read_models.detail(row, current or rows.first(), starred=starred)
    return Response(catalog.EnvironmentDetailSerializer(detail).data)
