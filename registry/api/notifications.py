"""Notifications of the person, and watched environments."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view, permission_classes
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api import lookup
from registry.api.auth import person
from registry.api.pagination import page
from registry.api.permissions import requires
from registry.api.schema.auto_schema import refusals
from registry.api.serializers import notifications as serializers
from registry.api.serializers.base import validated, validated_query
from registry.notifications import services, watches
from registry.read_models import notifications as read_models


@extend_schema(
    operation_id="listNotifications",
    tags=["You"],
    parameters=[serializers.NotificationQuery],
    responses=serializers.NotificationSerializer(many=True),
)
@api_view(["GET"])
@permission_classes([requires(GET="account.read_notifications")])
def notifications(request: Request) -> Response:
    """List your notifications. Those whose environment you may still see, the newest first."""
    unread = validated_query(serializers.NotificationQuery, request).get("state") == "unread"
    return page(
        request,
        read_models.rows(person(request), unread=unread),
        serializers.NotificationSerializer,
        by=("-pk",),
        read=read_models.summaries,
    )


@extend_schema(
    operation_id="markNotificationsRead",
    tags=["You"],
    request=serializers.MarkReadSerializer,
    responses=serializers.MarkedReadSerializer,
)
@api_view(["POST"])
@permission_classes([requires(POST="account.mark_notifications")])
def read(request: Request) -> Response:
    """Mark notifications as read. One by its `id`, or all of yours without it."""
    fields = validated(serializers.MarkReadSerializer, request)
    marked = services.mark_read(user=person(request), pk=fields["id"])
    return Response(serializers.MarkedReadSerializer({"marked": marked}).data)


@extend_schema(
    operation_id="listWatchedEnvironments",
    tags=["You"],
    responses=serializers.WatchSerializer(many=True),
)
@api_view(["GET"])
@permission_classes([requires(GET="account.read_notifications")])
def watched(request: Request) -> Response:
    """List the environments that you watch. The newest watch first."""
    rows = read_models.watched(person(request))
    return page(request, rows, serializers.WatchSerializer, by=("-pk",))


@extend_schema(
    methods=["PUT"],
    operation_id="watchEnvironment",
    tags=["Environments"],
    summary="Watch an environment",
    description="You are notified when a version of it is listed, yanked, quarantined, evaluated "
    "or does not pass any more. May be repeated.",
    request=None,
    responses={200: serializers.WatchingSerializer, **refusals(413)},
)
@extend_schema(
    methods=["DELETE"],
    operation_id="unwatchEnvironment",
    tags=["Environments"],
    summary="End the watch of an environment",
    description="May be repeated.",
    responses={200: serializers.WatchingSerializer},
)
@api_view(["PUT", "DELETE"])
@permission_classes([requires(PUT="environment.watch", DELETE="environment.watch")])
def watching(request: Request, owner: str, name: str) -> Response:
    """PUT: watch it. DELETE: end the watch. Either may be repeated."""
    row, on = lookup.environment(request, owner, name), request.method == "PUT"
    (watches.watch if on else watches.unwatch)(environment=row, by=person(request))
    return Response(serializers.WatchingSerializer({"watching": on}).data)
