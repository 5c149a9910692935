"""Stars, and what the people of an environment do in the browser."""

import re
from typing import Any

import pytest
from django.test import Client

from registry.catalog.transfer import transfer
from registry.models import Environment, Organisation, User, Version
from tests.factories import make_environment, make_version
from tests.frontend.people import text

pytestmark = pytest.mark.once

PAGE = "/envs/alice/demo-env/"
SETTINGS = f"{PAGE}settings/"


@pytest.fixture
def env(alice: User) -> Environment:
    """alice/demo-env with one listed version."""
    return make_version(alice).environment


def post(client: Client, url: str, status: int = 302, **data: str) -> Any:
    """The answer to a form, its status checked."""
    answer = client.post(url, data)
    assert answer.status_code == status, f"{url}: {answer.status_code}"
    return answer


def test_a_star_needs_no_script_and_can_be_taken_back(
    client: Client, env: Environment, carol: User
) -> None:
    assert f"/login/?next={PAGE}" in text(client, PAGE)
    client.force_login(carol)
    for state, stars, pressed in (("on", 1, "true"), ("on", 1, "true"), ("off", 0, "false")):
        assert post(client, f"{PAGE}star/", star=state).headers["Location"] == PAGE
        assert Environment.objects.get().star_count == stars
        assert f'aria-pressed="{pressed}"' in text(client, PAGE)
    assert Client(enforce_csrf_checks=True).post(f"{PAGE}star/").status_code == 403
    post(client, "/envs/alice/nothing/star/", 404)


def test_settings_are_for_those_who_manage_it(
    client: Client, lab: Organisation, alice: User, bob: User, carol: User
) -> None:
    make_version(lab)
    make_version(lab, "secret", visibility="private")
    page = "/envs/lab/demo-env/"
    for user, status, hidden in ((carol, 403, 404), (bob, 403, 403), (alice, 200, 200)):
        client.force_login(user)
        text(client, f"{page}settings/", status)
        text(client, "/envs/lab/secret/settings/", hidden)
        assert (f'href="{page}settings/"' in text(client, page)) is (status == 200)
        for form in ("visibility", "deprecate", "undeprecate", "transfer", "delete"):
            if status != 200:
                post(client, f"/envs/lab/secret/settings/{form}/", hidden)
    client.logout()
    assert client.get(f"{page}settings/").status_code == 302
    lab.memberships.filter(user=bob).update(role="maintainer")
    client.force_login(bob)
    shown = text(client, f"{page}settings/")
    assert "Change visibility" in shown
    assert "Delete lab/demo-env" not in shown
    post(client, f"{page}settings/delete/", 403, confirm="lab/demo-env")


def test_every_field_has_an_id_of_its_own(
    client: Client, env: Environment, alice: User, lab: Organisation
) -> None:
    client.force_login(alice)
    ids = re.findall(r' id="([^"]+)"', text(client, SETTINGS))
    assert {"transfer_confirm", "deletion_confirm"} <= set(ids)
    assert len(ids) == len(set(ids))


def test_visibility_changes_an_environment(client: Client, env: Environment, alice: User) -> None:
    client.force_login(alice)
    post(client, f"{SETTINGS}visibility/", visibility="private")
    assert Environment.objects.get().visibility == "private"
    assert "alice/demo-env is private." in text(client, SETTINGS)
    post(client, f"{SETTINGS}visibility/", 400, visibility="hidden")


def test_environment_page_shows_the_deprecation_and_its_successor(
    client: Client, env: Environment, alice: User, carol: User
) -> None:
    make_version(carol, "better")
    make_version(carol, "secret", visibility="private")
    client.force_login(alice)
    for successor in ("carol/secret", "carol/nothing"):
        answer = post(client, f"{SETTINGS}deprecate/", 400, reason="too easy", successor=successor)
        assert "is no environment that you may see" in answer.content.decode()
        assert 'value="too easy"' in answer.content.decode()
    post(client, f"{SETTINGS}deprecate/", reason="<b>too</b> easy", successor="carol/better")
    for url in (PAGE, f"{PAGE}0.1.0/"):
        page = text(client, url)
        assert "&lt;b&gt;too&lt;/b&gt; easy" in page
        assert "/envs/carol/better/" in page
    post(client, f"{SETTINGS}undeprecate/")
    assert "too&lt;" not in text(client, PAGE)
    post(client, f"{SETTINGS}undeprecate/", 400)


def test_a_transfer_is_confirmed_and_the_old_address_leads_on(
    client: Client, env: Environment, alice: User, carol: User, lab: Organisation
) -> None:
    client.force_login(alice)
    refused = post(client, f"{SETTINGS}transfer/", 400, owner="lab", confirm="demo-env")
    assert "Type alice/demo-env to confirm." in refused.content.decode()
    post(client, f"{SETTINGS}transfer/", 400, owner="carol", confirm="alice/demo-env")
    moved = post(client, f"{SETTINGS}transfer/", owner="lab", confirm="alice/demo-env")
    assert moved.headers["Location"] == "/envs/lab/demo-env/settings/"
    client.logout()
    for path in ("", "0.1.0/"):
        answer = client.get(PAGE + path)
        assert (answer.status_code, answer["Cache-Control"]) == (301, "no-cache")
        assert answer["Location"] == f"/envs/lab/demo-env/{path}"


def test_the_old_address_of_something_private_is_404_for_strangers(
    client: Client, alice: User, bob: User, carol: User, lab: Organisation
) -> None:
    hidden = make_version(alice, visibility="private").environment
    transfer(environment=hidden, to=lab.owner, by=alice)
    text(client, PAGE, 404)
    client.force_login(carol)
    text(client, PAGE, 404)
    client.force_login(bob)
    text(client, PAGE, 301)


def test_an_environment_is_deleted_once_its_name_is_typed(
    client: Client, env: Environment, alice: User
) -> None:
    client.force_login(alice)
    for typed in ("", "demo-env"):
        post(client, f"{SETTINGS}delete/", 400, confirm=typed)
    gone = post(client, f"{SETTINGS}delete/", confirm=" alice/demo-env ")
    assert gone.headers["Location"] == "/owners/alice/"
    assert "alice/demo-env was deleted." in text(client, "/owners/alice/")
    for url in (PAGE, SETTINGS, f"{PAGE}0.1.0/"):
        text(client, url, 404)


def test_a_version_is_deleted_once_its_number_is_typed(
    client: Client, env: Environment, alice: User, carol: User
) -> None:
    url = f"{PAGE}0.1.0/"
    client.force_login(carol)
    assert "Delete this version" not in text(client, url)
    post(client, f"{url}delete/", 403, confirm="0.1.0")
    client.force_login(alice)
    assert "Delete this version" in text(client, url)
    post(client, f"{url}delete/", confirm="0.2.0")
    assert "type 0.1.0 to confirm" in text(client, url)
    assert post(client, f"{url}delete/", confirm="0.1.0").headers["Location"] == PAGE
    text(client, url, 404)
    assert Version.objects.get().deleted_at is not None


def test_an_environment_without_a_version_has_its_pages_too(client: Client, alice: User) -> None:
    make_environment(alice, "empty")
    client.force_login(alice)
    for tab in ("", "?tab=versions", "?tab=files", "settings/"):
        text(client, f"/envs/alice/empty/{tab}")
