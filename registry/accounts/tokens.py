"""API tokens: mint, look up, revoke."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils import timezone

from registry import events, prepared
from registry.accounts import keys, mail, second_factor
from registry.accounts.models import Token, User
from registry.errors import HubError, NotFound

if TYPE_CHECKING:
    from registry.catalog.models import Environment

PREFIX = "hub_"
DAYS, MOST_DAYS = 90, 3650
USED_EVERY = timedelta(minutes=1)
_DIGEST = "the text's digest"  # stands for what is asked for
LEAKED = """Your token {name!r} ({public_id}) was found where others can read it:

{where}

The hub has revoked it. Make a new one where you still need it, and look through your environments
for what you did not do yourself.
"""
MINTED = """A token {name!r} ({public_id}) was made for you: scope {scope}, {reach}, {until}.

Was that not you? Revoke it and set a new password:

{page}
"""


def mint(
    *,
    user: User,
    name: str,
    scope: str,
    environment: Environment | None = None,
    days: int | None = None,
) -> tuple[Token, str]:
    """A new token and its text, which nobody can see again; `days` None never expires.

    The person is told by mail. One that may publish asks for the second factor that publishing
    asks for.
    """
    name = name.strip()
    if not 1 <= len(name) <= 80:
        raise HubError("request.invalid", f"name {name[:90]!r} must have 1 to 80 characters")
    if scope not in Token.Scope.values:
        words = ", ".join(Token.Scope.values)
        raise HubError("request.invalid", f"scope {scope!r} must be one of {words}")
    if days is not None and not 1 <= days <= MOST_DAYS:
        raise HubError("request.invalid", f"days {days} must lie between 1 and {MOST_DAYS}")
    if scope != Token.Scope.READ and second_factor.missing(user):
        raise second_factor.refusal(user)
    key = keys.new(PREFIX)
    with transaction.atomic():
        token = Token.objects.create(
            user=user,
            name=name,
            public_id=key.public_id,
            digest=key.digest,
            scope=scope,
            environment=environment,
            expires_at=None if days is None else timezone.now() + timedelta(days=days),
        )
        events.record(
            "token.minted",
            by=user,
            owner=getattr(user, "owner", None),  # operators may make users without one
            environment=environment,
            token=key.public_id,
            scope=scope,
        )
        _tell_minted(token)
    return token, key.text


def _tell_minted(token: Token) -> None:
    until = f"until {token.expires_at:%Y-%m-%d}" if token.expires_at else "without an end"
    text = MINTED.format(
        name=token.name,
        public_id=token.public_id,
        scope=token.scope,
        reach=token.environment or "all environments",
        until=until,
        page=settings.HUB_URL + reverse("tokens"),
    )
    mail.send(to=token.user.email, subject="A token was made for you", text=text)


def verify(text: str) -> Token | None:
    """The usable token of that text, its user and their owner loaded; else None.

    A trusted publisher's text may have several rows: the first usable one. `exchange.verify`
    looks further where there is none, `exchange.reach` gives the one that an upload needs.
    """
    digest = keys.digest(text, PREFIX)
    if digest is None:
        return None
    rows = prepared.rows(_of_digest, {_DIGEST: digest})
    found = next((row for row in rows if row.usable and row.user.is_active), None)
    if found is not None:
        _touch(found, timezone.now())
    return found


def _of_digest() -> QuerySet[Token, Token]:
    return Token.objects.filter(digest=_DIGEST).select_related("user__owner").order_by("pk")


def _touch(token: Token, now: datetime) -> None:
    """Note the use, at most once a minute: a busy client must not turn reads into writes."""
    if token.last_used_at is None or token.last_used_at < now - USED_EVERY:
        unnoted = Q(last_used_at=None) | Q(last_used_at__lt=now - USED_EVERY)
        Token.objects.filter(unnoted, pk=token.pk).update(last_used_at=now)


def revoke(*, user: User, public_id: str) -> None:
    """End one of the person's tokens now; the row stays so that the journal keeps its name."""
    unrevoked = Token.objects.filter(user=user, public_id=public_id, revoked_at=None)
    with transaction.atomic():
        if not unrevoked.update(revoked_at=timezone.now()):
            raise NotFound(f"you have no token {public_id!r} that could be revoked")
        events.record("token.revoked", by=user, owner=getattr(user, "owner", None), token=public_id)


def revoke_leaked(text: str, *, where: str) -> bool:
    """End the token of that text, which somebody found at `where`; was it one of ours?

    Who can show the text needs no permission. Its people are told by mail, once.
    """
    digest = keys.digest(text, PREFIX)
    rows = Token.objects.filter(digest=digest) if digest else Token.objects.none()
    where = " ".join(where.split())[:160]
    with transaction.atomic():
        rows.select_for_update().order_by("pk").first()  # see `short_lived.hold`
        found = list(rows.select_related("user__owner", "environment"))
        rows.update(claims={})
        fresh = [token for token in found if token.revoked_at is None]
        for token in fresh:
            ended = {"revoked_at": timezone.now(), "revoked_because": f"leaked: {where}"}
            if not Token.objects.filter(pk=token.pk, revoked_at=None).update(**ended):
                continue
            events.record(
                "token.leaked",
                owner=token.user.owner,
                environment=token.environment,
                token=token.public_id,
                where=where,
            )
            mail.send(
                to=token.user.email,
                subject="A token of yours leaked and was revoked",
                text=LEAKED.format(name=token.name, public_id=token.public_id, where=where),
            )
    return bool(found)
