"""The error for a user who may not publish under an owner."""

from __future__ import annotations

from registry.accounts.models import Owner, User
from registry.errors import Forbidden


def refusal(*, owner: Owner, by: User) -> Forbidden:
    """403; it names the role of a member, and to others nothing about the owner's members."""
    message = f"{by.get_username()} may not publish under {owner.name!r}"
    role, hint = by.role(owner.pk), ""
    if role is not None:
        message += f": the role {role} does not publish"
        hint = f"Ask an owner of {owner.name} for the role maintainer."
    return Forbidden(message, hint, "upload.owner_mismatch")
