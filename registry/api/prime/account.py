"""`prime whoami`, `config`, `switch` and `teams`: a team is an organisation, its id its name."""

from __future__ import annotations

from django.conf import settings
from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Membership, Token
from registry.accounts.permissions import require
from registry.api.auth import get_actor, person, sole_person
from registry.api.prime.endpoint import answer, endpoint
from registry.api.prime.query import query_number
from registry.errors import HubError, NotFound
from registry.lookup import owner as find_owner
from registry.read_models.times import when


@endpoint("GET")
def whoami(request: Request) -> Response:
    """The person, and what the token may do; the address is for tokens of the whole person."""
    user = sole_person(request)
    _, token = get_actor(request)
    whole_person = token is None or token.environment_id is None
    writes = token is None or token.scope != Token.Scope.READ
    may = {"read": True, "write": writes}
    return answer(
        {
            "id": user.username,
            "slug": user.owner.name,
            "name": user.get_full_name() or user.username,
            "email": user.email if whole_person else None,
            "scope": {"environments": may, "evaluations": may},
        }
    )


@endpoint("GET")
def teams(request: Request) -> Response:
    """The person's organisations; a token for one environment opens none of them."""
    user, (_, token) = person(request), get_actor(request)
    limit = query_number(request, "limit", 100, low=1, high=100)
    offset = query_number(request, "offset", 0, low=0, high=1_000_000)
    rows = (
        Membership.objects.filter(user=user, organisation__owner__isnull=False)
        .select_related("organisation__owner")
        .order_by("organisation__owner__name")
    )
    if token is not None and token.environment_id is not None:
        rows = rows.none()
    shown = [
        {
            "teamId": row.organisation.owner.name,
            "slug": row.organisation.owner.name,
            "name": row.organisation.title or row.organisation.owner.name,
            "role": row.role,
            "createdAt": when(row.organisation.created_at),
        }
        for row in rows[offset : offset + limit]
    ]
    return Response({"data": shown, "total_count": rows.count(), "offset": offset, "limit": limit})


@endpoint("GET")
def members(request: Request, team: str) -> Response:
    """Who is in an organisation, for those who are; without addresses."""
    organisation = find_owner(team).organisation
    if organisation is None:
        raise NotFound(f"you are in no organisation {team[:40]!r}")
    actor, token = get_actor(request)
    require(actor, "organisation.see", organisation, token)
    rows = organisation.memberships.select_related("user").order_by("user__username")
    shown = [
        {
            "userId": row.user.username,
            "userName": row.user.get_full_name() or row.user.username,
            "userEmail": None,
            "role": row.role,
            "joinedAt": when(row.since),
        }
        for row in rows[:1000]
    ]
    return answer(shown)


@endpoint("POST", "GET")
def login(request: Request) -> Response:
    """`prime login` has a page of its own on the other side; here one makes a token."""
    address = settings.HUB_URL + reverse("tokens")
    raise HubError(
        "prime.not_offered",
        "this hub has no `prime login`",
        f"Make a token at {address} and run `prime config set-api-key`.",
        403,
    )


@endpoint("GET", "POST", "PUT", "PATCH", "DELETE")
def refuse(request: Request, **_: str) -> Response:
    """What the hub does not offer, refused so that no client waits for it."""
    subject = request.path.removeprefix("/api/v1/").split("/")[0]
    raise HubError(
        "prime.not_offered",
        f"this hub does not offer what prime asks for at {subject!r}: it keeps environments and "
        "evaluations, and runs none in the cloud",
        status=403,
    )


@endpoint("GET", "POST", "PUT", "PATCH", "DELETE")
def no_traces(request: Request, **_: str) -> Response:
    """Traces are refused by the one code after which verifiers pushes samples instead."""
    raise HubError("service_not_enabled", status=403)
