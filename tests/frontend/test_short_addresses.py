"""Short addresses lead to their pages; an address that leads nowhere names similar ones."""

from __future__ import annotations

from django.test import Client

from registry.models import Organisation, User, Version
from tests.factories import make_version
from tests.frontend.people import text


def test_owner_and_name_alone_lead_to_the_pages(client: Client, listed: Version) -> None:
    for short in ("/alice/demo-env/", "/alice/Demo_Env/", "/Alice/demo.env/"):
        assert client.get(short)["Location"] == "/envs/alice/demo-env/"
    assert client.get("/alice/demo-env")["Location"] == "/alice/demo-env/"
    for short in ("/alice/", "/Alice/"):
        assert client.get(short)["Location"] == "/owners/alice/"
    text(client, "/nobody/", 404)
    text(client, "/favicon.ico", 404)


def test_a_mistyped_name_is_answered_with_the_owners_similar_ones(
    client: Client, alice: User, listed: Version
) -> None:
    make_version(alice, name="word-count")
    for mistyped in ("/envs/alice/dmo-env/", "/alice/demo-en/", "/envs/alice/demo-evn/0.1.0/"):
        page = text(client, mistyped, 404)
        assert 'href="/envs/alice/demo-env/"' in page
        assert "word-count" not in page
    assert "Did you mean" not in text(client, "/envs/alice/zebra/", 404)


def test_a_mistyped_owner_is_answered_with_listed_environments_of_that_name(
    client: Client, listed: Version
) -> None:
    assert 'href="/envs/alice/demo-env/"' in text(client, "/envs/alcie/demo-env/", 404)


def test_suggestions_resemble_the_name_and_not_only_a_summary(
    client: Client, alice: User, listed: Version
) -> None:
    make_version(alice, name="grade-school-math", summary="Examples of text, demo included")
    page = text(client, "/envs/alcie/demo-env/", 404)
    assert 'href="/envs/alice/demo-env/"' in page
    assert "Did you mean" not in text(client, "/nope/e/", 404)
    assert "Did you mean" not in text(client, "/nope/examples/", 404)
    assert 'href="/envs/alice/grade-school-math/"' in text(client, "/nope/math/", 404)


def test_suggestions_name_nothing_that_the_reader_may_not_see(
    client: Client, alice: User, carol: User, lab: Organisation
) -> None:
    make_version(alice, name="secret-env", visibility="private")
    make_version(alice, name="broken-env", status="rejected")
    for mistyped in ("/alice/secret-en/", "/alice/broken-en/"):
        assert "Did you mean" not in text(client, mistyped, 404)
    client.force_login(carol)
    assert "Did you mean" not in text(client, "/alice/secret-en/", 404)
    client.force_login(alice)
    assert 'href="/envs/alice/secret-env/"' in text(client, "/alice/secret-en/", 404)


def test_the_api_names_similar_environments_that_the_reader_may_see(
    client: Client, alice: User, listed: Version
) -> None:
    make_version(alice, name="secret-env", visibility="private")
    error = client.get("/api/v1/environments/alice/dmo-env/").json()["error"]
    assert error["message"].startswith("there is no environment alice/dmo-env")
    assert error["hint"] == "Did you mean alice/demo-env?"
    error = client.get("/api/v1/environments/alice/secret-en/").json()["error"]
    assert "secret-env" not in error["hint"]
    error = client.get("/api/v1/environments/alice/zebra/").json()["error"]
    assert error["hint"] == "Find one: hub search WORDS"
    error = client.get("/api/v1/environments/alice/demo-env/versions/9.9/").json()["error"]
    assert error["message"].startswith("alice/demo-env has no version '9.9'")
