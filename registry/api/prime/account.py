"""`prime whoami`, `config`, `switch` and `teams`: a team is an organisation, its id its name."""

from __future__ import annotations

from django.conf import settings
from django.urls import reverse
from rest_framework.decorators import permission_classes
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Membership
from registry.api import lookup
from registry.api.auth import get_actor, person, sole_person
from registry.api.permissions import SignedIn, requires
from registry.api.prime.endpoint import answer, endpoint
from registry.api.prime.inputs import TeamsQuery
from registry.api.prime.outputs import MemberSerializer, TeamSerializer, WhoamiSerializer
from registry.api.serializers.base import validated_query
from registry.errors import HubError

MAX_MEMBERS = 1000


@endpoint("GET")
@permission_classes([SignedIn])
def whoami(request: Request) -> Response:
    """The person, and what the token may do."""
    context = {"token": get_actor(request)[1]}
    return answer(WhoamiSerializer(sole_person(request), context=context).data)


@endpoint("GET")
@permission_classes([SignedIn])
def teams(request: Request) -> Response:
    """The person's organisations; a token for one environment opens none of them."""
    user, (_, token) = person(request), get_actor(request)
    query = validated_query(TeamsQuery, request)
    rows = (
        Membership.objects.filter(user=user, organisation__owner__isnull=False)
        .select_related("organisation__owner")
        .order_by("organisation__owner__name")
    )
    if token is not None and token.environment_id is not None:
        rows = rows.none()
    page = rows[query["offset"] : query["offset"] + query["limit"]]
    return answer(TeamSerializer(page, many=True).data, total_count=rows.count(), **query)


@endpoint("GET")
@permission_classes([requires(GET="organisation.see")])
def members(request: Request, team: str) -> Response:
    """Who is in an organisation, for those who are."""
    organisation = lookup.organisation(request, team)
    rows = organisation.memberships.select_related("user").order_by("user__username")
    return answer(MemberSerializer(rows[:MAX_MEMBERS], many=True).data)


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
