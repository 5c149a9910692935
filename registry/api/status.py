"""Whether the hub works, for everybody."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view, authentication_classes
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.serializers.base import read_model
from registry.read_models import status as read_models

HubStatusSerializer = read_model(read_models.HubStatus)


@extend_schema(operation_id="getStatus", tags=["Runners"], responses=HubStatusSerializer)
@api_view(["GET"])
@authentication_classes([])  # the same for everybody
def status(request: Request) -> Response:
    """Show whether the hub works. Queue, runners, models, storage and the faults of the last day,
    at most 15 seconds old; counts and times, no names of runners."""
    return Response(HubStatusSerializer(read_models.current()).data)
