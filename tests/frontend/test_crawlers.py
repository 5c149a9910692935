"""What crawlers read."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client, override_settings

from frontend.pages import crawlers
from registry.models import User
from tests.factories import make_version

pytestmark = pytest.mark.once
LOC = re.compile(r"<loc>(.*?)</loc>")


def locations(client: Client, url: str) -> list[str]:
    """The addresses of a sitemap."""
    response = client.get(url)
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/xml"
    return LOC.findall(response.content.decode())


@override_settings(HUB_URL="https://hub.example.org")
def test_sitemap_has_listed_public_environments_alone(client: Client, alice: User) -> None:
    make_version(alice, "listed-env")
    make_version(alice, "private-env", visibility="private")
    make_version(alice, "held-env", status="held")
    urls = locations(client, "/sitemap-environments.xml")
    assert urls == ["https://hub.example.org/envs/alice/listed-env/"]


def test_every_page_of_the_sitemap_is_served(client: Client, db: None) -> None:
    urls = locations(client, "/sitemap-pages.xml")
    assert "http://testserver/docs/card/" in [re.sub("//[^/]+", "//testserver", u) for u in urls]
    assert all(client.get(re.sub("^https?://[^/]+", "", url)).status_code == 200 for url in urls)


def test_index_names_every_page_of_each_sitemap(
    client: Client, alice: User, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    for number in range(3):
        make_version(alice, f"env-{number}")
    monkeypatch.setattr(crawlers.HubSitemap, "limit", 2)
    cache.clear()
    urls = locations(client, "/sitemap.xml")
    with django_assert_num_queries(1):  # what was divided within the hour
        assert locations(client, "/sitemap.xml") == urls
    sections = [url.rpartition("/")[2] for url in urls]
    assert "sitemap-environments.xml?p=2" in sections
    assert "sitemap-environments.xml?p=3" not in sections
    make_version(alice, "env-3")
    with django_assert_num_queries(2):
        urls = locations(client, "/sitemap-environments.xml?p=2")
    assert [url.partition("/envs/")[2] for url in urls] == ["alice/env-2/", "alice/env-3/"]
    assert len(locations(client, "/sitemap-environments.xml")) == 2


def test_unknown_sitemaps_are_not_found(client: Client, db: None) -> None:
    assert client.get("/sitemap-nothing.xml").status_code == 404
    assert client.get("/sitemap-environments.xml?p=99").status_code == 404
    assert client.get("/sitemap-environments.xml?p=x").status_code == 404


def test_robots_names_the_sitemap_and_what_crawlers_leave_out(client: Client) -> None:
    text = client.get("/robots.txt").content.decode()
    assert re.search(r"^Sitemap: https?://\S+/sitemap\.xml$", text, re.MULTILINE)
    assert "Disallow: /settings/" in text
    assert "Disallow: /envs/\n" not in text
