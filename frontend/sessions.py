"""Store when and where each browser session was used, every few minutes."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth import SESSION_KEY
from django.core.cache import caches
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from registry import rate_limits
from registry.accounts import sessions

EVERY = 300  # seconds between two writes for one session, in each process
SIGNED_IN = "account_authentication_methods"  # allauth's record of how the person signed in
Handler = Callable[[HttpRequest], HttpResponseBase]
cache = caches["local"]


def middleware(get_response: Handler) -> Handler:
    """Note the session of a request whose answer has read it; the others cost no query."""

    def handle(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        session = getattr(request, "session", None)
        if session is not None and session.accessed and session.session_key:
            user = session.get(SESSION_KEY)
            if user and SIGNED_IN in session and cache.add(_key(request), True, EVERY):
                note(request, int(user))
        return response

    return handle


def note(request: HttpRequest, user_id: int) -> None:
    """Store that the session of the request is used now."""
    sessions.seen(
        session_key=str(request.session.session_key),
        user_id=user_id,
        user_agent=request.headers.get("User-Agent", ""),
        address=rate_limits.address(request),
        now=timezone.now(),
    )


def _key(request: HttpRequest) -> str:
    return f"session-seen-{request.session.session_key}"
