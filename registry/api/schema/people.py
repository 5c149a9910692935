"""Tokens, organisations, invitations and publishers as the API answers them."""

from __future__ import annotations

from typing import Annotated, Any

from registry.accounts.models import Membership
from registry.api.schema.base import Moment, Shape, among
from registry.publishers.models import TrustedPublisher

Role = Annotated[str, among(Membership.Role.values)]


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
