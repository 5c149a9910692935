"""The page of an address that leads nowhere, with environments whose names are similar."""

from __future__ import annotations

import re

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from registry.accounts.services import RESERVED
from registry.catalog.models import Environment
from registry.read_models.similar_names import similar_names

ADDRESS = re.compile(
    r"/(?:envs/)?([a-z0-9-]{1,40})/([a-z0-9][a-z0-9._-]{0,99})(?:/.*)?", re.IGNORECASE
)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404 with the environments that the reader may have meant."""
    return render(request, "404.html", {"suggestions": suggestions(request)}, status=404)


def suggestions(request: HttpRequest) -> list[Environment]:
    """Environments with similar names that the reader may see."""
    match = ADDRESS.fullmatch(request.path)
    if match is None or match[1].lower() in RESERVED:
        return []
    return similar_names(match[1], match[2], request.user)
