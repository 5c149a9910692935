"""What an owner may store, upload and have waiting, and what of it is used."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view, permission_classes
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Owner
from registry.api import lookup
from registry.api.auth import person
from registry.api.permissions import requires
from registry.api.serializers.base import validated
from registry.api.serializers.people import ChangedQuotaSerializer, OwnerQuotaSerializer
from registry.quotas import services


@extend_schema(
    methods=["GET"],
    operation_id="getQuota",
    tags=["You"],
    summary="Show the quota of an owner",
    description="For those who belong to it, and staff: limits of storage, queue and uploads, and "
    "usage.",
    responses=OwnerQuotaSerializer,
)
@extend_schema(
    methods=["PATCH"],
    operation_id="changeQuota",
    tags=["Moderation"],
    summary="Set the quota of an owner",
    description="For staff: the limits that are sent; null returns to the hub's own setting.",
    request=ChangedQuotaSerializer,
    responses=OwnerQuotaSerializer,
)
@api_view(["GET", "PATCH"])
@permission_classes([requires(GET="owner.quota", PATCH="hub.moderate")])
def of_owner(request: Request, name: str) -> Response:
    """GET: for those who belong to the owner. PATCH, for staff: set the limits that are sent; null
    returns to the hub's own setting."""
    owner = lookup.owner(request, name)
    if request.method == "PATCH":
        limits = validated(ChangedQuotaSerializer, request)
        services.change(owner=owner, by=person(request), **limits)
    return Response(OwnerQuotaSerializer(measured(owner)).data)


def measured(owner: Owner) -> dict[str, object]:
    """The fields of OwnerQuotaSerializer."""
    limits, usage = services.measure(owner=owner)
    return {"owner": owner.name, "limits": limits, "usage": usage}
