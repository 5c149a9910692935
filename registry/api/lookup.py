"""Fetch what a request is about, as far as the asker may know that it exists."""

from __future__ import annotations

from typing import TypeVar
from uuid import UUID

from rest_framework.request import Request

from envyard.contract.names import BadName, canonical_version, normalise
from registry.accounts.models import Owner
from registry.accounts.permissions import require
from registry.api.auth import asker
from registry.catalog.models import Environment, Version
from registry.errors import NotFound
from registry.runs.models import Run

T = TypeVar("T", Environment, Version, Run)
RUNS = Run.objects.select_related("version__environment__owner", "runner")


def owner(name: str) -> Owner:
    """The person or organisation of that name; names of owners are no secret."""
    found = Owner.objects.filter(name=name.lower()).first()
    if found is None:
        raise NotFound(f"there is no owner {name[:40]!r}")
    return found


def environment(request: Request, owner: str, name: str, verb: str) -> Environment:
    """The environment in any spelling of its name; without the permission 404, 401 or 403."""
    found = (
        Environment.objects.for_summary()
        .filter(owner__name=owner.lower(), name=normalise(name))
        .first()
    )
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
    return _allowed(request, verb, found)


def run(request: Request, pk: UUID, verb: str) -> Run:
    """The run with version, environment, owner and runner."""
    return _allowed(request, verb, RUNS.filter(pk=pk).first())


def _allowed(request: Request, verb: str, found: T | None) -> T:
    if found is None:
        raise NotFound
    who, token = asker(request)
    require(who, verb, found, token)
    return found
