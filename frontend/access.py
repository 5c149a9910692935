"""Fetch what a page is about, or answer 404 for what its reader may not know exists."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest

from envyard.contract.names import BadName, canonical_version, normalise
from registry.accounts.models import User
from registry.accounts.permissions import can
from registry.catalog.models import Environment, Version
from registry.errors import HubError
from registry.runs.models import Run


def person(request: HttpRequest) -> User:
    """Who is signed in; raises PermissionDenied for nobody."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


def environment_or_404(request: HttpRequest, owner: str, name: str) -> Environment:
    """The environment with its owner, tags and latest version."""
    rows = Environment.objects.for_summary()
    found = rows.filter(owner__name=owner.lower(), name=normalise(name)).first()
    if found is None or not can(request.user, "environment.see", found):
        raise Http404
    return found


def version_or_404(request: HttpRequest, owner: str, name: str, number: str) -> Version:
    """The version, however name and number are spelled, with its environment and owner."""
    try:
        version = canonical_version(number)
    except BadName:
        raise Http404 from None
    found = (
        Version.objects.select_related("environment__owner", "uploaded_by")
        .filter(environment__owner__name=owner.lower(), environment__name=normalise(name))
        .filter(version=version)
        .first()
    )
    if found is None or not can(request.user, "version.see", found):
        raise Http404
    return found


def run_or_404(request: HttpRequest, pk: UUID) -> Run:
    """The run with its version, environment, owner and runner."""
    found = (
        Run.objects.select_related("version__environment__owner", "runner").filter(pk=pk).first()
    )
    if found is None or not can(request.user, "run.see", found):
        raise Http404
    return found


def refused(request: HttpRequest, problem: HubError) -> None:
    """Show a refusal on the next page."""
    messages.error(request, f"{problem.message} {problem.hint}".strip())
