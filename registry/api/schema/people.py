"""Tokens, organisations, invitations and publishers as the API answers them."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, RootModel

from registry.accounts.models import Membership, Token
from registry.api.schema.base import Moment, Shape, among
from registry.publishers.models import TrustedPublisher

Role = Annotated[str, among(Membership.Role.values)]


class TokenSummary(Shape):
    """A token without its secret."""

    public_id: str
    name: str
    scope: Annotated[str, among(Token.Scope.values)]
    environment: Annotated[str | None, Field(description="The only one it is good for.")]
    parent: Annotated[
        str | None,
        Field(description="The `public_id` of the token that made it, and with which it ends."),
    ]
    created_at: Moment
    expires_at: Moment | None
    last_used_at: Moment | None


class NewToken(TokenSummary):
    """A new token; its text is shown this once."""

    token: str


class OwnerRole(Shape):
    """A name you may publish under or look into."""

    name: str
    kind: Annotated[str, among(("user", "organisation"))]
    role: Role


class PublishRefusal(Shape):
    """Why you may publish nowhere yet; the hint says what to do."""

    code: str
    message: str
    hint: str


class Whoami(Shape):
    """You, your names, and the token you use."""

    user: str
    owners: list[OwnerRole]
    publish_refusal: Annotated[
        PublishRefusal | None, Field(description="Null where nothing but your roles decides.")
    ]
    token: TokenSummary | None


class QuotaNumbers(Shape):
    """Uploads of a person in an hour, under any owner; bytes; and versions that wait."""

    uploads_per_hour: int
    storage_bytes: int
    queued_versions: int


class OwnerQuota(Shape):
    """What holds for an owner, and what of it is used."""

    owner: str
    limits: QuotaNumbers
    usage: QuotaNumbers


class DeviceLogin(Shape):
    """Show `user_code`, open the address, and poll with `device_code` (RFC 8628)."""

    device_code: str
    user_code: str
    verification_url: str
    verification_url_complete: str
    interval: Annotated[int, Field(description="Seconds between two polls.")]
    expires_in: Annotated[int, Field(description="Seconds.")]


class Pending(Shape):
    """Nobody decided yet."""

    status: Annotated[str, among(("pending",))]


class SignedIn(Shape):
    """The token, this once."""

    token: str
    user: str


class OrganisationSummary(Shape):
    """An organisation; `role` is yours in it."""

    name: str
    title: str
    role: Role | None
    url: str


class Member(Shape):
    """A member of an organisation."""

    user: str
    role: Role
    since: Moment


class InvitationSummary(Shape):
    """An invitation into an organisation, to a user or an address."""

    id: int
    organisation: str
    to: str
    role: Role
    invited_by: str | None
    created_at: Moment
    expires_at: Moment


class Publisher(Shape):
    """A workflow that may publish; `claims` is what its identity token must say."""

    id: int
    environment: str
    pending: bool
    kind: Annotated[str, among(TrustedPublisher.Kind.values)]
    issuer: str
    claims: dict[str, Any]
    added_by: str
    added_at: Moment
    last_used_at: Moment | None


class Revoked(Shape):
    """Whether it was a token of this hub."""

    revoked: bool


class LeakAnswer(Shape):
    """What became of one text."""

    token_raw: str
    token_type: str
    label: Annotated[str, among(("true_positive", "false_positive"))]


class LeakAnswers(RootModel[Revoked | list[LeakAnswer]]):
    """One answer to one token, a list to a list."""
