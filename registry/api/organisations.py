"""Organisations: make and manage them, their members, and invitations into them."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view, permission_classes, throttle_classes
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts import invitations as invitation_services
from registry.accounts import services
from registry.accounts.models import Invitation, Organisation
from registry.api import lookup
from registry.api.auth import by_token, get_actor, person
from registry.api.pagination import page
from registry.api.permissions import SignedIn, requires
from registry.api.schema.auto_schema import refusals
from registry.api.serializers import organisations as serializers
from registry.api.serializers.base import validated
from registry.api.throttles import rate_scope
from registry.errors import HubError, NotFound

ANSWERS = {"accept": invitation_services.accept, "decline": invitation_services.decline}


@extend_schema(
    methods=["GET"],
    operation_id="listOrganisations",
    tags=["Organisations"],
    summary="List your organisations",
    description="Those that you belong to.",
    responses=serializers.OrganisationSerializer(many=True),
)
@extend_schema(
    methods=["POST"],
    operation_id="createOrganisation",
    tags=["Organisations"],
    summary="Make an organisation",
    description="You are then its owner. Its name is in one namespace with those of users.",
    request=serializers.NewOrganisationSerializer,
    responses={201: serializers.OrganisationSerializer, **refusals(409, 429)},
)
@api_view(["GET", "POST"])
@permission_classes([SignedIn, requires(POST="account.organise")])
@throttle_classes([rate_scope("organisation", per_person=True, method="POST")])
def organisations(request: Request) -> Response:
    """GET: those the person belongs to. POST: a new one, whose owner the person is."""
    user = person(request)
    if request.method == "POST":
        fields = validated(serializers.NewOrganisationSerializer, request)
        organisation = services.create_organisation(**fields, by=user)
        return Response(_rendered(request, organisation), 201)
    # A token for one environment sees no more of the organisations than a stranger does.
    token = get_actor(request)[1]
    rows = Organisation.objects.select_related("owner").filter(memberships__user=user)
    rows = rows if token is None or token.environment_id is None else rows.none()
    return page(
        request,
        rows,
        serializers.OrganisationSerializer,
        by=("pk",),
        context={"roles": user.roles},
    )


@extend_schema(
    methods=["GET"],
    operation_id="getOrganisation",
    tags=["Organisations"],
    summary="Show an organisation",
    description="For anybody; `role` is yours in it.",
    responses=serializers.OrganisationSerializer,
)
@extend_schema(
    methods=["PATCH"],
    operation_id="changeOrganisation",
    tags=["Organisations"],
    summary="Change the title",
    description="For its owners.",
    request=serializers.ChangedOrganisationSerializer,
    responses=serializers.OrganisationSerializer,
)
@api_view(["GET", "PATCH"])
@permission_classes([requires(PATCH="organisation.manage")])
def organisation(request: Request, name: str) -> Response:
    """GET: its name and title, for anybody. PATCH: another title, by its owners."""
    row = lookup.organisation(request, name)
    if request.method == "PATCH":
        fields = validated(serializers.ChangedOrganisationSerializer, request)
        if "title" not in request.data:
            raise HubError(
                "request.invalid",
                "title is missing; a PATCH must name it",
                details={"field": "title"},
            )
        services.rename(organisation=row, title=fields["title"], by=person(request))
    return Response(_rendered(request, row))


@extend_schema(
    operation_id="listMembers",
    tags=["Organisations"],
    responses=serializers.MemberSerializer(many=True),
)
@api_view(["GET"])
@permission_classes([requires(GET="organisation.see")])
def members(request: Request, name: str) -> Response:
    """List members. For its members."""
    rows = lookup.organisation(request, name).memberships.select_related("user")
    person(request)
    return page(request, rows, serializers.MemberSerializer, by=("pk",))


@extend_schema(
    methods=["PUT"],
    operation_id="changeMember",
    tags=["Organisations"],
    summary="Change a member's role",
    description="For its owners; the last owner stays one.",
    request=serializers.ChangedMemberSerializer,
    responses={200: serializers.MemberSerializer, **refusals(409)},
)
@extend_schema(
    methods=["DELETE"],
    operation_id="removeMember",
    tags=["Organisations"],
    summary="Remove a member, or leave",
    description="The last owner cannot leave.",
    responses={204: None, **refusals(409)},
)
@api_view(["PUT", "DELETE"])
@permission_classes([requires(PUT="organisation.manage", DELETE="organisation.manage")])
def member(request: Request, name: str, username: str) -> Response:
    """PUT: change a member's role. DELETE: remove them, or leave."""
    if request.method == "DELETE" and username == person(request).username:
        row = lookup.organisation(request, name, "organisation.leave")
    else:
        row = lookup.organisation(request, name)
        by_token(request)
    by = person(request)
    membership = row.memberships.select_related("user").filter(user__username=username).first()
    if membership is None:
        raise NotFound(f"{username[:40]!r} is no member of {row}; invite them first")
    user = membership.user
    if request.method == "DELETE":
        services.remove_member(organisation=row, user=user, by=by)
        return Response(status=204)
    fields = validated(serializers.ChangedMemberSerializer, request)
    membership = services.add_member(organisation=row, user=user, role=fields["role"], by=by)
    return Response(serializers.MemberSerializer(membership).data)


@extend_schema(
    methods=["GET"],
    operation_id="listOrganisationInvitations",
    tags=["Organisations"],
    summary="List open invitations",
    description="For its owners.",
    responses=serializers.InvitationSerializer(many=True),
)
@extend_schema(
    methods=["POST"],
    operation_id="inviteMember",
    tags=["Organisations"],
    summary="Invite a user or an address",
    description="For its owners. An address is sent a mail with a link that is good once.",
    request=serializers.NewInvitationSerializer,
    responses={201: serializers.InvitationSerializer, **refusals(409, 429)},
)
@api_view(["GET", "POST"])
@permission_classes([requires(GET="organisation.manage", POST="organisation.manage")])
@throttle_classes([rate_scope("invitation", per_person=True, method="POST")])
def invitations(request: Request, name: str) -> Response:
    """GET: the open ones. POST {"to", "role"}: invite a user by name, or an address."""
    row = lookup.organisation(request, name)
    if request.method == "POST":
        by_token(request)
        fields = validated(serializers.NewInvitationSerializer, request)
        invitation = invitation_services.invite(organisation=row, **fields, by=person(request))
        return Response(serializers.InvitationSerializer(invitation).data, 201)
    person(request)
    return _page(request, invitation_services.open_invitations().filter(organisation=row))


@extend_schema(operation_id="withdrawInvitation", tags=["Organisations"], responses={204: None})
@api_view(["DELETE"])
@permission_classes([requires(DELETE="organisation.manage")])
def invitation(request: Request, name: str, pk: int) -> Response:
    """Withdraw an invitation. For its owners."""
    rows = invitation_services.open_invitations().filter(
        organisation=lookup.organisation(request, name)
    )
    invitation_services.withdraw(invitation=_open_one(rows, pk), by=person(request))
    return Response(status=204)


@extend_schema(
    operation_id="listInvitations",
    tags=["You"],
    responses=serializers.InvitationSerializer(many=True),
)
@api_view(["GET"])
@permission_classes([requires(GET="account.answer")])
def own_invitations(request: Request) -> Response:
    """List invitations to you. Those that wait for your answer."""
    return _page(request, invitation_services.open_invitations().filter(user=person(request)))


@extend_schema(
    operation_id="acceptInvitation",
    tags=["You"],
    request=None,
    responses={204: None, **refusals(409)},
)
@api_view(["POST"])
@permission_classes([requires(POST="account.answer")])
def accept(request: Request, pk: int) -> Response:
    """Accept an invitation. You are then a member."""
    return _answer(request, pk, "accept")


@extend_schema(
    operation_id="declineInvitation",
    tags=["You"],
    request=None,
    responses={204: None, **refusals(409)},
)
@api_view(["POST"])
@permission_classes([requires(POST="account.answer")])
def decline(request: Request, pk: int) -> Response:
    """Decline an invitation. It is then over."""
    return _answer(request, pk, "decline")


def _answer(request: Request, pk: int, answer: str) -> Response:
    user = person(request)
    row = _open_one(invitation_services.open_invitations().filter(user=user), pk)
    ANSWERS[answer](invitation=row, user=user)
    return Response(status=204)


def _open_one(rows: QuerySet[Invitation], pk: int) -> Invitation:
    row = rows.filter(pk=pk).first()
    if row is None:
        raise NotFound("there is no such invitation, or it is over")
    return row


def _page(request: Request, rows: QuerySet[Invitation]) -> Response:
    return page(request, rows, serializers.InvitationSerializer, by=("pk",))


def _rendered(request: Request, organisation: Organisation) -> Any:
    roles = getattr(get_actor(request)[0], "roles", {})
    return serializers.OrganisationSerializer(organisation, context={"roles": roles}).data
