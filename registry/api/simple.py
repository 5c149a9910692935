"""The simple index of an owner: PEP 503/691/700/714/592/792, for pip, uv and their caches.

What is private needs a token; the browser's session counts for nothing here, so that no page
varies with a cookie.
"""

from __future__ import annotations

import hashlib

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.views.decorators.http import require_safe

from envyard.contract.names import normalise
from registry.accounts.models import Owner, Token
from registry.accounts.permissions import Who, can
from registry.api.auth import token_of
from registry.api.errors import answers_errors
from registry.catalog.models import Environment
from registry.errors import NotFound
from registry.index import content, negotiate, render

MAX_AGE = 600  # seconds; what PyPI says and uv's documentation recommends


@require_safe
def slash(request: HttpRequest, owner: str, name: str = "") -> HttpResponseBase:
    """The index's addresses end in a slash."""
    return _moved(request, owner, name)


@require_safe
@answers_errors
def root(request: HttpRequest, owner: str) -> HttpResponseBase:
    """All environments of an owner that the asker may install from."""
    token = token_of(request)
    if not Owner.objects.filter(name=owner).exists():
        raise NotFound(f"there is no owner {owner[:40]!r}")
    rows = Environment.objects.filter(owner__name=owner).visible_to(_person(token), token).indexed()
    found = list(rows.order_by("name").values_list("name", "visibility"))
    private = any(visibility == Environment.Visibility.PRIVATE for _, visibility in found)
    response = _answer(request, content.root(name for name, _ in found), private=private)
    patch_vary_headers(response, ("Authorization",))
    return response


@require_safe
@answers_errors
def environment(request: HttpRequest, owner: str, name: str) -> HttpResponseBase:
    """The files of one environment. 404 for unknown and for hidden ones: never 401 or 403, on
    which installers stop instead of asking their next index."""
    if (normal := normalise(name)) != name:
        return _moved(request, owner, normal)
    found = (
        Environment.objects.filter(owner__name=owner, name=name)
        .indexed()
        .select_related("owner")
        .first()
    )
    private = found is not None and found.visibility == Environment.Visibility.PRIVATE
    token = token_of(request) if private else None
    if found is None or not can(_person(token), "environment.see", found, token):
        raise NotFound(f"{owner[:40]}'s index has no {name[:100]!r}")
    return _answer(request, content.environment(found), private=private)


def _person(token: Token | None) -> Who:
    return AnonymousUser() if token is None else token.user


def _answer(request: HttpRequest, page: content.Page, *, private: bool) -> HttpResponseBase:
    """The page in the form that was asked for, or 304 where the client has it already."""
    kind = negotiate.choose(request.headers.get("Accept", ""), request.GET.get("format", ""))
    data = render.as_json(page) if kind == negotiate.JSON else render.as_html(page)
    charset = "" if kind == negotiate.JSON else "; charset=utf-8"
    response = HttpResponse(data, content_type=kind + charset)
    response["ETag"] = f'"{hashlib.sha256(data).hexdigest()[:32]}"'
    response["Cache-Control"] = f"{'private' if private else 'public'}, max-age={MAX_AGE}"
    patch_vary_headers(response, ("Accept", "Authorization") if private else ("Accept",))
    return get_conditional_response(request, etag=response["ETag"], response=response) or response


def _moved(request: HttpRequest, owner: str, name: str) -> HttpResponseBase:
    if name:
        path = reverse("index-environment", args=(owner, normalise(name)))
    else:
        path = reverse("index", args=(owner,))
    query = request.META.get("QUERY_STRING", "")
    return HttpResponsePermanentRedirect(f"{path}?{query}" if query else path)
