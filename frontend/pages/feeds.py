"""Atom feeds (RFC 4287) of an environment, of an owner and of the hub.

They hold what an anonymous reader may see, for every reader: so a cache may keep them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.cache import get_conditional_response
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape
from django.views.decorators.http import require_safe

from frontend.access import owner_or_404
from frontend.render.plain import visible
from registry import lookup
from registry.accounts.permissions import require
from registry.errors import NotFound
from registry.read_models import feeds, links
from registry.read_models.feeds import Entry

MAX_AGE = 300  # seconds
NO_XML = dict.fromkeys((*range(0xD800, 0xE000), 0xFFFE, 0xFFFF), "\N{REPLACEMENT CHARACTER}")
EMPTY = datetime(2026, 1, 1, tzinfo=UTC)  # `updated` of a feed without entries


class Feed(Atom1Feed):
    """Django's, with a time for a feed without entries that does not change with every request."""

    def latest_post_date(self) -> datetime:
        """The time of the newest entry."""
        return super().latest_post_date() if self.items else EMPTY


@require_safe
def of_hub(request: HttpRequest) -> HttpResponse:
    """The feed of all environments."""
    return _answer(request, "Environments", links.to("browse"), feeds.of_hub())


@require_safe
def of_owner(request: HttpRequest, name: str) -> HttpResponse:
    """The feed of a person's or an organisation's environments."""
    owner = owner_or_404(name)
    page = links.to("owner", owner.name)
    return _answer(request, f"Environments of {owner}", page, feeds.of_owner(owner))


@require_safe
def of_environment(request: HttpRequest, owner: str, name: str) -> HttpResponse:
    """The feed of an environment; a former name redirects."""
    nobody = AnonymousUser()
    try:
        env = lookup.environment(owner, name, check=partial(require, nobody, "environment.see"))
    except NotFound:
        now = lookup.moved(owner, name, nobody)
        if now is None:
            raise Http404 from None
        return redirect("environment-feed", now.owner.name, now.name)
    return _answer(request, str(env), links.environment(env), feeds.of_environment(env))


def _answer(request: HttpRequest, title: str, page: str, entries: Sequence[Entry]) -> HttpResponse:
    address = links.to("home").rstrip("/") + request.path
    feed = Feed(
        title=f"{title} – Envyard", link=page, description="", feed_url=address, feed_guid=address
    )
    for entry in entries:
        feed.add_item(
            title=_xml(entry.title),
            link=entry.url,
            description=escape(_xml(entry.text)),  # readers take it for HTML
            unique_id=entry.id,
            pubdate=entry.at,
            updateddate=entry.at,
            author_name=entry.author,
            author_link=links.to("owner", entry.author),
            categories=(entry.kind,),
        )
    body = feed.writeString("utf-8").encode()
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    response = HttpResponse(body, content_type="application/atom+xml; charset=utf-8")
    response["ETag"], response["Cache-Control"] = etag, f"public, max-age={MAX_AGE}"
    return get_conditional_response(request, etag=etag, response=response) or response


def _xml(text: str) -> str:
    """The text with a sign for each character that XML 1.0 does not allow."""
    return visible(text).translate(NO_XML)
