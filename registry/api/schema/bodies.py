"""What requests send. Fields without a default must be there."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from registry.api.schema.base import Shape, among
from registry.api.schema.environments import Visibility
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


class Reason(Shape):
    """Why."""

    reason: Text


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


class Capabilities(Shape):
    """What the runner can do."""

    capabilities: dict[str, Any] | None = None
