"""What requests send. Fields without a default must be there."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, RootModel

from registry.accounts.models import Token
from registry.api.leaks import MOST
from registry.api.schema.base import Shape, among
from registry.api.schema.environments import Visibility
from registry.api.schema.people import Role
from registry.publishers.models import TrustedPublisher

REF, BETTER = "alice/demo-env", "alice/better-env"
Name = Annotated[str, Field(examples=["new-env"])]
Text = Annotated[str, Field(examples=["Some words"])]


class NewEnvironment(Shape):
    """An environment to make, or to find where it is there."""

    name: Name
    owner: Annotated[str, Field(description="Left out: yours.", examples=["alice"])] = ""
    visibility: Visibility | None = None


class ChangedEnvironment(Shape):
    """What may be changed of an environment."""

    visibility: Visibility


class NewOwner(Shape):
    """Whom to give it to; you must publish under that name too."""

    owner: Annotated[str, Field(examples=["lab"])]


class NewDeprecation(Shape):
    """Why not to use it, and perhaps what to use instead."""

    reason: Text
    successor: Annotated[str, Field(description="owner/name", examples=[BETTER])] = ""


class ChangedQuota(Shape):
    """Limits of one owner; null returns to the hub's own setting."""

    uploads_per_hour: Annotated[int | None, Field(ge=0, examples=[100])] = None
    storage_bytes: Annotated[int | None, Field(ge=0, examples=[1 << 30])] = None
    queued_versions: Annotated[int | None, Field(ge=0, examples=[100])] = None


class Reason(Shape):
    """Why."""

    reason: Text


class TokenRequest(Shape):
    """A token to make."""

    name: Text
    scope: Annotated[str, among(Token.Scope.values)]
    environment: Annotated[
        str, Field(description="owner/name, to bind it to one.", examples=[REF])
    ] = ""
    days: Annotated[
        int | None, Field(description="Until it expires; null: never.", examples=[30])
    ] = 90


class Device(Shape):
    """The machine that wants to sign in."""

    device_name: Text


class DeviceCode(Shape):
    """The secret that the sign-in began with."""

    device_code: str


class NewOrganisation(Shape):
    """An organisation to make."""

    name: Name
    title: Text = ""


class ChangedOrganisation(Shape):
    """What may be changed of an organisation."""

    title: Text = ""


class ChangedMember(Shape):
    """Another role."""

    role: Role


class NewInvitation(Shape):
    """Whom to invite, by user name or address, as what."""

    to: Annotated[str, Field(examples=["carol"])]
    role: Role


class NewPublisher(Shape):
    """A publisher to trust: what its identity token must say."""

    kind: Annotated[str, among(TrustedPublisher.Kind.values)]
    issuer: Annotated[str, Field(description="Left out: the one of that kind.")] = ""
    repository: Annotated[str, Field(examples=["alice/code"])] = ""
    workflow: Annotated[str, Field(examples=["release.yml"])] = ""
    ci_environment: str = ""
    owner_id: str = ""
    sub: str = ""
    claims: Annotated[dict[str, str] | None, Field(description="More that it must say.")] = None


class NewPendingPublisher(NewPublisher):
    """The same for an environment that its first upload will make."""

    name: Name


class Leak(Shape):
    """A token that somebody found."""

    token: str
    where: str = ""


class PartnerLeak(Shape):
    """The same as GitHub's secret scanning sends it."""

    token: str
    type: str = ""
    url: str = ""
    source: str = ""


class Leaks(RootModel[Leak | Annotated[list[PartnerLeak], Field(min_length=1, max_length=MOST)]]):
    """One, or a list."""


class Capabilities(Shape):
    """What the runner can do."""

    capabilities: dict[str, Any] | None = None
