"""Fetch what a request is about, as far as the get_actor may know that it exists."""

from __future__ import annotations

from typing import TypeVar
from uuid import UUID

from django.urls import reverse
from rest_framework.request import Request

from envyard.contract.names import BadName, canonical_version, normalise
from registry.accounts.models import Owner
from registry.accounts.permissions import can, require
from registry.api.auth import get_actor
from registry.api.permissions import check_object
from registry.catalog.models import Environment, Version
from registry.catalog.transfer import moved_to
from registry.errors import Moved, NotFound
from registry.runs.models import Run

T = TypeVar("T", Environment, Version, Run)
RUNS = Run.objects.select_related("version__environment__owner", "runner")


def owner(request: Request, name: str) -> Owner:
    """The person or organisation of that name; names of owners are no secret.

    Checked against the permission classes of the request's view.
    """
    row = find_owner(name)
    check_object(request, row)
    return row


def find_owner(name: str) -> Owner:
    """The same without a check."""
    found = Owner.objects.filter(name=name.lower()).first()
    if found is None:
        raise NotFound(f"there is no owner {name[:40]!r}")
    return found


def environment(request: Request, owner: str, name: str, verb: str) -> Environment:
    """The environment in any spelling of its name; without the permission 404, 401 or 403.

    Under a former name of one that the get_actor sees: 301 to read it, 409 for all else.
    """
    found = (
        Environment.objects.for_summary()
        .filter(owner__name=owner.lower(), name=normalise(name))
        .first()
    )
    if found is None:
        _follow(request, owner, name)
    return _allowed(request, verb, found)


def version(request: Request, owner: str, name: str, version: str, verb: str) -> Version:
    """The version in any PEP 440 spelling, with environment, owner and uploader."""
    try:
        number = canonical_version(version)
    except BadName:
        raise NotFound from None
    found = (
        Version.objects.select_related("environment__owner", "uploaded_by")
        .filter(
            environment__owner__name=owner.lower(),
            environment__name=normalise(name),
            version=number,
        )
        .first()
    )
    if found is None:
        _follow(request, owner, name)
    return _allowed(request, verb, found)


def run(request: Request, pk: UUID, verb: str) -> Run:
    """The run with version, environment, owner and runner."""
    return _allowed(request, verb, RUNS.filter(pk=pk).first())


def _follow(request: Request, owner: str, name: str) -> None:
    """Raise Moved where the name led to something that the get_actor sees now under another one."""
    now = moved_to(owner=owner, name=name)
    who, token = get_actor(request)
    if now is None or not can(who, "environment.see", now, token):
        return
    match, location = request.resolver_match, ""
    if request.method in ("GET", "HEAD") and match is not None:
        place = {"owner": now.owner.name, "name": now.name}
        query = request.META.get("QUERY_STRING", "")
        location = reverse(match.view_name, kwargs=match.kwargs | place)
        location = f"{location}?{query}" if query else location
    raise Moved(f"{owner}/{name}", str(now), location=location)


def _allowed(request: Request, verb: str, found: T | None) -> T:
    if found is None:
        raise NotFound
    who, token = get_actor(request)
    require(who, verb, found, token)
    return found
