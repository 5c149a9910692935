"""Webhooks of environments and owners. For their owners and maintainers, with admin tokens."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view, permission_classes
from rest_framework.request import Request
from rest_framework.response import Response

from registry import lookup as rows
from registry.accounts.models import Owner
from registry.accounts.permissions import can
from registry.api import lookup
from registry.api.auth import get_actor, person
from registry.api.pagination import page
from registry.api.permissions import SignedIn, check_object, demand, requires
from registry.api.schema.auto_schema import refusals
from registry.api.serializers import webhooks as serializers
from registry.api.serializers.base import validated
from registry.catalog.models import Environment
from registry.errors import NotFound
from registry.read_models import webhooks as read_models
from registry.webhooks import services
from registry.webhooks.models import Webhook

Manages = requires(GET="webhook.manage", POST="webhook.manage")
LIST: dict[str, Any] = {
    "methods": ["GET"],
    "tags": ["Webhooks"],
    "description": "For owners and maintainers.",
    "responses": serializers.WebhookListSerializer,
}
ADD: dict[str, Any] = {
    "methods": ["POST"],
    "tags": ["Webhooks"],
    "description": "For owners and maintainers; the response alone contains the secret.",
    "request": serializers.NewWebhookSerializer,
    "responses": {201: serializers.CreatedWebhookSerializer, **refusals(413)},
}


@extend_schema(operation_id="listWebhooks", summary="List webhooks of an environment", **LIST)
@extend_schema(operation_id="addWebhook", summary="Add a webhook to an environment", **ADD)
@api_view(["GET", "POST"])
@permission_classes([Manages])
def of_environment(request: Request, owner: str, name: str) -> Response:
    """GET: the webhooks of the environment alone. POST: add one."""
    env = lookup.environment(request, owner, name, "environment.see")
    check_object(request, Webhook(environment=env, owner=env.owner))
    return _listed_or_added(request, env)


@extend_schema(operation_id="listOwnerWebhooks", summary="List webhooks of an owner", **LIST)
@extend_schema(operation_id="addOwnerWebhook", summary="Add a webhook to an owner", **ADD)
@api_view(["GET", "POST"])
@permission_classes([Manages])
def of_owner(request: Request, name: str) -> Response:
    """GET: the webhooks of all the owner's environments. POST: add one."""
    owner = rows.owner(name)
    check_object(request, Webhook(owner=owner))
    return _listed_or_added(request, owner)


def _listed_or_added(request: Request, to: Environment | Owner) -> Response:
    if request.method == "POST":
        fields = validated(serializers.NewWebhookSerializer, request)
        row, secret = services.add(to=to, by=person(request), **fields)
        created = serializers.WebhookWithSecret(read_models.summary(row), secret)
        return Response(serializers.CreatedWebhookSerializer(created).data, 201)
    own = services.of_owner(to) if isinstance(to, Owner) else services.of_environment(to)
    own = own.select_related("owner", "environment__owner", "created_by")
    listed = serializers.WebhookList(read_models.summaries(list(own)))
    return Response(serializers.WebhookListSerializer(listed).data)


@extend_schema(
    methods=["GET"],
    operation_id="getWebhook",
    tags=["Webhooks"],
    summary="Show a webhook",
    description="For owners and maintainers.",
    responses=serializers.WebhookSerializer,
)
@extend_schema(
    methods=["DELETE"],
    operation_id="removeWebhook",
    tags=["Webhooks"],
    summary="Remove a webhook",
    description="With the log of its deliveries.",
    responses={204: None},
)
@api_view(["GET", "DELETE"])
@permission_classes([SignedIn])
def webhook(request: Request, pk: UUID) -> Response:
    """GET: a webhook. DELETE: remove it."""
    row = _managed(request, pk)
    if request.method == "DELETE":
        services.remove(webhook=row, by=person(request))
        return Response(status=204)
    return Response(serializers.WebhookSerializer(read_models.summary(row)).data)


@extend_schema(
    operation_id="enableWebhook",
    tags=["Webhooks"],
    request=None,
    responses={200: serializers.WebhookSerializer, **refusals(409)},
)
@api_view(["POST"])
@permission_classes([SignedIn])
def enable(request: Request, pk: UUID) -> Response:
    """Enable a webhook again. It was disabled after three days of failures."""
    row = _managed(request, pk)
    services.enable(webhook=row, by=person(request))
    return Response(serializers.WebhookSerializer(read_models.summary(row)).data)


@extend_schema(
    operation_id="renewWebhookSecret",
    tags=["Webhooks"],
    request=None,
    responses=serializers.CreatedWebhookSerializer,
)
@api_view(["POST"])
@permission_classes([SignedIn])
def renew(request: Request, pk: UUID) -> Response:
    """Give a webhook a new secret. The response alone contains it; the old one ends at once."""
    row = _managed(request, pk)
    secret = services.renew_secret(webhook=row, by=person(request))
    renewed = serializers.WebhookWithSecret(read_models.summary(row), secret)
    return Response(serializers.CreatedWebhookSerializer(renewed).data)


@extend_schema(
    methods=["GET"],
    operation_id="listWebhookDeliveries",
    tags=["Webhooks"],
    summary="List the deliveries of a webhook",
    description="Of the last 30 days, the newest first.",
    responses=serializers.DeliverySerializer(many=True),
)
@extend_schema(
    methods=["POST"],
    operation_id="testWebhook",
    tags=["Webhooks"],
    summary="Send a test to a webhook",
    description="A message of type `webhook.test`, within half a minute.",
    request=None,
    responses={201: serializers.DeliverySerializer, **refusals(409)},
)
@api_view(["GET", "POST"])
@permission_classes([SignedIn])
def deliveries(request: Request, pk: UUID) -> Response:
    """GET: the log of a webhook. POST: send a test."""
    row = _managed(request, pk)
    if request.method == "POST":
        created = read_models.delivery(services.test(webhook=row))
        return Response(serializers.DeliverySerializer(created).data, 201)
    return page(
        request,
        row.deliveries.all(),
        serializers.DeliverySerializer,
        by=("-pk",),
        read=read_models.deliveries,
    )


@extend_schema(
    operation_id="redeliverWebhook",
    tags=["Webhooks"],
    request=None,
    responses={200: serializers.DeliverySerializer, **refusals(409)},
)
@api_view(["POST"])
@permission_classes([SignedIn])
def redeliver(request: Request, pk: UUID, number: int) -> Response:
    """Send a delivery again. With the same id and body, so that the receiver can recognise it."""
    row = services.redeliver(webhook=_managed(request, pk), pk=number)
    return Response(serializers.DeliverySerializer(read_models.delivery(row)).data)


def _managed(request: Request, pk: UUID) -> Webhook:
    """The webhook, for those who manage it; its existence is a secret of theirs."""
    person(request)
    row = services.find(pk)
    actor = get_actor(request)[0]
    if not can(actor, "webhook.manage", row):
        raise NotFound("there is no such webhook")
    demand(request, "webhook.manage", row)
    return row
