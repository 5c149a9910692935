"""The check of the Host header against HUB_ALLOWED_HOSTS, for every path except the health checks.

Pages, API, files and the simple index use the same rule, Django's `get_host`, also when they are
served before the middleware of the pages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from hub.views import HEALTH_CHECKS

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

    from hub.middleware import Handler


def target_host(app: WSGIApplication) -> WSGIApplication:
    """Replace the Host header by the host of an absolute request target (RFC 9112, 3.2.2).

    gunicorn discards this host, so `GET http://other/` with an allowed Host would pass the check.
    """

    def wrapped(environ: WSGIEnvironment, start: StartResponse) -> object:
        scheme, separator, target = environ.get("RAW_URI", "").partition("://")
        if separator and scheme.lower() in ("http", "https"):
            environ["HTTP_HOST"] = target.partition("/")[0].partition("?")[0]
        return app(environ, start)

    return wrapped  # type: ignore[return-value]


def check_host(get_response: Handler) -> Handler:
    """Refuse other hosts with 400; health checks, which use the IP address, are served first."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if probe := HEALTH_CHECKS.get(request.path_info):
            return probe(request)
        request.get_host()  # raises DisallowedHost
        return get_response(request)

    return middleware
