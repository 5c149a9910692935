"""Health checks, and the responses for failed requests."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from ipaddress import ip_address

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.db import Error
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views import defaults
from django.views.decorators.http import require_safe

from hub.readiness.report import readiness
from registry.accounts.models import Token
from registry.api import errors
from registry.api.auth import token_of
from registry.errors import HubError

PROXIED = ("X-Forwarded-For", "X-Forwarded-Proto", "X-Real-IP", "Forwarded", "Via")
PROGRAMS = re.compile(r"/(api|files|legacy|integrity|_)/|/[^/]+/simple(/|$)")


@require_safe
def health(request: HttpRequest) -> JsonResponse:
    """200 while this process serves requests; it checks nothing, unlike `/readyz`."""
    return JsonResponse({"status": "ok"}, headers={"Cache-Control": "no-store"})


@require_safe
def ready(request: HttpRequest) -> JsonResponse:
    """200 if every required part works, else 503, with the status of each part.

    Messages name folders and servers, so only staff tokens and requests from this machine without
    a proxy get them; all others get the statuses.
    """
    report = readiness.report()
    details = _from_this_machine(request) or _by_staff(request)
    headers = {"Cache-Control": "no-store"}
    if not report.is_ready:
        headers["Retry-After"] = str(settings.HUB_READY_SECONDS)
    status = 200 if report.is_ready else 503
    return JsonResponse(report.to_dict(details=details), status=status, headers=headers)


HEALTH_CHECKS: dict[str, Callable[[HttpRequest], HttpResponseBase]] = {
    "/healthz": health,
    "/readyz": ready,
}


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """400: the API's shape for programs, a page for browsers."""
    if isinstance(exception, DisallowedHost) and PROGRAMS.match(request.path):
        return errors.answer(request, bad_host(request))
    return defaults.bad_request(request, exception)


def server_error(request: HttpRequest) -> HttpResponseBase:
    """500, or 507 for a full disk; the page needs no database."""
    error = sys.exception()
    full = errors.full(error) if error else None
    if full is None:
        return defaults.server_error(request)
    if PROGRAMS.match(request.path):
        return errors.answer(request, full)
    page = render(None, "507.html", status=full.status)
    for name, value in errors.headers(full).items():
        page.headers[name] = value
    return page


def _from_this_machine(request: HttpRequest) -> bool:
    try:
        local = ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False
    return local and not any(name in request.headers for name in PROXIED)


def _by_staff(request: HttpRequest) -> bool:
    """Whether the request has a staff token; False while the database is unavailable."""
    try:
        token = token_of(request)
    except (HubError, Error):
        return False
    scope = token is not None and token.scope == Token.Scope.ADMIN
    return token is not None and scope and token.user.is_staff and token.user.is_active


def bad_host(request: HttpRequest) -> HubError:
    """The error for a Host that HUB_ALLOWED_HOSTS does not contain."""
    host = request.META.get("HTTP_HOST", request.META.get("SERVER_NAME", ""))
    return HubError(
        "request.invalid",
        f"Host {host[:100]!r} is not a name of this hub",
        "Use the public URL of the hub; HUB_ALLOWED_HOSTS lists the allowed names.",
    )
