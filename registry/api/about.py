"""What this hub evaluates with: its runners' Pythons and the frameworks' releases."""

from __future__ import annotations

from django.conf import settings
from rest_framework.decorators import api_view, authentication_classes
from rest_framework.request import Request
from rest_framework.response import Response

from envyard.contract.frameworks.adapters import FRAMEWORKS, adapters_of
from envyard.contract.frameworks.table import table
from registry.accounts import runners


@api_view(["GET"])
@authentication_classes([])
def about(request: Request) -> Response:
    """The same for everybody; a client checks a wheel against it before it uploads one."""
    return Response(
        {
            "pythons": runners.pythons_offered(),
            "frameworks": {name: _framework(name) for name in FRAMEWORKS},
            "index": settings.HUB_PACKAGE_INDEX,
        }
    )


def _framework(name: str) -> dict[str, object]:
    """Its known releases that a runner can drive, and the newest for each API."""
    driven = {
        adapter: [str(release.version) for release in adapter.known_releases()]
        for adapter in adapters_of(name)
    }
    releases = [
        version
        for version in (str(release.version) for release in table(name).releases)
        if any(version in versions for versions in driven.values())
    ]
    return {
        "releases": releases,
        "default": releases[-1],
        "apis": {adapter.api: {"specifier": str(adapter.releases), "default": versions[-1]}
                 for adapter, versions in driven.items()},
    }  # fmt: skip
