"""What a run left behind is hidden with its version, from the moment that the version is."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from registry.accounts import tokens
from registry.accounts.models import User
from registry.catalog import deletion, overlays
from registry.catalog.services import set_visibility
from registry.models import Run, Version
from tests.factories import make_rollout, make_run, make_version
from tests.registry.run_factories import make_transcript

SECRET = "the-words-of-a-transcript"


@pytest.fixture
def run(alice: User) -> Run:
    """Of a public, listed version: everybody reads it."""
    row = make_run(make_version(alice))
    make_rollout(row, pk=1, transcript=make_transcript(SECRET))
    row.log.create(attempt=1, seq=1, text=SECRET)
    return row


def private(version: Version, by: User) -> None:
    set_visibility(environment=version.environment, visibility="private", by=by)


def quarantined(version: Version, by: User) -> None:
    overlays.quarantine(version=version, by=by, reason="it phones home")


def all_quarantined(version: Version, by: User) -> None:
    overlays.quarantine_environment(environment=version.environment, by=by, reason="it phones home")


def deleted(version: Version, by: User) -> None:
    deletion.delete_version(version=version, by=by)


def all_deleted(version: Version, by: User) -> None:
    deletion.delete_environment(environment=version.environment, by=by)


@pytest.mark.parametrize("hide", [private, quarantined, all_quarantined, deleted, all_deleted])
def test_nothing_of_a_run_outlives_its_versions_being_seen(
    client: Client, run: Run, carol: User, root: User, hide: Callable[[Version, User], None]
) -> None:
    api, page = f"/api/v1/runs/{run.pk}/", f"/runs/{run.pk}"
    addresses = [api, f"{api}log/", f"{api}rollouts/", f"{api}samples/", f"{api}rollouts/1/",
                 f"{page}/", f"{page}/rollouts/1/"]  # fmt: skip
    bearer = {"Authorization": f"Bearer {tokens.mint(user=carol, name='t', scope='admin')[1]}"}

    def fetch(headers: dict[str, str], address: str) -> Any:
        return client.get(address, headers=headers, follow=True)

    for address in addresses:
        assert fetch({}, address).status_code == 200, address
    assert SECRET in fetch({}, f"{api}samples/").content.decode()
    cached = fetch({}, f"{api}samples/").headers.get("Cache-Control", "")
    assert "public" not in cached
    hide(run.version, root)
    for headers in ({}, bearer):
        for address in addresses:
            answer = fetch(headers, address)
            assert answer.status_code == 404, address
            assert SECRET not in answer.content.decode()


def test_the_owners_of_a_quarantined_version_still_read_why(
    client: Client, run: Run, alice: User, root: User
) -> None:
    quarantined(run.version, root)
    client.force_login(alice)
    for part in ("", "log/", "samples/"):
        assert client.get(f"/api/v1/runs/{run.pk}/{part}").status_code == 200
