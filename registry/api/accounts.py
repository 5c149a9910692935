"""Who am I, my tokens, and signing in from the command line."""

from __future__ import annotations

from typing import Any

from django.db.models import F
from rest_framework.decorators import api_view, authentication_classes
from rest_framework.request import Request
from rest_framework.response import Response

from envyard.contract.names import BadName, parse_ref
from registry.accounts import devices, second_factor, tokens
from registry.accounts.models import Owner, Token, User
from registry.accounts.permissions import require
from registry.api import body, links, lookup, shapes, throttles
from registry.api.auth import get_actor, person, sole_person
from registry.api.paging import page
from registry.catalog.models import Environment
from registry.errors import Forbidden, HubError
from registry.publishers import publisher_tokens

CURRENT = "current"


@api_view(["GET"])
def whoami(request: Request) -> Response:
    """The person, the names they may publish under or look into, what keeps them from publishing
    anywhere, and the token they use.

    A token for one environment may do neither under any name.
    """
    user = sole_person(request)
    _, token = get_actor(request)
    own_first = F("organisation_id").asc(nulls_first=True)
    owners = Owner.objects.filter(pk__in=user.roles).order_by(own_first, "name")
    owners = owners if token is None or token.environment_id is None else owners.none()
    return Response(
        {
            "user": user.username,
            "owners": [
                {
                    "name": owner.name,
                    "kind": "organisation" if owner.organisation_id else "user",
                    "role": user.roles[owner.pk],
                }
                for owner in owners
            ],
            "publish_refusal": _publish_refusal(user),
            "token": shapes.token(token) if token else None,
        }
    )


def _publish_refusal(user: User) -> shapes.Shape | None:
    if not second_factor.missing(user):
        return None
    refusal = second_factor.refusal(user)
    return {"code": refusal.code, "message": refusal.message, "hint": refusal.hint}


@api_view(["GET", "POST"])
def own_tokens(request: Request) -> Response:
    """GET: the person's tokens but revoked ones. POST: a new one, whose text is shown this once.

    It expires after `days`, never where they are null; after 90 where they are left out, or with
    the token that makes it where that ends sooner. It may not outlive or exceed that token, and is
    revoked with it.
    """
    user = _manager(request)
    if request.method == "POST":
        return _mint(request, user)
    # Not those of trusted publishers, which are soon gone.
    mine = Token.objects.filter(user=user, revoked_at=None, published_with={})
    rows = mine.select_related("environment__owner", "parent")
    return page(
        request, rows, by=("-pk",), shape=lambda found: [shapes.token(token) for token in found]
    )


def _mint(request: Request, user: User) -> Response:
    parent = get_actor(request)[1]
    if parent is None:
        raise Forbidden(
            "a browser session makes no tokens here",
            "Make one on the Tokens page, which asks for the password, or send an admin token.",
        )
    throttles.check(request, "token", who=str(user.pk))
    data = body.read(request, only=("name", "scope", "environment", "days"))
    token, text = tokens.mint(
        user=user,
        name=body.text(data, "name"),
        scope=body.text(data, "scope"),
        environment=_environment(request, body.text(data, "environment", default="")),
        days=body.whole(data, "days") if "days" in data else tokens.DAYS,
        parent=parent,
        shorten="days" not in data,
    )
    return Response({"token": text} | shapes.token(token), 201)


def _environment(request: Request, ref: str) -> Environment | None:
    """The environment a new token is bound to; one may bind it only to what one can see."""
    if not ref:
        return None
    try:
        wanted = parse_ref(ref)
    except BadName as refused:
        raise HubError("request.invalid", str(refused), details={"field": "environment"}) from None
    return lookup.environment(request, wanted.owner, wanted.name, "environment.see")


@api_view(["DELETE"])
def own_token(request: Request, public_id: str) -> Response:
    """Revoke one of the person's tokens; `current` is the request's own, which any may end."""
    _, token = get_actor(request)
    if public_id == CURRENT and token and token.claims:
        publisher_tokens.end(token=token)
    elif public_id == CURRENT and token:
        tokens.revoke(user=token.user, public_id=token.public_id)
    else:
        tokens.revoke(user=_manager(request), public_id=public_id)
    return Response(status=204)


def _manager(request: Request) -> User:
    """The person, where browser session or token may manage tokens."""
    user = person(request)
    _, token = get_actor(request)
    require(user, "token.manage", Token(user=user), token)
    return user


@api_view(["POST"])
@authentication_classes([])
def login(request: Request) -> Response:
    """Begin `hub login`: a code for the browser and a secret to poll with (RFC 8628)."""
    throttles.check(request, "device")
    begun = devices.begin(device_name=body.text(body.read(request), "device_name"))
    page = links.to("device")
    answer: dict[str, Any] = {
        "device_code": begun.device_code,
        "user_code": begun.user_code,
        "verification_url": page,
        "verification_url_complete": f"{page}?code={begun.user_code}",
        "interval": begun.interval,
        "expires_in": begun.expires_in,
    }
    return Response(answer)


@api_view(["POST"])
@authentication_classes([])
def poll(request: Request) -> Response:
    """202 while undecided; 200 with the token once; 403 denied; 410 over."""
    throttles.check(request, "poll")
    minted = devices.poll(device_code=body.text(body.read(request), "device_code"))
    if minted is None:
        return Response({"status": "pending"}, 202)
    token, text = minted
    return Response({"token": text, "user": token.user.username})
