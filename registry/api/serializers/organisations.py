"""Organisations, their members, and invitations into them."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.serializers import Serializer

from registry.accounts.models import Invitation, Membership, Organisation
from registry.api.serializers.base import Body, SharedFieldsSerializer
from registry.api.serializers.fields import Choice, Text
from registry.read_models import links

ROLES = Membership.Role.values


class OrganisationSerializer(Serializer[Organisation]):
    """An organisation; `role` is yours in it."""

    name = serializers.CharField(source="owner.name")
    title = serializers.CharField()
    role = serializers.SerializerMethodField()
    url = serializers.SerializerMethodField()

    @extend_schema_field(serializers.ChoiceField(ROLES, allow_null=True))
    def get_role(self, organisation: Organisation) -> str | None:
        """The role of the person in the context."""
        role: str | None = self.context["roles"].get(organisation.owner.pk)
        return role

    def get_url(self, organisation: Organisation) -> str:
        """The organisation's page."""
        return links.to("owner", organisation.owner.name)


class NewOrganisationSerializer(Body):
    """An organisation to make."""

    refuses_unknown = True
    name = Text()
    title = Text(required=False)


class ChangedOrganisationSerializer(Body):
    """What may be changed of an organisation."""

    refuses_unknown = True
    title = Text(required=False)


class MemberSerializer(SharedFieldsSerializer):
    """A member of an organisation."""

    user = serializers.CharField(source="user.username")
    role = serializers.ChoiceField(ROLES)
    since = serializers.DateTimeField()


class ChangedMemberSerializer(Body):
    """Another role."""

    role = Choice(ROLES)


class InvitationSerializer(Serializer[Invitation]):
    """An invitation into an organisation, to a user or an address."""

    id = serializers.IntegerField()
    organisation = serializers.CharField(source="organisation.owner.name")
    to = serializers.SerializerMethodField()
    role = serializers.ChoiceField(ROLES)
    invited_by = serializers.CharField(source="invited_by.username", allow_null=True)
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()

    def get_to(self, invitation: Invitation) -> str:
        """The user's name or the address."""
        return invitation.user.username if invitation.user else invitation.email


class NewInvitationSerializer(Body):
    """The user name or address to invite, and the role."""

    to = Text()
    role = Choice(ROLES)
