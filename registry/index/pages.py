"""Index pages as they are served: looked up by one query, rendered once per state."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.db.models import Count, Max, QuerySet, Value

from registry import prepared
from registry.accounts.models import Owner
from registry.catalog.models import Environment
from registry.index import content, render

FORMS = ("index.json", "index.json.gz", "index.html", "index.html.gz")
MAX_PAGES = 256  # cached by each web process; one with ten versions takes some 15 kB
Page = Mapping[str, "Body"]  # the forms by their file names
_OWNER, _NAME = "the owner's name", "the environment's name"  # placeholders of the prepared queries


@dataclass(frozen=True, slots=True)
class Body:
    """The bytes of one form, with the time of its file and the ETag that nginx derives from time
    and size: app and nginx send the same, and other bytes get another tag."""

    data: bytes
    stamp: int
    etag: str


@dataclass(frozen=True, slots=True)
class PageState:
    """The target of an address: an environment, possibly under a former name.

    `changed_at` is only compared: it has the type of the database driver.
    """

    environment: int
    owner: str
    name: str
    public: bool
    serial: int
    changed_at: object
    moved: bool


def find(owner: str, name: str) -> PageState | None:
    """The environment that has or had a page under that address; one query."""
    row = prepared.row(_states, {_OWNER: owner, _NAME: name})
    if row is None:
        return None
    pk, owner, name, visibility, serial, changed_at, moved = row
    public = visibility == Environment.Visibility.PUBLIC
    return PageState(pk, owner, name, public, serial, changed_at, bool(moved))


def of(place: PageState) -> Page:
    """The page of the environment, at least as recent as the place."""
    return _environment(place.environment, place.serial, place.changed_at)


def root(owner: str) -> Page | None:
    """The public root page of an owner, in one query where nothing has changed."""
    row = prepared.row(_roots, {_OWNER: owner})
    return None if row is None else _root(*row)


def render_forms(page: content.Page) -> Page:
    """All forms of a page."""
    json, html = render.as_json(page), render.as_html(page)
    data = (json, gzip.compress(json, 9, mtime=0), html, gzip.compress(html, 9, mtime=0))
    return dict(zip(FORMS, map(_body, data), strict=True))


def names(owner_id: int) -> QuerySet[Environment, str]:
    """The names on an owner's public root page."""
    rows = Environment.objects.filter(owner=owner_id, visibility=Environment.Visibility.PUBLIC)
    return rows.indexed().order_by("name").values_list("name", flat=True)


def _body(data: bytes) -> Body:
    stamp = (
        int.from_bytes(hashlib.sha256(data).digest()[:4], "big") >> 1
    )  # 31 bits: any file system
    return Body(data, stamp, f'"{stamp:x}-{len(data):x}"')


@lru_cache(MAX_PAGES)
def _environment(pk: int, serial: int, changed_at: object) -> Page:
    """`changed_at` distinguishes states whose serial a restored database repeats."""
    return render_forms(content.environment(Environment.objects.get(pk=pk)))


@lru_cache(MAX_PAGES)
def _root(pk: int, environments: int, serial: int | None, changed_at: datetime | None) -> Page:
    """Every change of its names raises the serial, or lowers the count."""
    return render_forms(content.root(names(pk)))


def _states() -> QuerySet[Any, Any]:
    rows = Environment.objects.indexed()
    current = rows.filter(owner__name=_OWNER, name=_NAME)
    former = rows.filter(former_names__owner__name=_OWNER, former_names__name=_NAME)
    fields = ("pk", "owner__name", "name", "visibility", "index_serial", "updated_at")
    return current.values_list(*fields, Value(0)).union(
        former.values_list(*fields, Value(1)), all=True
    )


def _roots() -> QuerySet[Any, Any]:
    rows = Owner.objects.filter(name=_OWNER)
    newest = [Max(f"environments__{field}") for field in ("index_serial", "updated_at")]
    return rows.values_list("pk", Count("environments"), *newest)
