"""What every request is held to and every response carries."""

import re
import secrets
from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from hub import logs
from registry.api.errors import answers_errors
from registry.errors import HubError

Handler = Callable[[HttpRequest], HttpResponseBase]

# Everything comes from the hub itself: no inline script or style, no frame, no foreign host.
POLICY = "; ".join(
    (
        "default-src 'self'",
        "img-src 'self' data:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
_wellformed = re.compile(r"[A-Za-z0-9_.-]{8,64}")


def request_id(get_response: Handler) -> Handler:
    """Give each request an id: on the request, on the response and in its log lines.

    A proxy's own X-Request-ID is kept when it is short and plain, since it ends up in the logs.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        given = request.headers.get("X-Request-ID", "")
        bound = given if _wellformed.fullmatch(given) else secrets.token_hex(8)
        request.META["REQUEST_ID"] = bound
        token = logs.request_id.set(bound)
        try:
            response = get_response(request)
        finally:
            logs.request_id.reset(token)
        response.headers["X-Request-ID"] = bound
        return response

    return middleware


def no_nul(get_response: Handler) -> Handler:
    """Refuse addresses that hold a NUL: PostgreSQL takes none, so any look-up would break."""

    @answers_errors
    def refuse(request: HttpRequest) -> HttpResponseBase:
        raise HubError("request.invalid", "the address holds a NUL (%00)", "Leave it out.")

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if "\0" in request.path_info or "%00" in request.META.get("QUERY_STRING", ""):
            return refuse(request)
        return get_response(request)

    return middleware


def content_security_policy(get_response: Handler) -> Handler:
    """Send the policy with every response that does not bring its own."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response

    return middleware
