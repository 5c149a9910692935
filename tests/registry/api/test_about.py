"""GET about/: what the hub evaluates with, for clients that check a wheel before they upload it."""

from __future__ import annotations

import pytest
from django.test import Client, override_settings
from django.utils import timezone
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from registry.accounts import runners
from registry.models import Runner

pytestmark = [pytest.mark.once, pytest.mark.django_db]


def test_about_lists_the_pythons_of_live_runners_the_oldest_first(client: Client) -> None:
    for name, pythons in (
        ("a", ["3.12.4", "3.11.2"]),
        ("b", ["3.9.1", "bogus", 3]),
        ("c", ["3.14.0"]),
    ):
        runner, _ = runners.create(name=name)
        Runner.objects.filter(pk=runner.pk).update(
            last_seen_at=None if name == "c" else timezone.now(), capabilities={"pythons": pythons}
        )
    about = client.get("/api/v1/about/").json()
    assert about["pythons"] == ["3.9.1", "3.11.2", "3.12.4"]


def test_about_names_the_framework_releases_that_each_api_can_have(client: Client) -> None:
    verifiers = client.get("/api/v1/about/").json()["frameworks"]["verifiers"]
    assert verifiers["releases"] == sorted(verifiers["releases"], key=Version)
    assert verifiers["apis"]["v0"]["default"] == "0.3.1"
    for api in verifiers["apis"].values():
        assert api["default"] in SpecifierSet(api["specifier"])
        assert api["default"] in verifiers["releases"]


def test_about_names_what_hub_and_live_runners_provide(client: Client) -> None:
    assert client.get("/api/v1/about/").json()["provides"] == []
    for name, seen, provides in (
        ("a", timezone.now(), {"judge": "x", "data": "y"}),
        ("b", None, {"host": "z"}),
    ):
        runner, _ = runners.create(name=name)
        Runner.objects.filter(pk=runner.pk).update(
            last_seen_at=seen, capabilities={"provides": provides}
        )
    assert client.get("/api/v1/about/").json()["provides"] == ["data"]
    with override_settings(HUB_JUDGE_MODEL="judge"):
        assert client.get("/api/v1/about/").json()["provides"] == ["data", "judge"]
