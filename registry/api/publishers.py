"""Trusted publishers of an environment, and pending ones under an owner's name."""

from __future__ import annotations

from typing import Any

from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Owner
from registry.accounts.permissions import require
from registry.api import body, lookup, shapes
from registry.api.auth import by_token, get_actor, person
from registry.catalog.models import Environment
from registry.publishers import services
from registry.publishers.models import TrustedPublisher

FIELDS = ("repository", "workflow", "ci_environment", "owner_id", "sub")


@api_view(["GET", "POST"])
def of_environment(request: Request, owner: str, name: str) -> Response:
    """GET: those who may publish the environment. POST: one more."""
    environment = _environment(request, owner, name)
    if request.method == "POST":
        return _add(request, environment)
    return Response({"results": [shape(row) for row in services.listed(environment)]})


@api_view(["DELETE"])
def one_of_environment(request: Request, owner: str, name: str, pk: int) -> Response:
    """Remove one; the tokens it holds end now."""
    environment = _environment(request, owner, name)
    services.remove(publisher=services.of_environment(environment, pk), by=person(request))
    return Response(status=204)


@api_view(["GET", "POST"])
def of_owner(request: Request, name: str) -> Response:
    """The same for environments that their first upload will make; `name` is then in the body."""
    owner = _owner(request, name)
    if request.method == "POST":
        return _add(request, owner)
    return Response({"results": [shape(row) for row in services.listed(owner)]})


@api_view(["DELETE"])
def one_of_owner(request: Request, name: str, pk: int) -> Response:
    """Remove a pending one."""
    owner = _owner(request, name)
    services.remove(publisher=services.of_owner(owner, pk), by=person(request))
    return Response(status=204)


def shape(publisher: TrustedPublisher) -> shapes.Shape:
    """TrustedPublisher; `claims` is what a token must say."""
    return {
        "id": publisher.pk,
        "environment": str(publisher),
        "pending": publisher.environment_id is None,
        "kind": publisher.kind,
        "issuer": publisher.issuer,
        "claims": publisher.claims,
        "added_by": publisher.added_by.username,
        "added_at": shapes.when(publisher.added_at),
        "last_used_at": shapes.when(publisher.last_used_at),
    }


def _add(request: Request, to: Environment | Owner) -> Response:
    by_token(request)
    data = body.read(request)
    fields = {name: body.text(data, name, default="") for name in FIELDS}
    more: Any = data.get("claims") or {}
    if isinstance(more, dict):
        fields |= {body.text({"claims": name}, "claims"): body.text(more, name) for name in more}
    made = services.add(
        to=to,
        name=body.text(data, "name", default=""),
        kind=body.text(data, "kind"),
        issuer=body.text(data, "issuer", default=""),
        fields=fields,
        by=person(request),
        token=get_actor(request)[1],
    )
    return Response(shape(made), 201)


def _environment(request: Request, owner: str, name: str) -> Environment:
    found = lookup.environment(request, owner, name, "environment.see")
    who, token = get_actor(request)
    require(who, "publisher.manage", TrustedPublisher(environment=found), token)
    return found


def _owner(request: Request, name: str) -> Owner:
    found = lookup.find_owner(name)
    who, token = get_actor(request)
    require(who, "publisher.manage", TrustedPublisher(owner=found), token)
    return found
