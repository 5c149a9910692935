"""`hub login` through the browser (RFC 8628): begin on the device, approve in the browser, poll."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from registry.accounts import second_factor, token_format, tokens
from registry.accounts.models import DeviceLogin, Token, User
from registry.errors import HubError, NotFound

LIFE = timedelta(minutes=10)
INTERVAL = 2  # seconds between two polls
LETTERS = "BCDFGHJKLMNPQRSTVWXZ"  # no vowels, so no words (RFC 8628, 6.1)


@dataclass(frozen=True, slots=True)
class StartedLogin:
    """The data for the device: its secret, and the code that its user types or follows."""

    device_code: str
    user_code: str
    interval: int
    expires_in: int


def begin(*, device_name: str) -> StartedLogin:
    """Open a login for that device; it lives ten minutes."""
    name = device_name.strip()
    if not (1 <= len(name) <= 80 and name.isprintable()):
        raise HubError(
            "request.invalid",
            f"device_name {name[:90]!r} must have 1 to 80 characters, all visible, on one line",
        )
    now = timezone.now()
    DeviceLogin.objects.filter(expires_at__lt=now - LIFE).delete()
    secret = secrets.token_urlsafe(32)
    code = "".join(secrets.choice(LETTERS) for _ in range(8))
    DeviceLogin.objects.create(
        user_code=f"{code[:4]}-{code[4:]}",
        device_digest=token_format.sha256(secret),
        device_name=name,
        expires_at=now + LIFE,
    )
    return StartedLogin(secret, f"{code[:4]}-{code[4:]}", INTERVAL, int(LIFE.total_seconds()))


def find(*, user_code: str) -> DeviceLogin:
    """The open login of that code, however it was typed; raises NotFound once it is over."""
    letters = re.sub(r"[^A-Za-z]", "", user_code).upper()
    login = DeviceLogin.objects.filter(
        user_code=f"{letters[:4]}-{letters[4:]}",
        expires_at__gt=timezone.now(),
        approved_at=None,
        denied_at=None,
    ).first()
    if login is None:
        raise NotFound(
            f"no device waits with the code {user_code[:20]!r}: it may have expired",
            "Check the code, or run `hub login` again.",
        )
    return login


def approve(*, user_code: str, user: User) -> DeviceLogin:
    """Let the waiting device act for the user; its token is minted at its next poll."""
    if second_factor.missing(user):
        raise second_factor.refusal(user)
    return _decide(find(user_code=user_code), user=user, approved_at=timezone.now())


def deny(*, user_code: str, user: User) -> DeviceLogin:
    """Refuse the waiting device."""
    return _decide(find(user_code=user_code), user=user, denied_at=timezone.now())


def _decide(login: DeviceLogin, **change: object) -> DeviceLogin:
    undecided = DeviceLogin.objects.filter(pk=login.pk, approved_at=None, denied_at=None)
    if not undecided.update(**change):
        raise NotFound("this device was answered already")
    login.refresh_from_db()
    return login


def end_logins(*, user: User) -> None:
    """End logins that a session of the user confirmed and no device fetched: a new password ends
    those sessions too."""
    DeviceLogin.objects.filter(user=user).delete()


def poll(*, device_code: str) -> tuple[Token, str] | None:
    """None while undecided; once approved, the token and its text, and only once.

    Raises 403 where it was denied and 410 where it expired, was fetched, or never was.
    """
    login = (
        DeviceLogin.objects.filter(
            device_digest=token_format.sha256(device_code), expires_at__gt=timezone.now()
        )
        .select_related("user")
        .first()
    )
    if login is None:
        raise _over()
    if login.denied_at is not None:
        raise HubError(
            "request.forbidden",
            "the login was denied in the browser",
            "Run `hub login` again.",
            403,
        )
    if login.approved_at is None or login.user is None:
        return None
    if not login.user.is_active:
        raise _over()
    with transaction.atomic():
        # Deleting the row decides: of two polls at once, one gets the token.
        if not DeviceLogin.objects.filter(pk=login.pk).delete()[0]:
            raise _over()
        return tokens.mint(
            user=login.user, name=login.device_name, scope=Token.Scope.PUBLISH, days=tokens.DAYS
        )


def _over() -> HubError:
    return HubError("token.invalid", "this login is over", "Run `hub login` again.", 410)
