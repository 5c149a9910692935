"""The theme that a reader chooses, the font, and what a page weighs with everything it loads."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from registry.models import User
from tests.factories import make_version
from tests.frontend import gallery, gallery_learnability, gallery_rollouts

pytestmark = [pytest.mark.once, pytest.mark.django_db]
ASSET = re.compile(r'(?:href|src)="(/static/[^"]+)"')
MAX_PAGE = 45 * 1024  # bytes of a page with its assets, gzipped


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
    pages |= {"home": "/", "browse": "/envs/", "sign up": "/signup/"}
    client.force_login(alice)
    weights = {name: weight(client, path) for name, path in pages.items()}
    assert {name: size for name, size in weights.items() if size > MAX_PAGE} == {}


def weight(client: Client, path: str) -> int:
    """Bytes of the page and of each static file that it names, each gzipped as it is served."""
    page = client.get(path, follow=True).content
    assets = {name for name in ASSET.findall(page.decode()) if not name.endswith("icon.png")}
    return len(gzip.compress(page)) + sum(map(served, assets))


def served(url: str) -> int:
    """Bytes of a static file; fonts are compressed already."""
    found = finders.find(url.removeprefix("/static/"))
    assert isinstance(found, str), url
    data = Path(found).read_bytes()
    return len(data) if url.endswith(".woff2") else len(gzip.compress(data))


def test_the_font_lies_beside_its_licence() -> None:
    found = finders.find("fonts/LICENSE.txt")
    assert isinstance(found, str)
    assert "SIL OPEN FONT LICENSE Version 1.1" in Path(found).read_text()
