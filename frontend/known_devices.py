"""Browsers in which a person signed in before, by a signed cookie that is valid for a year.

Failed passwords and codes of a known browser count for that browser only, those of all others for
the account, so that nobody else can lock out its owner (OWASP, "device cookies"). The cookie does
not authenticate. It is valid for one password only: a thief of the old password has cookies too.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings
from django.core import signing
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.crypto import constant_time_compare, salted_hmac

from registry.accounts.models import User

COOKIE = "hub_devices"
SALT = "frontend.known_devices"
SECONDS = 365 * 86400
MAX_ENTRIES = 5  # accounts of one browser
_MARK = "_known_device_of"
Handler = Callable[[HttpRequest], HttpResponseBase]


@dataclass(frozen=True, slots=True)
class Entry:
    """One account of the browser; `nonce` identifies the browser in the counters.

    `codes` is False if the person opened a link in a mail there, without a second factor.
    """

    user: int
    nonce: str
    password: str
    codes: bool = True


def counter_key(request: HttpRequest, user: User, *, codes: bool = False) -> str | None:
    """The key of the browser's failure counter; None for an unknown browser.

    With `codes`, only a browser that is known for second factors too.
    """
    entry = _entry(request, user)
    return f"{entry.user}-{entry.nonce}" if entry and (entry.codes or not codes) else None


def _entry(request: HttpRequest, user: User) -> Entry | None:
    for entry in _entries(request):
        if entry.user == user.pk and constant_time_compare(entry.password, _of_password(user)):
            return entry
    return None


def remember(request: HttpRequest, user: User, *, codes: bool = True) -> None:
    """Set the cookie with the response to this request, after authentication.

    Pass `codes=False` after a link in a mail: a new counter for codes with each new password
    would let the reader of a mailbox guess codes without limit.
    """
    setattr(request, _MARK, (user, codes))


def middleware(get_response: Handler) -> Handler:
    """Set the cookie if `remember` was called during the request."""

    def handle(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        mark: tuple[User, bool] | None = getattr(request, _MARK, None)
        if mark is not None:
            response.set_cookie(
                COOKIE,
                _signed(request, *mark),
                max_age=SECONDS,
                secure=settings.SESSION_COOKIE_SECURE,
                httponly=True,
                samesite="Lax",
            )
        return response

    return handle


def _signed(request: HttpRequest, user: User, codes: bool) -> str:
    other_entries = [entry for entry in _entries(request) if entry.user != user.pk]
    before = _entry(request, user)
    nonce = before.nonce if before else secrets.token_hex(8)
    codes = codes or (before is not None and before.codes)
    newest = Entry(user.pk, nonce, _of_password(user), codes)
    rows = [(e.user, e.nonce, e.password, e.codes) for e in [newest, *other_entries][:MAX_ENTRIES]]
    return signing.dumps(rows, salt=SALT)


def _entries(request: HttpRequest) -> list[Entry]:
    try:
        rows = signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=SECONDS)
        return [Entry(int(u), str(n), str(p), all(codes)) for u, n, p, *codes in rows]
    except (signing.BadSignature, ValueError, TypeError):
        return []


def _of_password(user: User) -> str:
    """A keyed hash of the stored password hash."""
    return salted_hmac(SALT, user.password).hexdigest()[:24]
