"""Organisations: make and manage them, their members, and invitations into them."""

from __future__ import annotations

from typing import Any

from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts import invitations as invited
from registry.accounts import services
from registry.accounts.models import Invitation, Membership, Organisation, User
from registry.accounts.permissions import require
from registry.api import body, links, throttles
from registry.api.auth import by_token, get_actor, person
from registry.api.paging import page
from registry.api.shapes import Shape, when
from registry.errors import HubError, NotFound

ANSWERS = {"accept": invited.accept, "decline": invited.decline}


@api_view(["GET", "POST"])
def organisations(request: Request) -> Response:
    """GET: those the person belongs to. POST: a new one, whose owner the person is."""
    user = person(request)
    if request.method == "POST":
        require(user, "account.organise", user, get_actor(request)[1])
        throttles.check(request, "organisation", who=str(user.pk))
        data = body.read(request, only=("name", "title"))
        made = services.create_organisation(
            name=body.text(data, "name"), title=body.text(data, "title", default=""), by=user
        )
        return Response(_organisation(request, made), 201)
    # A token for one environment sees no more of the organisations than a stranger does.
    token = get_actor(request)[1]
    rows = Organisation.objects.select_related("owner").filter(memberships__user=user)
    rows = rows if token is None or token.environment_id is None else rows.none()
    return page(
        request, rows, by=("pk",), shape=lambda found: [_organisation(request, o) for o in found]
    )


@api_view(["GET", "PATCH"])
def organisation(request: Request, name: str) -> Response:
    """GET: its name and title, for anybody. PATCH: another title, by its owners."""
    if request.method == "GET":
        return Response(_organisation(request, find(name)))
    found, user = _allowed(request, name, "organisation.manage")
    data = body.read(request, only=("title",))
    if "title" not in data:
        raise HubError(
            "request.invalid", "title is missing; a PATCH must name it", details={"field": "title"}
        )
    services.rename(organisation=found, title=body.text(data, "title", default=""), by=user)
    return Response(_organisation(request, found))


@api_view(["GET"])
def members(request: Request, name: str) -> Response:
    """Who belongs to it, for those who do."""
    found, _ = _allowed(request, name, "organisation.see")
    rows = found.memberships.select_related("user")
    return page(request, rows, by=("pk",), shape=lambda some: [_member(one) for one in some])


@api_view(["PUT", "DELETE"])
def member(request: Request, name: str, username: str) -> Response:
    """PUT: change a member's role. DELETE: remove them, or leave."""
    leaving = request.method == "DELETE" and username == person(request).username
    verb = "organisation.leave" if leaving else "organisation.manage"
    found, by = _allowed(request, name, verb)
    if not leaving:
        by_token(request)
    membership = found.memberships.select_related("user").filter(user__username=username).first()
    if membership is None:
        raise NotFound(f"{username[:40]!r} is no member of {found}; invite them first")
    user = membership.user
    if request.method == "DELETE":
        services.remove_member(organisation=found, user=user, by=by)
        return Response(status=204)
    role = body.text(body.read(request), "role")
    return Response(_member(services.add_member(organisation=found, user=user, role=role, by=by)))


@api_view(["GET", "POST"])
def invitations(request: Request, name: str) -> Response:
    """GET: the open ones. POST {"to", "role"}: invite a user by name, or an address."""
    found, by = _allowed(request, name, "organisation.manage")
    if request.method == "POST":
        by_token(request)
        throttles.check(request, "invitation", who=str(by.pk))
        data = body.read(request)
        made = invited.invite(
            organisation=found, to=body.text(data, "to"), role=body.text(data, "role"), by=by
        )
        return Response(_invitation(made), 201)
    return _invitations(request, invited.open_ones().filter(organisation=found))


@api_view(["DELETE"])
def invitation(request: Request, name: str, pk: int) -> Response:
    """Withdraw one."""
    found, by = _allowed(request, name, "organisation.manage")
    row = invited.open_ones().filter(organisation=found, pk=pk).first()
    if row is None:
        raise NotFound("there is no such invitation, or it is over")
    invited.withdraw(invitation=row, by=by)
    return Response(status=204)


@api_view(["GET"])
def own_invitations(request: Request) -> Response:
    """Those that wait for the person's answer."""
    user = person(request)
    require(user, "account.answer", user, get_actor(request)[1])
    return _invitations(request, invited.open_ones().filter(user=user))


@api_view(["POST"])
def answer(request: Request, pk: int, answer: str) -> Response:
    """Accept or decline one that was sent to the person by name."""
    user = person(request)
    require(user, "account.answer", user, get_actor(request)[1])
    row = invited.open_ones().filter(user=user, pk=pk).first()
    if row is None:
        raise NotFound("there is no such invitation, or it is over")
    ANSWERS[answer](invitation=row, user=user)
    return Response(status=204)


def find(name: str) -> Organisation:
    """The organisation of that name, with its owner row; names are no secret."""
    found = Organisation.objects.select_related("owner").filter(owner__name=name.lower()).first()
    if found is None:
        raise NotFound(f"there is no organisation {name[:40]!r}")
    return found


def _allowed(request: Request, name: str, verb: str) -> tuple[Organisation, User]:
    found = find(name)
    who, token = get_actor(request)
    require(who, verb, found, token)
    return found, person(request)


def _invitations(request: Request, rows: Any) -> Response:
    return page(request, rows, by=("pk",), shape=lambda some: [_invitation(one) for one in some])


def _organisation(request: Request, organisation: Organisation) -> Shape:
    who, _ = get_actor(request)
    roles = who.roles if isinstance(who, User) else {}
    return {
        "name": organisation.owner.name,
        "title": organisation.title,
        "role": roles.get(organisation.owner.pk),
        "url": links.to("owner", organisation.owner.name),
    }


def _member(membership: Membership) -> Shape:
    return {
        "user": membership.user.username,
        "role": membership.role,
        "since": when(membership.since),
    }


def _invitation(invitation: Invitation) -> Shape:
    return {
        "id": invitation.pk,
        "organisation": invitation.organisation.owner.name,
        "to": invitation.user.username if invitation.user else invitation.email,
        "role": invitation.role,
        "invited_by": invitation.invited_by.username if invitation.invited_by else None,
        "created_at": when(invitation.created_at),
        "expires_at": when(invitation.expires_at),
    }
