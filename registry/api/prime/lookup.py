"""What a path names in prime's words: an environment's id, `@latest`, `@0.1.0` or `@<hash>`."""

from __future__ import annotations

import re
from contextlib import suppress

from django.db.models import Q
from rest_framework.request import Request

from envyard.contract.names import BadName, canonical_version
from registry.api import lookup
from registry.api.auth import get_actor
from registry.api.permissions import check_object, demand
from registry.catalog.models import Environment, Version, VersionQuerySet
from registry.errors import HubError, NotFound

ID = re.compile(r"env_([0-9]{1,18})")
HASH = re.compile(r"[0-9a-f]{8,64}")


def environment_by_id(request: Request, text: str, verb: str = "") -> Environment:
    """The environment of that id, checked for the verb or else by the view's permission classes."""
    match = ID.fullmatch(text)
    rows = Environment.objects.for_summary()
    row = rows.filter(pk=int(match[1])).first() if match else None
    if row is None:
        raise NotFound
    if verb:
        demand(request, verb, row)
    else:
        check_object(request, row)
    return row


def version(request: Request, owner: str, name: str, text: str) -> Version:
    """The version that `text` names, with environment, owner and source, likewise checked."""
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
            row = _by_hash(rows, text)
    if row is None:
        raise NotFound(f"{environment} has no version {text[:80]!r} that you may see")
    row.environment = environment
    check_object(request, row)
    return row


def latest(environment: Environment, rows: VersionQuerySet) -> Version | None:
    """The latest version; the newest of these where none is listed."""
    current = rows.filter(pk=environment.latest_id).first() if environment.latest_id else None
    return current or rows.newest_first().first()


def _by_hash(rows: VersionQuerySet, text: str) -> Version | None:
    """The only version whose hash begins so; raises 400 where there are several."""
    by_prefix = Q(sha256__startswith=text) | Q(source__content_hash__startswith=text)
    matches = rows.filter(by_prefix)[:2]
    if len(matches) > 1:
        raise HubError(
            "request.invalid",
            f"more than one version's hash begins with {text!r}",
            "Give more of it: `prime env version list --full-hashes`.",
        )
    return matches[0] if matches else None
