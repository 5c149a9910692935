"""What a path names in prime's words: an environment's id, `@latest`, `@0.1.0` or `@<hash>`."""

from __future__ import annotations

import re
from contextlib import suppress

from django.db.models import Q
from rest_framework.request import Request

from envyard.contract.names import BadName, canonical_version
from registry.accounts.models import Owner
from registry.accounts.permissions import require
from registry.api import lookup
from registry.api.auth import get_actor, sole_person
from registry.api.prime import body
from registry.catalog.models import Environment, Version, VersionQuerySet
from registry.errors import HubError, NotFound
from registry.lookup import owner as find_owner

ID = re.compile(r"env_([0-9]{1,18})")
HASH = re.compile(r"[0-9a-f]{8,64}")


def by_id(request: Request, text: str, verb: str) -> Environment:
    """The environment of that id; without the permission 404, 401 or 403."""
    match = ID.fullmatch(text)
    rows = Environment.objects.for_summary()
    row = rows.filter(pk=int(match[1])).first() if match else None
    if row is None:
        raise NotFound
    actor, token = get_actor(request)
    require(actor, verb, row, token)
    return row


def version(request: Request, owner: str, name: str, text: str, verb: str) -> Version:
    """The version that `text` names, with environment, owner and source."""
    environment = lookup.environment(request, owner, name, "environment.see")
    rows = environment.versions.visible_to(*get_actor(request))
    rows = rows.select_related("environment__owner", "source")
    if text == "latest":
        row = latest(environment, rows)
    else:
        row = None
        with suppress(BadName):
            row = rows.filter(version=canonical_version(text)).first()
        if row is None and HASH.fullmatch(text):
            row = _by_hash(list(rows.filter(_begins(text))[:2]), text)
    if row is None:
        raise NotFound(f"{environment} has no version {text[:80]!r} that you may see")
    row.environment = environment
    actor, token = get_actor(request)
    require(actor, verb, row, token)
    return row


def latest(environment: Environment, rows: VersionQuerySet) -> Version | None:
    """The latest version; the newest of these where none is listed."""
    current = rows.filter(pk=environment.latest_id).first() if environment.latest_id else None
    return current or rows.newest_first().first()


def _begins(text: str) -> Q:
    return Q(sha256__startswith=text) | Q(source__content_hash__startswith=text)


def _by_hash(matches: list[Version], text: str) -> Version | None:
    if len(matches) > 1:
        raise HubError(
            "request.invalid",
            f"more than one version's hash begins with {text!r}",
            "Give more of it: `prime env version list --full-hashes`.",
        )
    return matches[0] if matches else None


def owner(request: Request, data: dict[str, object]) -> Owner:
    """The owner that the body names in one of prime's ways; the person's own name by default."""
    for field in ("owner_slug", "team_slug", "team_id"):
        if data.get(field) is not None:
            return find_owner(body.text(data, field))
    return sole_person(request).owner
