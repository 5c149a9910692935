"""What an owner may store, upload and have waiting, and what of it is used."""

from __future__ import annotations

from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Owner
from registry.accounts.permissions import require
from registry.api import body, lookup, shapes
from registry.api.auth import get_actor, person
from registry.quotas import services


@api_view(["GET", "PATCH"])
def of_owner(request: Request, name: str) -> Response:
    """GET: for those who belong to the owner. PATCH, for staff: set the limits that are sent; null
    returns to the hub's own setting."""
    owner = lookup.owner(name)
    who, token = get_actor(request)
    if request.method == "GET":
        require(who, "owner.quota", owner, token)
        return Response(shape(owner))
    require(who, "hub.moderate", who, token)
    data = body.read(request, only=services.FIELDS)
    limits = {field: body.whole(data, field) for field in data}
    services.change(owner=owner, by=person(request), **limits)
    return Response(shape(owner))


def shape(owner: Owner) -> shapes.Shape:
    """OwnerQuota."""
    limits, usage = services.measure(owner=owner)
    return {
        "owner": owner.name,
        "limits": services.as_dict(limits),
        "usage": services.as_dict(usage),
    }
