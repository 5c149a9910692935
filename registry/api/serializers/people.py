"""Who one is, tokens, signing a machine in, quotas, and leaked tokens."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.serializers import Serializer

from registry.accounts import tokens
from registry.accounts.models import Membership, Owner, Token
from registry.api.serializers.base import Body, SharedFieldsSerializer
from registry.api.serializers.fields import Choice, Text, Whole

MAX_LEAKS = 100


class TokenSerializer(SharedFieldsSerializer):
    """A token without its secret."""

    public_id = serializers.CharField()
    name = serializers.CharField()
    scope = serializers.ChoiceField(Token.Scope.values)
    environment = serializers.CharField(allow_null=True, help_text="The only one it is good for.")
    parent = serializers.CharField(  # type: ignore[assignment] # DRF gives every field a parent
        source="parent.public_id",
        allow_null=True,
        help_text="The `public_id` of the token that made it, and with which it ends.",
    )
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True)
    last_used_at = serializers.DateTimeField(allow_null=True)


class NewTokenSerializer(TokenSerializer):
    """A new token; its text, from the context, is shown this once."""

    token = serializers.SerializerMethodField()

    def get_token(self, token: Token) -> str:
        """The secret."""
        return str(self.context["text"])


class TokenRequestSerializer(Body):
    """A token to make."""

    refuses_unknown = True
    name = Text()
    scope = Choice(Token.Scope.values)
    environment = Text(required=False, help_text="owner/name, to bind it to one.")
    days = Whole(
        required=False,
        allow_null=True,
        default=tokens.DAYS,
        help_text="Until it expires; null: never.",
    )


class OwnerRoleSerializer(SharedFieldsSerializer):
    """A name you may publish under or look into."""

    name = serializers.CharField()
    kind = serializers.ChoiceField(("user", "organisation"))
    role = serializers.ChoiceField(Membership.Role.values)

    def to_representation(self, instance: tuple[Owner, str]) -> dict[str, str]:
        """The owner and the person's role."""
        owner, role = instance
        kind = "organisation" if owner.organisation_id else "user"
        return {"name": owner.name, "kind": kind, "role": role}


class PublishRefusalSerializer(SharedFieldsSerializer):
    """Why you may publish nowhere yet; the hint names the next step."""

    code = serializers.CharField()
    message = serializers.CharField()
    hint = serializers.CharField()


class WhoamiSerializer(SharedFieldsSerializer):
    """You, your names, and the token you use."""

    user = serializers.CharField(source="user.username")
    owners = OwnerRoleSerializer(many=True)
    publish_refusal = PublishRefusalSerializer(
        allow_null=True, help_text="Null where nothing but your roles decides."
    )
    token = TokenSerializer(allow_null=True)


class QuotaNumbersSerializer(SharedFieldsSerializer):
    """Uploads of a person in an hour, under any owner; bytes; and versions that wait."""

    uploads_per_hour = serializers.IntegerField()
    storage_bytes = serializers.IntegerField()
    queued_versions = serializers.IntegerField()


class OwnerQuotaSerializer(SharedFieldsSerializer):
    """What holds for an owner, and what of it is used."""

    owner = serializers.CharField()
    limits = QuotaNumbersSerializer()
    usage = QuotaNumbersSerializer()


class ChangedQuotaSerializer(Body):
    """Limits of one owner; null returns to the hub's own setting."""

    refuses_unknown = True
    uploads_per_hour = Whole(required=False, allow_null=True, min_value=0)
    storage_bytes = Whole(required=False, allow_null=True, min_value=0)
    queued_versions = Whole(required=False, allow_null=True, min_value=0)


class DeviceSerializer(Body):
    """The machine to sign in."""

    device_name = Text()


class DeviceLoginSerializer(Serializer[Any]):
    """Show `user_code`, open the address, and poll with `device_code` (RFC 8628)."""

    device_code = serializers.CharField()
    user_code = serializers.CharField()
    verification_url = serializers.CharField()
    verification_url_complete = serializers.CharField()
    interval = serializers.IntegerField(help_text="Seconds between two polls.")
    expires_in = serializers.IntegerField(help_text="Seconds.")


class DeviceCodeSerializer(Body):
    """The secret that the sign-in began with."""

    device_code = Text()


class SignedInSerializer(Serializer[Any]):
    """The token, this once."""

    token = serializers.CharField()
    user = serializers.CharField()


class PendingSerializer(Serializer[Any]):
    """Nobody decided yet."""

    status = serializers.ChoiceField(("pending",))


class LeakSerializer(Body):
    """A token that somebody found."""

    token = Text()
    where = Text(required=False)


class PartnerLeakSerializer(Body):
    """The same as GitHub's secret scanning sends it."""

    token = Text()
    type = Text(required=False)
    url = Text(required=False)
    source = Text(required=False)  # type: ignore[assignment] # as a field has one too


class RevokedSerializer(Serializer[Any]):
    """Whether it was a token of this hub."""

    revoked = serializers.BooleanField()


class LeakAnswerSerializer(Serializer[Any]):
    """What became of one text."""

    token_raw = serializers.CharField()
    token_type = serializers.CharField()
    label = serializers.ChoiceField(("true_positive", "false_positive"))  # type: ignore[assignment]
