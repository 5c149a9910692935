"""The journals of an environment, of an owner and, for staff, of the hub."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from frontend.access import demand, environment_or_404, owner_or_404
from frontend.pages.environment_head import tabs
from frontend.paging import page
from registry.accounts.permissions import Actor
from registry.events import Event
from registry.moderation import journal
from registry.read_models import environments


@never_cache
@require_safe
@login_required
def of_environment(request: HttpRequest, owner: str, name: str) -> HttpResponse:
    """The journal of an environment, for its publishers."""
    env = environment_or_404(request, owner, name)
    demand(request, "environment.journal", env)
    context = {
        "env": environments.summary(env),
        "tabs": tabs(request, env, on="journal"),
        "title": f"Journal of {env}",
    }
    return _page(request, journal.of_environment(env), context)


@never_cache
@require_safe
@login_required
def of_owner(request: HttpRequest, name: str) -> HttpResponse:
    """The journal of an owner."""
    owner = owner_or_404(name)
    demand(request, "owner.journal", owner)
    return _page(request, journal.of_owner(owner), {"title": f"Journal of {owner}"})


@never_cache
@require_safe
@login_required
def of_all(request: HttpRequest) -> HttpResponse:
    """The journal of the hub, for staff."""
    demand(request, "hub.moderate", request.user)
    return _page(request, journal.of_hub(), {"title": "Journal of the hub"})


def _page(request: HttpRequest, rows: QuerySet[Event], context: dict[str, Any]) -> HttpResponse:
    events, following = page(request, rows, by=("-pk",))
    lines = [(event, _linked(event, request.user)) for event in events]
    return render(request, "pages/journal.html", context | {"lines": lines, "next": following})


def _linked(event: Event, reader: Actor) -> SafeString:
    """The event as a sentence, in which the name of its version or environment is a link."""
    text = journal.sentence(event, data=journal.data_for(event, reader))
    ref = journal.version_then(event) or journal.environment_then(event) or ""
    address = _address(event) if ref else ""
    if not address:
        return format_html("{}", text)
    before, _, after = text.partition(ref)
    return format_html('{}<a href="{}">{}</a>{}', before, address, ref, after)


def _address(event: Event) -> str:
    """The page of the version or environment under its owner at that time, which leads on where it
    has moved: the address of its new owner is for those who see it there."""
    version, environment = event.version, event.environment
    if environment is None or environment.deleted_at:
        return ""
    names = (event.owner or environment.owner).name, environment.name
    if version is None:
        return reverse("environment", args=names)
    return "" if version.deleted_at else reverse("version", args=[*names, version.version])
