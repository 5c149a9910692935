"""API tokens: mint, look up, revoke."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils import timezone

from registry import events, prepared
from registry.accounts import lineage, mail, second_factor, token_format
from registry.accounts.models import Token, User
from registry.errors import Forbidden, HubError, NotFound
from registry.events import EnvironmentRow

PREFIX = "hub_"
DAYS, MAX_DAYS = 90, 3650
RANK = {str(Token.Scope.READ): 0, str(Token.Scope.PUBLISH): 1, str(Token.Scope.ADMIN): 2}
PARENT_LEAKED = "the token that made it leaked"
LAST_USED_RESOLUTION = timedelta(minutes=1)
_DIGEST = "the text's digest"  # placeholder of the prepared query
LEAKED = """Your token {name!r} ({public_id}) was found where others can read it:

{where}

The hub has revoked it. {made}Make a new one where you still need it, and look through your
environments for what you did not do yourself.
{since}"""
SINCE = """
Since it was made, these roles were given in your name. Remove the members and withdraw the
invitations that are not yours:
"""
ROLES = {
    "invitation.sent": "{to} was invited to {owner} as {role}",
    "member.joined": "{user} joined {owner} as {role}",
    "member.set": "{user} became {role} of {owner}",
}
MAX_ROLES = 50
MINTED = """A token {name!r} ({public_id}) was made for you: scope {scope}, {reach}, {until}.

Was that not you? Revoke it and set a new password:

{page}
"""


def mint(
    *,
    user: User,
    name: str,
    scope: str,
    environment: EnvironmentRow | None = None,
    days: int | None = None,
    parent: Token | None = None,
    shorten: bool = False,
) -> tuple[Token, str]:
    """A new token and its text, which nobody can see again; `days` None never expires.

    The user gets a mail. A token that may publish needs the second factor that publishing needs.
    `parent` is the token that makes it, whose rights it must not exceed: raises
    token.exceeds_parent (403) otherwise; with `shorten` it ends with the parent at the latest.
    """
    name = _checked(name, scope, days)
    if scope != Token.Scope.READ and second_factor.missing(user):
        raise second_factor.refusal(user)
    key = token_format.new(PREFIX)
    with transaction.atomic():
        expires_at = None if days is None else timezone.now() + timedelta(days=days)
        if parent is not None:
            locked = lineage.lock_parent(parent)
            if shorten and locked.expires_at is not None and expires_at is not None:
                expires_at = min(expires_at, locked.expires_at)
            _check_parent(locked, user, scope, environment, expires_at)
        token = Token.objects.create(
            parent=parent,
            user=user,
            name=name,
            public_id=key.public_id,
            digest=key.digest,
            scope=scope,
            environment_id=environment.pk if environment else None,
            expires_at=expires_at,
        )
        _record_minted(token, environment)
        _mail_minted(token)
    return token, key.text


def _record_minted(token: Token, environment: EnvironmentRow | None) -> None:
    events.record(
        "token.minted",
        by=token.user,
        owner=getattr(token.user, "owner", None),  # operators may create users without one
        environment=environment,
        token=token.public_id,
        scope=token.scope,
    )


def _checked(name: str, scope: str, days: int | None) -> str:
    """The name without surrounding blanks; raises request.invalid that names the field."""
    name = name.strip()
    if not (1 <= len(name) <= 80 and name.isprintable()):
        raise HubError(
            "request.invalid",
            f"name {name[:90]!r} must have 1 to 80 characters, all visible, on one line",
        )
    if scope not in Token.Scope.values:
        words = ", ".join(Token.Scope.values)
        raise HubError("request.invalid", f"scope {scope!r} must be one of {words}")
    if days is not None and not 1 <= days <= MAX_DAYS:
        raise HubError("request.invalid", f"days {days} must lie between 1 and {MAX_DAYS}")
    return name


def _check_parent(
    parent: Token,
    user: User,
    scope: str,
    environment: EnvironmentRow | None,
    expires_at: datetime | None,
) -> None:
    """Raise where a new token would exceed the token that makes it, a row locked by the caller."""
    if not parent.usable or parent.user_id != user.pk:
        raise HubError("token.invalid", status=401)
    end = parent.expires_at
    reach = environment.pk if environment else None
    made_with = f"the token {parent.public_id} that makes it"
    if RANK[scope] > RANK[parent.scope]:
        raise _exceeds(f"scope {scope} is more than scope {parent.scope} of {made_with}", "scope")
    if parent.environment_id is not None and reach != parent.environment_id:
        raise _exceeds(f"{made_with} is for {parent.environment} alone", "environment")
    if parent.published_with:
        raise _exceeds(f"{made_with} belongs to a trusted publisher", "scope")
    if end is not None and (expires_at is None or expires_at > end):
        expiry = f"ends at {expires_at:%Y-%m-%d %H:%M} UTC" if expires_at else "would never end"
        raise _exceeds(f"the token {expiry}, after {made_with} ({end:%Y-%m-%d %H:%M} UTC)", "days")


def _exceeds(message: str, field: str) -> Forbidden:
    refusal = Forbidden(message, code="token.exceeds_parent")
    refusal.details["field"] = field
    return refusal


def _mail_minted(token: Token) -> None:
    expiry = f"until {token.expires_at:%Y-%m-%d}" if token.expires_at else "without an end"
    text = MINTED.format(
        name=token.name,
        public_id=token.public_id,
        scope=token.scope,
        reach=token.environment or "all environments",
        until=expiry,
        page=settings.HUB_URL + reverse("tokens"),
    )
    mail.send(to=token.user.email, subject="A token was made for you", text=text)


def verify(text: str) -> Token | None:
    """The usable token of that text, its user and their owner loaded; else None.

    The text of a trusted publisher's token may have several rows: the first usable one. Where there
    is none `exchange.verify` adds one, and `exchange.reach` returns the one for an upload.
    """
    digest = token_format.digest(text, PREFIX)
    if digest is None:
        return None
    rows = prepared.rows(_of_digest, {_DIGEST: digest})
    token = next((row for row in rows if row.usable and row.user.is_active), None)
    if token is not None:
        _touch(token, timezone.now())
    return token


def _of_digest() -> QuerySet[Token, Token]:
    return Token.objects.filter(digest=_DIGEST).select_related("user__owner").order_by("pk")


def _touch(token: Token, now: datetime) -> None:
    """Store the time of use, at most once a minute: a busy client must not turn reads into
    writes."""
    if token.last_used_at is None or token.last_used_at < now - LAST_USED_RESOLUTION:
        outdated = Q(last_used_at=None) | Q(last_used_at__lt=now - LAST_USED_RESOLUTION)
        Token.objects.filter(outdated, pk=token.pk).update(last_used_at=now)


def revoke(*, user: User, public_id: str) -> None:
    """Revoke one of the user's tokens, and those that were made with it; the rows stay so that the
    journal can name them."""
    rows = Token.objects.filter(user=user, public_id=public_id, revoked_at=None)
    with transaction.atomic():
        token, now = rows.select_for_update().first(), timezone.now()
        if token is None or not rows.update(revoked_at=now):
            raise NotFound(f"you have no token {public_id!r} that could be revoked")
        events.record("token.revoked", by=user, owner=getattr(user, "owner", None), token=public_id)
        lineage.end_descendants([token.pk], now=now, because=lineage.PARENT_REVOKED)


def revoke_leaked(text: str, *, where: str) -> list[Token] | None:
    """Revoke the token of that text, which was found at `where`, and those made with it.

    Returns all rows that this revoked; None where the text is no token of this hub. Possession of
    the text is permission enough. Its users get one mail each.
    """
    digest = token_format.digest(text, PREFIX)
    rows = Token.objects.filter(digest=digest) if digest else Token.objects.none()
    where = " ".join(where.split())[:160]
    with transaction.atomic():
        rows.select_for_update().order_by("pk").first()  # see `publisher_tokens.lock`
        matching = list(rows.select_related("user__owner", "environment__owner"))
        rows.update(claims={})
        ended: list[Token] = []
        for token in matching:
            if token.revoked_at is None:
                ended += _end_leaked(token, where)
    return ended if matching else None


def _end_leaked(token: Token, where: str) -> list[Token]:
    now = timezone.now()
    change = {"revoked_at": now, "revoked_because": f"leaked: {where}"}
    if not Token.objects.filter(pk=token.pk, revoked_at=None).update(**change):
        return []
    events.record(
        "token.leaked",
        owner=getattr(token.user, "owner", None),
        environment=token.environment,
        token=token.public_id,
        where=where,
    )
    descendants = lineage.end_descendants([token.pk], now=now, because=PARENT_LEAKED)
    children = "".join(f"  {child.name} ({child.public_id})\n" for child in descendants)
    mail.send(
        to=token.user.email,
        subject="A token of yours leaked and was revoked",
        text=LEAKED.format(
            name=token.name,
            public_id=token.public_id,
            where=where,
            made=f"It has also revoked the tokens that were made with it:\n\n{children}\n"
            if descendants
            else "",
            since=_roles_since(token),
        ),
    )
    return [token, *descendants]


def _roles_since(token: Token) -> str:
    """Invitations and roles given in the user's name since the token was made, for the mail.

    They stay: the journal does not record the token, and most are the user's own.
    """
    if token.scope != Token.Scope.ADMIN:
        return ""
    rows = events.Event.objects.filter(
        actor=token.user_id, verb__in=tuple(ROLES), at__gte=token.created_at
    )
    newest = rows.select_related("owner").order_by("-pk")[:MAX_ROLES]
    lines = [
        f"  {row.at:%Y-%m-%d %H:%M} UTC: " + ROLES[row.verb].format(**row.data, owner=row.owner)
        for row in newest
    ]
    return "\n".join([SINCE, *lines, ""]) if lines else ""
