"""What this hub evaluates with: its runners' Pythons and the frameworks' releases."""

from __future__ import annotations

from django.conf import settings
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view, authentication_classes
from rest_framework.request import Request
from rest_framework.response import Response

from envyard.contract.frameworks.adapters import FRAMEWORKS, adapters_of
from envyard.contract.frameworks.table import table
from envyard.contract.needs.kinds import KINDS
from registry.accounts import runners
from registry.api.serializers.base import SharedFieldsSerializer
from registry.runs import provided


class DrivenApiSerializer(SharedFieldsSerializer):
    """The releases that runners can drive for one API of a framework."""

    specifier = serializers.CharField()
    default = serializers.CharField(help_text="The newest.")


class DrivenFrameworkSerializer(SharedFieldsSerializer):
    """The known releases of a framework that runners can drive, in ascending order."""

    releases = serializers.ListField(child=serializers.CharField())
    default = serializers.CharField(help_text="The newest of all.")
    apis = serializers.DictField(child=DrivenApiSerializer())


class AboutSerializer(SharedFieldsSerializer):
    """What this hub evaluates with."""

    pythons = serializers.ListField(
        child=serializers.CharField(), help_text="The Python versions of the live runners."
    )
    frameworks = serializers.DictField(child=DrivenFrameworkSerializer())
    index = serializers.CharField(
        help_text="The runners' package index; empty: the resolver's own default."
    )
    git_repositories = serializers.ListField(
        child=serializers.CharField(),
        help_text="Git repositories that versions may depend on: HTTPS addresses, `/*` for all "
        "below.",
    )
    provides = serializers.ListField(
        child=serializers.ChoiceField(choices=KINDS),
        help_text="What the hub and its live runners provide to versions that need it: data sets, "
        "a judge, connections to approved hosts, container images.",
    )


@extend_schema(operation_id="getAbout", tags=["Runners"], responses=AboutSerializer)
@api_view(["GET"])
@authentication_classes([])  # the same for everybody: a client checks a wheel against it
def about(request: Request) -> Response:
    """Show what the hub evaluates with. The Pythons of its live runners and the framework releases
    that they can drive."""
    values = {
        "pythons": runners.pythons_offered(),
        "frameworks": {name: _framework(name) for name in FRAMEWORKS},
        "index": settings.HUB_PACKAGE_INDEX,
        "git_repositories": settings.HUB_GIT_REPOSITORIES.addresses,
        "provides": provided.by_live_runners(),
    }
    return Response(AboutSerializer(values).data)


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
