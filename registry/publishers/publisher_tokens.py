"""Tokens that trusted publishers get for some minutes: one text, with a row for each environment
that it was used for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast

from django.db import transaction
from django.utils import timezone

from registry import events
from registry.accounts import token_format
from registry.accounts.models import Token, User
from registry.accounts.tokens import PREFIX
from registry.catalog.models import Environment

RETENTION = timedelta(minutes=15)  # after its end, so that a leaked text is still recognised


@dataclass(frozen=True, slots=True)
class Grant:
    """One environment that the token may publish, for which user and workflow."""

    user: User
    environment: Environment
    name: str
    published_with: dict[str, str]


def mint(*, grant: Grant, claims: Mapping[str, Any], life: timedelta) -> tuple[str, datetime]:
    """The text of a new token and its end; without a mail, as it may happen every hour."""
    key, end = token_format.new(PREFIX), timezone.now() + life
    _add(key.digest, grant, claims, end)
    return key.text, end


def lock(digest: str) -> Token | None:
    """The first row of that text, locked, if the text may get more rows: it has not ended or
    leaked.

    No other process adds or ends rows of it before the transaction is over.
    """
    rows = Token.objects.select_for_update().filter(digest=digest).order_by("pk")
    token = rows.first()
    ended = (
        token is None or not token.claims or cast("datetime", token.expires_at) <= timezone.now()
    )
    return None if ended else token


def extend(*, token: Token, grant: Grant) -> Token:
    """The row of that token's text for another environment."""
    return _add(token.digest, grant, token.claims, cast("datetime", token.expires_at))


def _add(digest: str, grant: Grant, claims: Mapping[str, Any], end: datetime) -> Token:
    with transaction.atomic():
        # Rows of ended tokens are not needed: the journal has what they did.
        before = timezone.now() - RETENTION
        old = Token.objects.filter(environment=grant.environment, expires_at__lt=before)
        old.exclude(published_with={}).delete()
        token, created = Token.objects.get_or_create(
            digest=digest,
            environment=grant.environment,
            defaults={
                "user": grant.user,
                "name": grant.name,
                "public_id": token_format.new(PREFIX).public_id,
                "scope": Token.Scope.PUBLISH,
                "published_with": grant.published_with,
                "claims": claims,
                "expires_at": end,
            },
        )
        if created:
            events.record(
                "token.minted",
                by=grant.user,
                environment=grant.environment,
                token=token.public_id,
                published_with=grant.published_with,
            )
    return token


def end(*, token: Token) -> None:
    """End all rows of that token's text, for all publishers, and allow no new ones: its holder
    revoked it."""
    with transaction.atomic():
        now = timezone.now()
        rows = Token.objects.select_for_update().filter(digest=token.digest).order_by("pk")
        unrevoked = list(rows.filter(revoked_at=None).values_list("pk", flat=True))
        rows.update(claims={})
        ended = Token.objects.filter(pk__in=unrevoked).select_related("user__owner", "environment")
        ended.update(revoked_at=now)
        for row in ended:
            events.record(
                "token.revoked", by=row.user, environment=row.environment, token=row.public_id
            )


def revoke(*, environment: Environment, user: User, because: str) -> None:
    """Revoke the tokens of trusted publishers of the environment in that user's name."""
    tokens = Token.objects.filter(environment=environment, user=user, revoked_at=None)
    tokens.exclude(published_with={}).update(revoked_at=timezone.now(), revoked_because=because)
