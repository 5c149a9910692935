"""Middleware for all requests: request id, NUL check and content security policy."""

import re
import secrets
from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from hub import logs
from registry.api.errors import answers_errors
from registry.errors import HubError

Handler = Callable[[HttpRequest], HttpResponseBase]

# Only resources of the hub: no inline script or style, no frame, no other host.
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
    """Set an id on the request, on the response and in log lines.

    A proxy's X-Request-ID is used if it is short and plain, because it is written to the log.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        supplied = request.headers.get("X-Request-ID", "")
        bound = supplied if _wellformed.fullmatch(supplied) else secrets.token_hex(8)
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
    """Refuse a URL with a NUL: PostgreSQL rejects it, so every query would fail."""

    @answers_errors
    def refuse(request: HttpRequest) -> HttpResponseBase:
        raise HubError("request.invalid", "the URL contains a NUL (%00)", "Remove it.")

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if "\0" in request.path_info or "%00" in request.META.get("QUERY_STRING", ""):
            return refuse(request)
        return get_response(request)

    return middleware


def content_security_policy(get_response: Handler) -> Handler:
    """Add the policy to every response without a policy of its own."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response

    return middleware
