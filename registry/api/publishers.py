"""Trusted publishers of an environment, and pending ones under an owner's name."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view, permission_classes
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Owner
from registry.api import lookup
from registry.api.auth import by_token, get_actor, person
from registry.api.permissions import check_object, requires
from registry.api.schema.auto_schema import refusals
from registry.api.serializers.base import validated
from registry.api.serializers.catalog import (
    NewPendingPublisherSerializer,
    NewPublisherSerializer,
    PublisherListSerializer,
    PublisherSerializer,
)
from registry.catalog.models import Environment
from registry.lookup import owner as find_owner
from registry.publishers import services
from registry.publishers.models import TrustedPublisher

FIELDS = ("repository", "workflow", "ci_environment", "owner_id", "sub")
Manages = requires(GET="publisher.manage", POST="publisher.manage", DELETE="publisher.manage")


@extend_schema(
    methods=["GET"],
    operation_id="listPublishers",
    tags=["Trusted publishers"],
    summary="List the publishers of an environment",
    description="Workflows that may publish it without a stored token.",
    responses=PublisherListSerializer,
)
@extend_schema(
    methods=["POST"],
    operation_id="addPublisher",
    tags=["Trusted publishers"],
    summary="Trust a publisher",
    description="For owners. Which claims a kind needs stands in docs/trusted-publishing.md.",
    request=NewPublisherSerializer,
    responses={201: PublisherSerializer},
)
@api_view(["GET", "POST"])
@permission_classes([Manages])
def of_environment(request: Request, owner: str, name: str) -> Response:
    """GET: those who may publish the environment. POST: one more."""
    environment = _environment(request, owner, name)
    if request.method == "POST":
        return _add(request, environment, NewPublisherSerializer)
    return _list(environment)


@extend_schema(operation_id="removePublisher", tags=["Trusted publishers"], responses={204: None})
@api_view(["DELETE"])
@permission_classes([Manages])
def one_of_environment(request: Request, owner: str, name: str, pk: int) -> Response:
    """Remove a publisher. The tokens that it holds end now."""
    environment = _environment(request, owner, name)
    services.remove(publisher=services.of_environment(environment, pk), by=person(request))
    return Response(status=204)


@extend_schema(
    methods=["GET"],
    operation_id="listPendingPublishers",
    tags=["Trusted publishers"],
    summary="List the pending publishers of an owner",
    description="Those whose environment their first upload will make.",
    responses=PublisherListSerializer,
)
@extend_schema(
    methods=["POST"],
    operation_id="addPendingPublisher",
    tags=["Trusted publishers"],
    summary="Trust a publisher of an environment to come",
    description="Its first upload makes the environment `name`.",
    request=NewPendingPublisherSerializer,
    responses={201: PublisherSerializer, **refusals(409)},
)
@api_view(["GET", "POST"])
@permission_classes([Manages])
def of_owner(request: Request, name: str) -> Response:
    """The same for environments that their first upload will make; `name` is then in the body."""
    owner = _owner(request, name)
    if request.method == "POST":
        return _add(request, owner, NewPendingPublisherSerializer)
    return _list(owner)


@extend_schema(
    operation_id="removePendingPublisher",
    tags=["Trusted publishers"],
    responses={204: None},
)
@api_view(["DELETE"])
@permission_classes([Manages])
def one_of_owner(request: Request, name: str, pk: int) -> Response:
    """Remove a pending publisher. The environment is then not made."""
    owner = _owner(request, name)
    services.remove(publisher=services.of_owner(owner, pk), by=person(request))
    return Response(status=204)


def _list(of: Environment | Owner) -> Response:
    return Response(PublisherListSerializer({"results": services.listed(of)}).data)


def _add(
    request: Request, to: Environment | Owner, serializer: type[NewPublisherSerializer]
) -> Response:
    by_token(request)
    values = validated(serializer, request)
    publisher = services.add(
        to=to,
        name=values.get("name", ""),
        kind=values["kind"],
        issuer=values["issuer"],
        fields={name: values[name] for name in FIELDS} | (values["claims"] or {}),
        by=person(request),
        token=get_actor(request)[1],
    )
    return Response(PublisherSerializer(publisher).data, 201)


def _environment(request: Request, owner: str, name: str) -> Environment:
    """The environment, where the actor sees it and manages its publishers."""
    environment = lookup.environment(request, owner, name, "environment.see")
    check_object(request, TrustedPublisher(environment=environment))
    return environment


def _owner(request: Request, name: str) -> Owner:
    owner = find_owner(name)
    check_object(request, TrustedPublisher(owner=owner))
    return owner
