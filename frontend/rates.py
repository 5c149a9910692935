"""Rate limits of pages: the page shows the refusal, with status 429 and Retry-After."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from registry import rate_limits
from registry.errors import HubError

_MARK = "_retry_after"
# Statuses of a page with a refused form. A redirect is kept: the next page shows the message.
_PAGES = (200, 400)
Handler = Callable[[HttpRequest], HttpResponseBase]


def check(request: HttpRequest, action: str, *, person: str = "") -> None:
    """As `rate_limits.check`; the answer to the request has the status 429 where this raises."""
    try:
        rate_limits.check(request, action, person=person)
    except HubError as refusal:
        setattr(request, _MARK, refusal.details["retry_after"])
        raise


def middleware(get_response: Handler) -> Handler:
    """Set status and Retry-After of a page whose `check` raised."""

    def handle(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        seconds: int | None = getattr(request, _MARK, None)
        if seconds is not None and response.status_code in _PAGES:
            response.status_code = 429
            response.headers["Retry-After"] = str(seconds)
        return response

    return handle
