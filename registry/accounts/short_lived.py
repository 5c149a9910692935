"""Tokens that trusted publishers get for a few minutes: one text, a row for each environment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from registry import events
from registry.accounts import keys
from registry.accounts.models import Token, User
from registry.accounts.tokens import PREFIX

if TYPE_CHECKING:
    from registry.catalog.models import Environment


@dataclass(frozen=True, slots=True)
class Grant:
    """One environment that the token may publish, for whom, and by whose claims."""

    user: User
    environment: Environment
    name: str
    published_with: dict[str, str]


def mint(*, grants: Sequence[Grant], life: timedelta) -> tuple[str, datetime]:
    """The text of a new token and its end; nobody is told by mail, as it may happen hourly."""
    now = timezone.now()
    key = keys.new(PREFIX)
    with transaction.atomic():
        # Rows of earlier ones have served; the journal keeps what they did.
        environments = [grant.environment for grant in grants]
        old = Token.objects.filter(environment__in=environments, expires_at__lt=now - life)
        old.exclude(published_with={}).delete()
        for grant in grants:
            token = Token.objects.create(
                user=grant.user,
                name=grant.name,
                public_id=keys.new(PREFIX).public_id,
                digest=key.digest,
                scope=Token.Scope.PUBLISH,
                environment=grant.environment,
                published_with=grant.published_with,
                expires_at=now + life,
            )
            events.record(
                "token.minted",
                by=grant.user,
                environment=grant.environment,
                token=token.public_id,
                published_with=grant.published_with,
            )
    return key.text, now + life


def for_environment(token: Token, *, owner: str, name: str) -> Token:
    """The row of the token's text for that environment; the token itself where there is none."""
    rows = Token.objects.filter(
        digest=token.digest, environment__owner__name=owner, environment__name=name
    ).exclude(pk=token.pk)
    found = rows.select_related("user__owner", "environment__owner").first()
    return found if found is not None and found.usable and found.user.is_active else token


def is_shared(token: Token) -> bool:
    """Does the token's text act for other people too?"""
    rows = Token.objects.filter(digest=token.digest).exclude(user=token.user_id)
    return bool(token.published_with) and rows.exists()


def revoke(*, environment: Environment, user: User, because: str) -> None:
    """End what trusted publishers of the environment hold in the person's name."""
    held = Token.objects.filter(environment=environment, user=user, revoked_at=None)
    held.exclude(published_with={}).update(revoked_at=timezone.now(), revoked_because=because)
