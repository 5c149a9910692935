"""Short addresses: `/OWNER` and `/OWNER/NAME` lead to the pages that they name."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls.converters import StringConverter
from django.views.decorators.http import require_safe

from frontend.access import environment_or_404, follows_moves, owner_or_404


class OwnerName(StringConverter):
    """The name of a person or an organisation; not `favicon.ico`."""

    regex = "[A-Za-z0-9][A-Za-z0-9-]*"


class EnvironmentName(StringConverter):
    """The name of an environment, however it is spelled."""

    regex = "[A-Za-z0-9][A-Za-z0-9._-]*"


@require_safe
@follows_moves
def environment(request: HttpRequest, owner: str, name: str) -> HttpResponse:
    """Redirect to the page of an environment that the reader may see, else 404."""
    env = environment_or_404(request, owner, name)
    return redirect("environment", env.owner.name, env.name)


@require_safe
def owner(request: HttpRequest, name: str) -> HttpResponse:
    """Redirect to the page of a person or an organisation, else 404."""
    return redirect("owner", owner_or_404(name.lower()).name)
