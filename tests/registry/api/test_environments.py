"""Environments over the REST API."""

from typing import Any

import pytest
from django.test import Client

from registry.catalog.stars import star
from registry.models import Card, Environment, Organisation, User
from tests.factories import bearer, make_environment, make_run, make_version

LIST = "/api/v1/environments/"
SCORE = {"policy": "model", "n": 4, "mean": 0.5, "low": 0.2, "high": 0.8, "ok": 4, "failed": 0}
SUMMARY = {
    *("owner", "name", "ref", "summary", "tags", "framework", "api", "visibility", "quarantined"),
    *(
        "deprecated",
        "stars",
        "installs",
        "latest",
        "card",
        "score",
        "learnability",
        "difficulty",
        "created_at",
        "updated_at",
        "url",
        "api_url",
    ),
}


def names(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.content
    return [entry["name"] for entry in answer.json()["results"]]


def test_the_catalogue_shows_what_is_listed_and_public(client: Client, alice: User) -> None:
    make_version(alice, keywords=["Math"], summary="Sums.")
    make_version(alice, "unlisted", status="evaluating")
    make_version(alice, "secret", visibility="private")
    make_version(alice, "yanked", yanked_at="2026-01-01T00:00:00Z")
    make_environment(alice, "empty")
    answer = client.get(LIST)
    assert names(answer) == ["demo-env"]
    (entry,) = answer.json()["results"]
    assert set(entry) == SUMMARY
    assert entry["ref"] == "alice/demo-env"
    assert (entry["summary"], entry["tags"], entry["framework"]) == ("Sums.", ["math"], "verifiers")
    assert entry["latest"]["version"] == "0.1.0"
    assert entry["latest"]["listed_at"].endswith("Z")
    assert entry["score"] is None
    assert client.get(entry["api_url"]).json()["ref"] == "alice/demo-env"
    assert answer.json()["next"] is None


def test_members_find_private_environments_and_their_own_unlisted_ones(
    client: Client, lab: Organisation, bob: User, carol: User
) -> None:
    make_version(lab, "secret", visibility="private")
    make_version(lab, "unlisted", status="evaluating")
    make_version(carol, "other")
    assert names(client.get(f"{LIST}?sort=name", headers=bearer(bob))) == ["other", "secret"]
    mine = client.get(f"{LIST}?mine=1&sort=name", headers=bearer(bob))
    assert names(mine) == ["secret", "unlisted"]
    assert names(client.get(LIST, headers=bearer(carol))) == ["other"]
    assert client.get(f"{LIST}?mine=1").status_code == 401


def test_filters_narrow_and_combine(client: Client, alice: User, carol: User) -> None:
    make_version(alice, "sums", keywords=["math"])
    make_version(carol, "words", keywords=["math", "text"], framework="gymnasium")
    assert names(client.get(f"{LIST}?tag=Text")) == ["words"]
    assert names(client.get(f"{LIST}?owner=alice")) == ["sums"]
    assert names(client.get(f"{LIST}?framework=gymnasium&tag=math")) == ["words"]
    assert names(client.get(f"{LIST}?owner=alice&tag=text")) == []


@pytest.mark.parametrize(
    ("query", "order"),
    [
        ("sort=name", ["aa-words", "bb-words", "cc-words"]),
        ("sort=fresh", ["cc-words", "bb-words", "aa-words"]),
        ("", ["cc-words", "bb-words", "aa-words"]),
        ("sort=stars", ["bb-words", "cc-words", "aa-words"]),
        ("sort=installs", ["bb-words", "cc-words", "aa-words"]),
        ("q=words", ["cc-words", "bb-words", "aa-words"]),
        ("q=words&sort=fresh", ["cc-words", "bb-words", "aa-words"]),
    ],
)
@pytest.mark.parametrize("limit", [1, 2, 20])
def test_every_order_pages_through_each_environment_once(
    client: Client, alice: User, query: str, order: list[str], limit: int
) -> None:
    for name in ("aa-words", "bb-words", "cc-words"):
        version = make_version(alice, name)
        if name == "bb-words":
            star(environment=version.environment, by=alice)
            Environment.objects.filter(name=name).update(installs=1)
    url: str | None = f"{LIST}?{query}&limit={limit}"
    collected: list[str] = []
    while url:
        answer = client.get(url)
        page = names(answer)
        assert 0 < len(page) <= limit
        collected += page
        url = answer.json()["next"]
    assert collected == order


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("sort=best", "sort"),
        ("sort=relevance", "sort"),
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("limit=ten", "limit"),
        ("cursor=xyz", "cursor"),
        ("cursor=bnVsbA", "cursor"),
        ("cursor=" + "W" * 3000, "cursor"),
    ],
)
def test_a_bad_parameter_is_named(client: Client, db: None, query: str, field: str) -> None:
    answer = client.get(f"{LIST}?{query}")
    assert answer.status_code == 400
    assert answer.json()["error"]["message"].startswith(f"{field} ")


def test_a_cursor_belongs_to_its_order(client: Client, alice: User) -> None:
    for name in ("a", "b"):
        make_version(alice, name)
    following = client.get(f"{LIST}?sort=name&limit=1").json()["next"]
    assert client.get(following.replace("sort=name", "sort=fresh")).status_code == 400


def test_the_list_costs_two_queries_whatever_its_length(
    client: Client, alice: User, django_assert_num_queries: Any
) -> None:
    for number in range(6):
        version = make_version(alice, f"env-{number}", keywords=["a"])
        Card.objects.create(version=version, run=make_run(version), scores=[SCORE])
    with django_assert_num_queries(2):
        answer = client.get(LIST)
    assert all(entry["score"] == SCORE for entry in answer.json()["results"])


def test_a_detail_holds_readme_and_latest_version(client: Client, alice: User) -> None:
    make_version(alice, version="0.1.0")
    make_version(alice, version="0.2.0", readme="# New", license="MIT")
    answer = client.get(f"{LIST}alice/Demo_Env/").json()
    assert set(answer) == SUMMARY | {
        *("readme", "license", "module", "versions_count", "latest_version", "starred")
    }
    assert (answer["readme"], answer["license"], answer["versions_count"]) == ("# New", "MIT", 2)
    assert answer["latest_version"]["version"] == "0.2.0"


def test_owners_see_their_newest_version_before_any_is_listed(client: Client, alice: User) -> None:
    make_version(alice, status="evaluating")
    assert client.get(f"{LIST}alice/demo-env/").status_code == 404
    own = client.get(f"{LIST}alice/demo-env/", headers=bearer(alice)).json()
    assert own["latest"] is None
    assert own["latest_version"]["status"] == "evaluating"


@pytest.mark.parametrize("path", ["alice/secret/", "alice/nothing/", "nobody/secret/"])
@pytest.mark.parametrize("method", ["get", "patch"])
def test_hidden_and_missing_look_the_same(
    client: Client, alice: User, carol: User, path: str, method: str
) -> None:
    make_version(alice, "secret", visibility="private")
    answer = getattr(client, method)(LIST + path, headers=bearer(carol, "admin"))
    assert answer.status_code == 404
    error = answer.json()["error"]
    assert error.pop("request_id") == answer["X-Request-ID"]
    assert error == {
        "code": "request.not_found",
        "message": f"there is no environment {path.strip('/')}, or you may not see it",
        "hint": "Find one: hub search WORDS",
        "details": {},
    }


def test_an_environment_is_created_once(client: Client, alice: User) -> None:
    sent = {"owner": "alice", "name": "My_Env", "visibility": "private"}
    for status in (201, 200):
        answer = client.post(
            LIST, sent, content_type="application/json", headers=bearer(alice, "publish")
        )
        assert (answer.status_code, answer.json()["ref"]) == (status, "alice/my-env")
    assert Environment.objects.get().visibility == "private"


@pytest.mark.parametrize(
    ("sent", "status", "message"),
    [
        ({"owner": "carol", "name": "x"}, 403, "publish under carol"),
        ({"owner": "nobody", "name": "x"}, 404, "no owner 'nobody'"),
        ({"owner": "alice"}, 400, "name is missing"),
        ({"owner": "alice", "name": 5}, 400, "name 5 must be a text"),
        ({"owner": "alice", "name": "x", "visibility": "hidden"}, 400, "visibility 'hidden'"),
        ([], 400, "JSON object"),
    ],
)
def test_refused_creation_names_the_rule(
    client: Client, alice: User, carol: User, sent: Any, status: int, message: str
) -> None:
    answer = client.post(
        LIST, sent, content_type="application/json", headers=bearer(alice, "publish")
    )
    assert answer.status_code == status
    assert message in answer.json()["error"]["message"]
    assert not Environment.objects.exists()


def test_creating_needs_a_person_and_a_scope(client: Client, alice: User) -> None:
    sent = {"owner": "alice", "name": "x"}
    assert client.post(LIST, sent, content_type="application/json").status_code == 401
    answer = client.post(LIST, sent, content_type="application/json", headers=bearer(alice))
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "token.scope")


def test_visibility_is_changed_by_those_who_manage_it(
    client: Client, lab: Organisation, alice: User, bob: User
) -> None:
    make_version(lab)
    url, sent = f"{LIST}lab/demo-env/", {"visibility": "private"}
    refused = client.patch(url, sent, content_type="application/json", headers=bearer(bob, "admin"))
    assert refused.status_code == 403
    changed = client.patch(
        url, sent, content_type="application/json", headers=bearer(alice, "admin")
    )
    assert (changed.status_code, changed.json()["visibility"]) == (200, "private")
    assert client.get(url).status_code == 404


@pytest.mark.parametrize("query", ["visibility=secret", "mine=yes", "facets=2", "sort=size"])
def test_search_names_the_words_of_a_filter_that_it_does_not_know(
    client: Client, db: None, query: str
) -> None:
    answer = client.get(f"{LIST}?{query}")
    name = query.partition("=")[0]
    assert (answer.status_code, answer.json()["error"]["details"]) == (400, {"field": name})
    assert "must be one of" in answer.json()["error"]["message"]
    assert client.get(f"/envs/?{query}").status_code in (200, 302)  # a page shows what it can
    assert client.get(f"{LIST}?{name}=").status_code == 200
