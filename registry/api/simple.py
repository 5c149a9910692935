"""The simple index of an owner: PEP 503/691/700/714/592/792, for pip, uv and their caches.

What is private needs a token; the browser's session counts for nothing here, so that no page
varies with a cookie. Pages of public environments also lie in the storage, from where nginx, or
`registry.api.published` before this, serves them with the same bytes and headers.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from django.contrib.auth.models import AnonymousUser
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponsePermanentRedirect,
    HttpResponseRedirect,
)
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_safe

from envyard.contract.names import normalise
from registry.accounts.models import Token
from registry.accounts.permissions import Actor, can
from registry.api import files
from registry.api.auth import token_of
from registry.api.errors import answers_errors
from registry.catalog.models import Environment
from registry.errors import NotFound
from registry.index import content, negotiate, pages
from registry.index.negotiate import MAX_AGE, VARY, VARY_BY_TOKEN

ADDRESS = re.compile(r"/([^/]+)/simple/(?:([^/]+)/)?")


def early(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[..., object]:
    """Middleware that answers the index and public files before all that concerns browsers.

    Sessions, static files and the rest cost more than the file: without this a wheel costs web 2 to
    3.2 times the CPU time (3.5 ms instead of 1.3, gunicorn included), an index page that the app
    answers 1.2 to 1.4 times (SQLite, November 2026).
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        address = ADDRESS.fullmatch(request.path_info)
        if address is None:
            return files.early(request) or get_response(request)
        owner, name = address.groups()
        return environment(request, owner, name) if name else root(request, owner)

    return middleware


@require_safe
def slash(request: HttpRequest, owner: str, name: str = "") -> HttpResponseBase:
    """The index's addresses end in a slash."""
    return _moved(request, owner, name)


@require_safe
@answers_errors
def root(request: HttpRequest, owner: str) -> HttpResponseBase:
    """All environments of an owner that the actor may install from."""
    token = token_of(request)
    page = pages.root(owner)
    if page is None:
        raise NotFound(f"there is no owner {owner[:40]!r}")
    if token is None:
        return _answer(request, page, vary=VARY_BY_TOKEN)
    rows = Environment.objects.filter(owner__name=owner).visible_to(token.user, token).indexed()
    names = rows.order_by("name").values_list("name", flat=True)
    own = pages.render_forms(content.root(names))
    return _answer(request, own, vary=VARY_BY_TOKEN, cache="private")


@require_safe
@answers_errors
def environment(request: HttpRequest, owner: str, name: str) -> HttpResponseBase:
    """The files of one environment. 404 for unknown and for hidden ones: no 401 or 403, on which
    installers stop instead of trying their next index, but for an invalid credential."""
    if (normal := normalise(name)) != name:
        return _moved(request, owner, normal)
    place = pages.find(owner, name)
    if place is None or not place.public:
        # Of unknown ones too: a bad credential must not distinguish them from hidden ones.
        token = token_of(request)
        if place is None or not _may_see(place, token):
            raise NotFound(f"{owner[:40]}'s index has no {name[:100]!r}")
    if place.moved:
        return _transferred(request, place)
    if place.public:
        return _answer(request, pages.of(place))
    return _answer(request, pages.of(place), vary=VARY_BY_TOKEN, cache="private")


def _may_see(place: pages.PageState, token: Token | None) -> bool:
    actor: Actor = AnonymousUser() if token is None else token.user
    return can(actor, "environment.see", Environment.objects.get(pk=place.environment), token)


def _answer(
    request: HttpRequest, page: pages.Page, *, vary: str = VARY, cache: str = "public"
) -> HttpResponseBase:
    """The page in the accepted form, or 304 where the client has it already."""
    meta = request.META
    wanted = request.GET.get("format", "") if meta.get("QUERY_STRING") else ""
    form = negotiate.form(meta.get("HTTP_ACCEPT", ""), meta.get("HTTP_ACCEPT_ENCODING", ""), wanted)
    body = page[form.file]
    headers = dict(negotiate.headers(body.etag, vary, cache))
    if negotiate.matches_etag(meta.get("HTTP_IF_NONE_MATCH", ""), body.etag):
        return HttpResponse(status=304, headers=headers)
    headers |= {**dict(form.headers), "Content-Length": str(len(body.data))}
    return HttpResponse(b"" if request.method == "HEAD" else body.data, headers=headers)


def _moved(request: HttpRequest, owner: str, name: str) -> HttpResponseBase:
    return HttpResponsePermanentRedirect(_address(request, owner, normalise(name)))


def _transferred(request: HttpRequest, place: pages.PageState) -> HttpResponseBase:
    """Not for ever: it may come back."""
    response = HttpResponseRedirect(_address(request, place.owner, place.name))
    response["Cache-Control"] = f"public, max-age={MAX_AGE}" if place.public else "no-store"
    return response


def _address(request: HttpRequest, owner: str, name: str) -> str:
    path = reverse("index-environment", args=(owner, name)) if name else f"/{owner}/simple/"
    query = request.META.get("QUERY_STRING", "")
    return f"{path}?{query}" if query else path
