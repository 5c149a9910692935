"""Which Host a request may name: HUB_ALLOWED_HOSTS, for every address but the probes'.

Pages, API, files and the simple index follow one rule, Django's `get_host`, also where they are
answered before the pages' own middleware.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from hub.views import PROBES

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

    from hub.middleware import Handler


def target_host(app: WSGIApplication) -> WSGIApplication:
    """Put the host of an absolute request target in the place of the Host header (RFC 9112, 3.2.2).

    gunicorn drops it, so `GET http://other/` with an allowed Host would pass the check.
    """

    def wrapped(environ: WSGIEnvironment, start: StartResponse) -> object:
        scheme, found, rest = environ.get("RAW_URI", "").partition("://")
        if found and scheme.lower() in ("http", "https"):
            environ["HTTP_HOST"] = rest.partition("/")[0].partition("?")[0]
        return app(environ, start)

    return wrapped  # type: ignore[return-value]


def check_host(get_response: Handler) -> Handler:
    """Refuse a host that is not allowed with 400; answer probes, which come by address, first."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if probe := PROBES.get(request.path_info):
            return probe(request)
        request.get_host()  # raises DisallowedHost
        return get_response(request)

    return middleware
