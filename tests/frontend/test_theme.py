"""The theme that a reader chooses, the font, and what a page weighs with everything it loads."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from benchmarks.registry import sample
from benchmarks.registry.weights import TARGET, weights
from registry.models import User
from tests.factories import make_version
from tests.frontend import gallery, gallery_learnability, gallery_rollouts
from tests.registry.access.public_pages import public_pages

pytestmark = [pytest.mark.once, pytest.mark.django_db]


def test_the_system_decides_until_a_theme_is_chosen(client: Client) -> None:
    assert '<html lang="en" data-theme="system">' in client.get("/").content.decode()
    answer = client.post("/settings/theme/", {"theme": "dark", "next": "/envs/?q=a"})
    assert (answer.status_code, answer["Location"]) == (302, "/envs/?q=a")
    page = client.get("/").content.decode()
    assert '<html lang="en" data-theme="dark">' in page
    client.post("/settings/theme/", {"theme": "system", "next": "/"})
    assert '<html lang="en" data-theme="system">' in client.get("/").content.decode()


@pytest.mark.parametrize("value", ["", "neon", '"><script>', "dark" * 1000])
def test_an_unknown_theme_is_that_of_the_system(client: Client, value: str) -> None:
    client.cookies["theme"] = value
    assert '<html lang="en" data-theme="system">' in client.get("/").content.decode()
    assert client.post("/settings/theme/", {"theme": value}).cookies["theme"].value == ""


@pytest.mark.parametrize("target", ["https://example.com/", "//example.com", "javascript:x", ""])
def test_the_switch_leads_to_pages_of_the_hub_alone(client: Client, target: str) -> None:
    answer = client.post("/settings/theme/", {"theme": "light", "next": target})
    assert answer["Location"] == "/"


def test_a_form_of_another_site_finds_no_cookie_to_forge(client: Client) -> None:
    client.get("/")
    assert not client.cookies, "a visitor gets no cookie before choosing something"


def test_a_page_with_everything_it_loads_weighs_at_most_45_kib(client: Client, alice: User) -> None:
    make_version(alice)
    pages = gallery.pages(alice) | gallery_learnability.pages(alice)
    pages |= gallery_rollouts.pages(alice)
    addresses = sample.make() | {"gallery": list(pages.values())}
    client.force_login(alice)
    rows = list(weights(addresses, lambda path: served(client, path)))
    assert len(rows) > 90
    assert {row.path: row.total for row in rows if row.total > TARGET} == {}


def test_every_public_page_is_weighed_and_measured(db: None) -> None:
    assert public_pages().keys() - sample.make().keys() == set(sample.WITHOUT)


def served(client: Client, path: str) -> bytes:
    """The body of a page or of a static file."""
    if not path.startswith("/static/"):
        response = client.get(path, follow=True)
        assert response.status_code == 200, path
        return bytes(response.getvalue())
    found = finders.find(path.removeprefix("/static/"))
    assert isinstance(found, str), path
    return Path(found).read_bytes()


def test_the_font_lies_beside_its_licence() -> None:
    found = finders.find("fonts/LICENSE.txt")
    assert isinstance(found, str)
    assert "SIL OPEN FONT LICENSE Version 1.1" in Path(found).read_text()
