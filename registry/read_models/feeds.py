"""Entries of the Atom feeds: what an anonymous reader may see, the newest first."""

from __future__ import annotations

import functools
import operator
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef, Q, QuerySet

from registry.accounts.models import Owner
from registry.catalog.models import Environment, Version
from registry.events import Event
from registry.notifications import sentences
from registry.notifications.kinds import PUBLIC, Kind, kind_of

ENTRIES = 50
# The newest events in which the feed of the hub is looked for, more where they are of private ones.
# By a narrow range PostgreSQL looks at each event, not first at all versions.
SCANNED = (1_000, 20_000, 200_000)
OWN_SCANNED = 500  # of an owner's, the same


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry; `id` is a tag URI (RFC 4151) that stays the same after a transfer."""

    id: str
    kind: str
    title: str
    text: str
    url: str
    author: str
    at: datetime


def of_hub() -> list[Entry]:
    """Of all environments, among the newest events: a hub of private ones would read all."""
    newest = Event.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    entries: list[Entry] = []
    for scanned in SCANNED:
        entries = _entries(Event.objects.filter(pk__gt=newest - scanned))
        if len(entries) == ENTRIES or newest <= scanned:
            break
    return entries


def of_owner(owner: Owner, *, scanned: int = OWN_SCANNED) -> list[Entry]:
    """Of the owner's environments, without events under their former owners; among that many of the
    owner's newest events, and all where these are too few."""
    events = Event.objects.filter(owner=owner)
    beyond = events.order_by("-pk").values_list("pk", flat=True)[scanned:].first()
    events = events.filter(environment__owner=owner)
    if beyond is not None:
        entries = _entries(events.filter(pk__gt=beyond))
        if len(entries) == ENTRIES:
            return entries
    return _entries(events)


def of_environment(environment: Environment) -> list[Entry]:
    """Of that environment, under former owners too."""
    return _entries(Event.objects.filter(environment=environment))


def _entries(events: QuerySet[Event]) -> list[Entry]:
    rows = events.filter(_visible(), functools.reduce(operator.or_, (k.where for k in PUBLIC)))
    rows = rows.select_related("environment__owner", "version", "run")
    rows = rows.defer("version__readme", "version__requires_dist", "run__facts")
    rows = rows.order_by("-pk")[:ENTRIES]
    return [
        _entry(event, kind, environment)
        for event in rows
        if (kind := kind_of(event)) and (environment := event.environment)
    ]


def _visible() -> Q:
    """Events whose environment, version and run an anonymous reader may see now."""
    nobody = AnonymousUser()
    environments = Environment.objects.visible_to(nobody).filter(pk=OuterRef("environment"))
    versions = Version.objects.visible_to(nobody).filter(pk=OuterRef("version"))
    runs = versions.installable()  # as permissions of runs say
    return Exists(environments) & (
        Q(version=None) | (Exists(versions) & (Q(verb__startswith="version.") | Exists(runs)))
    )


def _entry(event: Event, kind: Kind, environment: Environment) -> Entry:
    news = sentences.news(event, kind)
    return Entry(
        id=_tag(event, kind, environment),
        kind=kind.name,
        title=news.title,
        text=news.text,
        url=news.url,
        author=environment.owner.name,
        at=event.at,
    )


def _tag(event: Event, kind: Kind, environment: Environment) -> str:
    """By environment and time: a number of the journal would count events of others."""
    number = event.version.version if event.version else ""
    host = urlsplit(settings.HUB_URL).hostname or "localhost"
    return (
        f"tag:{host},{event.at:%Y-%m-%d}:{environment.pk}/{number}/{kind.name}/{event.at:%H%M%S%f}"
    )
