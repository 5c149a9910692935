"""Who am I, my tokens, and signing in from the command line."""

from __future__ import annotations

from django.db.models import F
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.decorators import (
    api_view,
    authentication_classes,
    permission_classes,
    throttle_classes,
)
from rest_framework.request import Request
from rest_framework.response import Response

from envyard.contract.names import BadName, parse_ref
from registry.accounts import devices, second_factor, tokens
from registry.accounts.models import Owner, Token
from registry.api import lookup
from registry.api.auth import get_actor, person, sole_person
from registry.api.pagination import page
from registry.api.permissions import SignedIn, demand, requires
from registry.api.schema.auto_schema import refusals
from registry.api.serializers import people
from registry.api.serializers.base import validated
from registry.api.throttles import rate_scope
from registry.catalog.models import Environment
from registry.errors import Forbidden, HubError
from registry.publishers import publisher_tokens
from registry.read_models import links

CURRENT = "current"


@extend_schema(operation_id="whoami", tags=["You"], responses=people.WhoamiSerializer)
@api_view(["GET"])
@permission_classes([SignedIn])
def whoami(request: Request) -> Response:
    """Show who you are. The names you may publish under or look into, and the token you use."""
    user = sole_person(request)
    _, token = get_actor(request)
    # A token for one environment may publish under none of them.
    own_first = F("organisation_id").asc(nulls_first=True)
    owners = Owner.objects.filter(pk__in=user.roles).order_by(own_first, "name")
    owners = owners if token is None or token.environment_id is None else owners.none()
    refusal = second_factor.refusal(user) if second_factor.missing(user) else None
    values = {
        "user": user,
        "owners": [(owner, user.roles[owner.pk]) for owner in owners],
        "publish_refusal": refusal,
        "token": token,
    }
    return Response(people.WhoamiSerializer(values).data)


@extend_schema(
    methods=["GET"],
    operation_id="listTokens",
    tags=["You"],
    summary="List your tokens",
    description="Those that are not revoked, newest first, without their secrets.",
    responses=people.TokenSerializer(many=True),
)
@extend_schema(
    methods=["POST"],
    operation_id="createToken",
    tags=["You"],
    summary="Make a token",
    description="Needs an admin token; its text is shown this once. In the browser there is a "
    "page.",
    request=people.TokenRequestSerializer,
    responses={201: people.NewTokenSerializer, **refusals(404, 409, 429)},
)
@api_view(["GET", "POST"])
@permission_classes([requires(GET="token.manage", POST="token.manage")])
@throttle_classes([rate_scope("token", per_person=True, method="POST")])
def own_tokens(request: Request) -> Response:
    """GET: the person's tokens but revoked ones. POST: a new one, whose text is shown this once.

    It expires after `days`, never where they are null; after 90 where they are left out, or with
    the token that makes it where that ends sooner. It may not outlive or exceed that token, and is
    revoked with it.
    """
    if request.method == "POST":
        return _mint(request)
    # Not those of trusted publishers, which expire within minutes.
    rows = Token.objects.filter(user=person(request), revoked_at=None, published_with={})
    rows = rows.select_related("environment__owner", "parent")
    return page(request, rows, people.TokenSerializer, by=("-pk",))


def _mint(request: Request) -> Response:
    parent = get_actor(request)[1]
    if parent is None:
        raise Forbidden(
            "a browser session makes no tokens here",
            "Make one on the Tokens page, which asks for the password, or send an admin token.",
        )
    fields = validated(people.TokenRequestSerializer, request)
    token, text = tokens.mint(
        user=person(request),
        name=fields["name"],
        scope=fields["scope"],
        environment=_environment(request, fields["environment"]),
        days=fields["days"],
        parent=parent,
        shorten="days" not in request.data,
    )
    return Response(people.NewTokenSerializer(token, context={"text": text}).data, 201)


def _environment(request: Request, ref: str) -> Environment | None:
    """The environment a new token is bound to; one may bind it only to what one can see."""
    if not ref:
        return None
    try:
        parsed = parse_ref(ref)
    except BadName as error:
        raise HubError("request.invalid", str(error), details={"field": "environment"}) from None
    return lookup.environment(request, parsed.owner, parsed.name, "environment.see")


@extend_schema(operation_id="revokeToken", tags=["You"], responses={204: None})
@api_view(["DELETE"])
@permission_classes([SignedIn])
def own_token(request: Request, public_id: str) -> Response:
    """Revoke a token. `current` is the request's own token, which any token may end."""
    _, token = get_actor(request)
    if public_id == CURRENT and token and token.claims:
        publisher_tokens.end(token=token)
    elif public_id == CURRENT and token:
        tokens.revoke(user=token.user, public_id=token.public_id)
    else:
        user = person(request)
        demand(request, "token.manage", Token(user=user))
        tokens.revoke(user=user, public_id=public_id)
    return Response(status=204)


@extend_schema(
    operation_id="beginLogin",
    tags=["You"],
    request=people.DeviceSerializer,
    responses={200: people.DeviceLoginSerializer, **refusals(429)},
)
@api_view(["POST"])
@authentication_classes([])
@throttle_classes([rate_scope("device")])
def login(request: Request) -> Response:
    """Begin to sign a machine in. Gives a code for the browser and a secret to poll with, as `hub
    login` does (RFC 8628)."""
    begun = devices.begin(**validated(people.DeviceSerializer, request))
    page = links.to("device")
    values = {
        "device_code": begun.device_code,
        "user_code": begun.user_code,
        "verification_url": page,
        "verification_url_complete": f"{page}?code={begun.user_code}",
        "interval": begun.interval,
        "expires_in": begun.expires_in,
    }
    return Response(people.DeviceLoginSerializer(values).data)


@extend_schema(
    operation_id="pollLogin",
    tags=["You"],
    request=people.DeviceCodeSerializer,
    responses={
        200: people.SignedInSerializer,
        202: OpenApiResponse(people.PendingSerializer, "Nobody decided yet."),
        **refusals(403, 404, 410, 429),
    },
)
@api_view(["POST"])
@authentication_classes([])
@throttle_classes([rate_scope("poll")])
def poll(request: Request) -> Response:
    """Ask whether the sign-in was approved. 202 while nobody decided; the token is given once."""
    minted = devices.poll(**validated(people.DeviceCodeSerializer, request))
    if minted is None:
        return Response(people.PendingSerializer({"status": "pending"}).data, 202)
    token, text = minted
    values = {"token": text, "user": token.user.username}
    return Response(people.SignedInSerializer(values).data)
