"""What this hub evaluates with: its runners' Pythons and the frameworks' releases."""

from __future__ import annotations

from django.conf import settings
from rest_framework.decorators import api_view, authentication_classes
from rest_framework.request import Request
from rest_framework.response import Response

from envyard.contract.frameworks.drivers import DRIVEN
from envyard.contract.frameworks.table import table
from registry.accounts import runners


@api_view(["GET"])
@authentication_classes([])
def about(request: Request) -> Response:
    """The same for everybody; a client checks a wheel against it before it uploads one."""
    return Response(
        {
            "pythons": runners.pythons_offered(),
            "frameworks": {name: _framework(name) for name in DRIVEN},
            "index": settings.HUB_PACKAGE_INDEX,
        }
    )


def _framework(name: str) -> dict[str, object]:
    """Its known releases that a runner can drive, and the newest for each API."""
    releases = [release.version for release in table(name).releases]
    driven = {
        api: [str(version) for version in releases if specifier.contains(version)]
        for api, specifier in DRIVEN[name].items()
    }
    known = [str(v) for v in releases if any(str(v) in found for found in driven.values())]
    return {
        "releases": known,
        "default": known[-1],
        "apis": {api: {"specifier": str(DRIVEN[name][api]), "default": found[-1]}
                 for api, found in driven.items()},
    }  # fmt: skip
