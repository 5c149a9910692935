"""Each public page leads clients that prefer JSON to the API's resource of the same thing."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from frontend.json_twins import TWINS
from registry.models import User
from registry.self_reported.models import Evaluation
from tests.factories import make_rollout, make_run, make_version
from tests.registry.access.public_pages import public_pages

pytestmark = [pytest.mark.once, pytest.mark.django_db]
JSON = {"Accept": "application/json"}
FILE = re.compile(r"\.[a-z]+$")
PROSE = "text for people"
PART = "a part of another page, whose resource has it"
OTHER = "another format than HTML"
WITHOUT = {  # public pages without a resource of their own, and why
    **dict.fromkeys(("publish", "runner", "settings"), PROSE),
    **dict.fromkeys(("docs", "docs-decisions", "docs-page"), PROSE),
    **dict.fromkeys(("version-live", "run-live", "run-queue-live"), PART),
    **dict.fromkeys(("evaluation-sample", "task-comparison"), PART),
    "rollout-difference": "the resources of both rollouts have what it compares",
    "environment-changes": PART,
    **dict.fromkeys(("version-files", "version-tree", "version-file"), PART),
    **dict.fromkeys(("version-raw", "command"), OTHER),
    "invitation": "its link is secret",
    "patterns": "it shows the parts of pages",
}


def public() -> set[str]:
    """The names of public pages; routes that end like a file (`atom.xml`) are no pages."""
    return {name for name, path in public_pages().items() if not FILE.search(path)}


def test_every_public_page_has_a_twin_or_a_reason_to_have_none() -> None:
    missing = sorted(public() - TWINS.keys() - WITHOUT.keys())
    assert not missing, f"add to frontend/json_twins.py or to WITHOUT: {missing}"
    assert not TWINS.keys() - public(), "no public page has these names"


@pytest.fixture
def pages(alice: User) -> dict[str, str]:
    """The address of each page that has a twin."""
    version = make_version(alice)
    run, other = make_run(version), make_run(version)
    rollout = make_rollout(run)
    waits = make_run(make_version(alice, "other-env"), status="queued")
    evaluation = Evaluation.objects.create(
        environment=version.environment,
        owner=alice.owner,
        created_by=alice,
        is_public=True,
        name="tried",
    )
    env = "/envs/alice/demo-env/"
    return {
        "home": "/",
        "browse": "/envs/",
        "owner": "/owners/alice/",
        "leaderboards": "/leaderboards/",
        "compare": f"/compare/?first={run.pk}&second={other.pk}",
        "environment": env,
        "version": f"{env}0.1.0/",
        "version-leaderboard": f"{env}0.1.0/leaderboard/",
        "run": f"/runs/{run.pk}/",
        "run-queue": f"/runs/{waits.pk}/queue/",
        "run-comparison": f"/runs/{run.pk}/comparison/{other.pk}/",
        "rollout": f"/runs/{run.pk}/rollouts/{rollout.pk}/",
        "evaluation": f"{env}evaluations/{evaluation.pk}/",
        "evaluation-samples": f"{env}evaluations/{evaluation.pk}/samples/",
        "status": "/status/",
        "docs-findings": "/docs/findings/",
        "docs-finding": "/docs/findings/card.floor/",
        "docs-measures": "/docs/measures/",
        "docs-measure": "/docs/measures/solve_rate/",
    }


def test_each_page_leads_to_its_resource_and_varies_by_accept(
    client: Client, pages: dict[str, str]
) -> None:
    assert pages.keys() == TWINS.keys()
    for name, url in pages.items():
        twin = client.get(url, headers=JSON)
        assert (name, twin.status_code) == (name, 303)
        assert twin.headers["Location"].startswith("/api/v1/")
        assert "Accept" in twin.headers["Vary"]
        resource = client.get(twin.headers["Location"])
        page = client.get(url)
        assert (name, resource.status_code) == (name, page.status_code)
        assert resource.headers["Content-Type"] == "application/json"
        assert (name, page.headers["Content-Type"]) == (name, "text/html; charset=utf-8")
        assert "Accept" in page.headers["Vary"]


@pytest.mark.parametrize(
    "accept",
    ["", "*/*", "text/html,application/xhtml+xml,*/*;q=0.8", "text/html, application/json;q=0.9"],
)
def test_browsers_and_clients_without_a_wish_get_the_page(client: Client, accept: str) -> None:
    assert client.get("/envs/", headers={"Accept": accept}).status_code == 200


def test_query_of_the_catalogue_goes_along(client: Client, pages: dict[str, str]) -> None:
    location = client.get("/envs/?q=demo&framework=verifiers", headers=JSON).headers["Location"]
    assert location == "/api/v1/environments/?q=demo&framework=verifiers"
    assert client.get(location).json()["results"][0]["ref"] == "alice/demo-env"
    owner = client.get("/owners/alice/", headers=JSON).headers["Location"]
    assert owner == "/api/v1/environments/?owner=alice"


def test_a_redirect_says_nothing_about_what_exists(client: Client, alice: User) -> None:
    make_version(alice, visibility="private")
    for name in ("demo-env", "no-env"):
        twin = client.get(f"/envs/alice/{name}/", headers=JSON)
        assert twin.status_code == 303
        assert client.get(twin.headers["Location"]).status_code == 404


def test_api_explains_codes_and_measures(client: Client, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        code = client.get("/api/v1/codes/card.floor/").json()
        measure = client.get("/api/v1/measures/floor/").json()
        assert len(client.get("/api/v1/codes/").json()["results"]) > 200
    assert (code["fault"], code["severity"]) == ("environment", "error")
    assert code["url"].endswith("/docs/findings/card.floor/")
    assert (measure["of"], measure["title"]) == ("card", "Floor")
    assert client.get("/api/v1/codes/card.nothing/").json()["error"]["code"] == "request.not_found"
    assert client.get("/api/v1/measures/nothing/").status_code == 404
