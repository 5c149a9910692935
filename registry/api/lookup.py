"""`registry.lookup` for a request of the API.

Each object is checked for the verb that is given, else against the view's permission classes.
"""

from __future__ import annotations

from functools import partial
from typing import TypeVar
from uuid import UUID

from django.urls import reverse
from rest_framework.request import Request

from envyard.contract.names import normalise
from registry import lookup
from registry.accounts.models import Organisation, Owner
from registry.api.auth import get_actor
from registry.api.permissions import check_object, demand
from registry.catalog.models import Environment, Version
from registry.errors import Moved, NotFound
from registry.lookup import Check
from registry.read_models.similar_names import similar_names
from registry.runs.models import Run
from registry.self_reported.models import Evaluation

T = TypeVar("T", Environment, Version)


def owner(request: Request, name: str) -> Owner:
    """The person or organisation of that name."""
    row = lookup.owner(name)
    check_object(request, row)
    return row


def organisation(request: Request, name: str, verb: str = "") -> Organisation:
    """The organisation of that name."""
    return lookup.organisation(name, check=_check(request, verb))


def environment(request: Request, owner: str, name: str, verb: str = "") -> Environment:
    """The environment; without the permission 404, 401 or 403.

    Under a former name of one that the actor sees: 301 to read it, 409 for all else.
    """
    try:
        return lookup.environment(owner, name, check=_check(request, verb))
    except NotFound:
        _follow(request, owner, name)
        raise _no_environment(request, owner, name) from None


def version(request: Request, owner: str, name: str, number: str, verb: str = "") -> Version:
    """The version likewise."""
    try:
        return lookup.version(owner, name, number, check=_check(request, verb))
    except NotFound:
        _follow(request, owner, name)
        rows = Environment.objects.visible_to(*get_actor(request))
        if rows.filter(owner__name=owner.lower(), name=normalise(name)).exists():
            raise NotFound(
                f"{owner[:40]}/{name[:100]} has no version {number[:80]!r} that you may see",
                f"The versions it has: hub versions {owner}/{name}",
            ) from None
        raise _no_environment(request, owner, name) from None


def run(request: Request, pk: UUID, verb: str = "") -> Run:
    """The run with version, environment, owner and runner."""
    return lookup.run(pk, check=_check(request, verb))


def evaluation(request: Request, pk: UUID) -> Evaluation:
    """The pushed evaluation."""
    return lookup.evaluation(pk, check=_check(request, ""))


def _check(request: Request, verb: str) -> Check:
    return partial(demand, request, verb) if verb else partial(check_object, request)


def _no_environment(request: Request, owner: str, name: str) -> NotFound:
    """The refusal, with the names of similar environments that the actor may see."""
    similar = similar_names(owner, name, *get_actor(request))
    meant = " or ".join(str(row) for row in similar)
    return NotFound(
        f"there is no environment {owner[:40]}/{name[:100]}, or you may not see it",
        f"Did you mean {meant}?" if meant else "Find one: hub search WORDS",
    )


def _follow(request: Request, owner: str, name: str) -> None:
    """Raise Moved where the actor sees the environment that had this name before."""
    now = lookup.moved(owner, name, *get_actor(request))
    if now is None:
        return
    match, location = request.resolver_match, ""
    if request.method in ("GET", "HEAD") and match is not None:
        place = {"owner": now.owner.name, "name": now.name}
        query = request.META.get("QUERY_STRING", "")
        location = reverse(match.view_name, kwargs=match.kwargs | place)
        location = f"{location}?{query}" if query else location
    raise Moved(f"{owner}/{name}", str(now), location=location)
