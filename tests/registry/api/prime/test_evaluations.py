"""Pushed evaluations: whose they are, who sees them, and what they may hold."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from django.test import Client

from registry import storage
from registry.errors import NotFound
from registry.models import Card, Evaluation, Organisation, SampleBatch, User
from registry.self_reported import samples, services
from registry.self_reported.claims import Claims
from tests.factories import bearer, make_environment, make_version
from tests.registry.catalog.test_races import at_once

AT = "/api/v1/evaluations/"
ODD = '{"a": 1e999, "b": "\\u0000\\ud800"}'


def call(client: Client, method: str, path: str, user: User | None, data: Any = None) -> Any:
    """Status and answer of one request, with a token that may publish."""
    headers = bearer(user, "publish") if user else {}
    answer = getattr(client, method)(
        f"{AT}{path}",
        data if method == "get" else json.dumps(data or {}),
        **({} if method == "get" else {"content_type": "application/json"}),
        headers=headers,
    )
    return answer.status_code, answer.json()


def create(client: Client, user: User, pk: int, **more: Any) -> Any:
    fields = {"name": "demo-tiny", "environments": [{"id": f"env_{pk}"}], "model_name": "tiny"}
    return call(client, "post", "", user, fields | more)


@pytest.fixture
def pk(alice: User) -> int:
    return make_version(alice).environment_id


def test_evaluation_is_created_filled_completed_and_changed(
    client: Client, bob: User, pk: int
) -> None:
    status, body = create(
        client, bob, pk, metadata={"version_info": {"env_version": "0.1.0"}}, tags=["a"]
    )
    assert (status, body["status"], body["version_id"]) == (201, "RUNNING", "0.1.0")
    assert "not measured by this hub" in body["note"]
    evaluation_id = body["evaluation_id"]
    for batch in ([{"example_id": 0}, {"example_id": 1}], [{"example_id": 2}]):
        assert call(client, "post", f"{evaluation_id}/samples", bob, {"samples": batch})[0] == 201
    again = call(client, "post", f"{evaluation_id}/samples", bob, {"samples": [{"example_id": 2}]})
    assert again[1]["total"] == 3
    body = call(client, "post", f"{evaluation_id}/finalize", bob, {"metrics": {"reward": 0.5}})[1]
    assert (body["status"], body["metrics"], body["total_samples"]) == (
        *("COMPLETED", {"reward": 0.5}),
        3,
    )
    page = call(client, "get", f"{evaluation_id}/samples", bob, {"page": 2, "limit": 2})[1]
    assert (page["samples"], page["total"], page["has_more"]) == ([{"example_id": 2}], 3, False)
    assert call(client, "get", f"{evaluation_id}/samples", bob, {"page": 9})[1]["samples"] == []
    body = call(client, "put", evaluation_id, bob, {"name": "new", "tags": []})[1]
    assert (body["name"], body["tags"], body["model_name"]) == ("new", ["a"], "tiny")
    assert call(client, "put", evaluation_id, bob, {"status": "FAILED"})[0] == 409
    assert not Card.objects.exists()


def test_failed_evaluation_cannot_be_completed(client: Client, bob: User, pk: int) -> None:
    evaluation_id = create(client, bob, pk)[1]["evaluation_id"]
    changed = call(
        client, "put", evaluation_id, bob, {"status": "FAILED", "error_message": "boom"}
    )[1]
    assert (changed["status"], changed["error_message"]) == ("FAILED", "boom")
    assert call(client, "post", f"{evaluation_id}/finalize", bob)[0] == 409
    assert call(client, "put", evaluation_id, bob, {"status": "COMPLETED"})[0] == 400


def test_private_evaluation_is_visible_to_its_owner_and_public_one_to_readers_of_the_environment(
    client: Client, alice: User, bob: User, carol: User, lab: Organisation, pk: int
) -> None:
    mine = create(client, bob, pk)[1]["evaluation_id"]
    teams = create(client, alice, pk, team_id="lab")[1]["evaluation_id"]
    public = create(client, bob, pk, is_public=True)[1]["evaluation_id"]
    sees = {
        item: [
            user.username if user else None
            for user in (alice, bob, carol, None)
            if call(client, "get", item, user)[0] == 200
        ]
        for item in (mine, teams, public)
    }
    assert sees == {
        mine: ["bob"],
        teams: ["alice", "bob"],
        public: ["alice", "bob", "carol", None],
    }
    for user in (alice, bob, carol):
        listed = call(client, "get", "", user, {"environment_name": "alice/demo-env"})[1]
        listed_ids = {row["evaluation_id"] for row in listed["evaluations"]}
        assert listed_ids == {
            item for item, usernames in sees.items() if user.username in usernames
        }
    listed = call(client, "get", "", carol)[1]
    assert (listed["evaluations"], listed["total"]) == ([], 0)
    for path in ("", "/samples", "/finalize"):
        method = "put" if not path else "post"
        assert call(client, method, public + path, carol, {"samples": [{}]})[0] == 403
        assert call(client, method, mine + path, carol, {"samples": [{}]})[0] == 404
    assert create(client, carol, pk, team_id="lab")[0] == 403


def test_responses_reveal_nothing_of_a_hidden_environment(
    client: Client, alice: User, bob: User, carol: User, lab: Organisation
) -> None:
    environment = make_environment(lab, "hidden-env", visibility="private")
    evaluation_id = create(client, bob, environment.pk, is_public=True)[1]["evaluation_id"]
    assert call(client, "get", evaluation_id, alice)[0] == 200
    assert call(client, "get", evaluation_id, carol)[0] == 404
    assert create(client, carol, environment.pk)[0] == 404
    named = {"environment_name": "lab/hidden-env"}
    assert call(client, "get", "", carol, named)[1]["total"] == 0
    lab.memberships.filter(user=bob).delete()
    assert call(client, "get", evaluation_id, bob)[0] == 404


def test_a_deleted_evaluation_takes_its_samples_along(client: Client, bob: User, pk: int) -> None:
    first, second = (create(client, bob, pk)[1]["evaluation_id"] for _ in range(2))
    for evaluation in (first, second):
        call(client, "post", f"{evaluation}/samples", bob, {"samples": [{"a": 1}]})
    (sha256,) = set(SampleBatch.objects.values_list("sha256", flat=True))
    key = storage.key("samples", sha256)
    assert call(client, "delete", first, bob)[0] == 200
    assert storage.get().exists(key)
    assert call(client, "delete", second, bob)[0] == 200
    assert not storage.get().exists(key)
    assert not Evaluation.objects.exists()


def test_publisher_of_an_environment_deletes_foreign_public_evaluations(
    client: Client, alice: User, bob: User, carol: User, lab: Organisation
) -> None:
    """Removing is all: nobody puts words into another's mouth, or sees what is private."""
    environment = make_version(lab).environment
    first, second, hidden = (
        create(client, carol, environment.pk, is_public=public)[1]["evaluation_id"]
        for public in (True, True, False)
    )
    assert call(client, "delete", first, bob)[0] == 403  # a member without a say
    assert call(client, "put", first, alice, {"name": "worse"})[0] == 403
    assert call(client, "post", f"{first}/samples", alice, {"samples": [{}]})[0] == 403
    assert call(client, "delete", hidden, alice)[0] == 404
    assert call(client, "delete", first, alice)[0] == 200
    page = f"/envs/lab/demo-env/evaluations/{second}/"
    client.force_login(bob)
    assert "Delete this evaluation" not in client.get(page).content.decode()
    assert client.post(f"{page}delete/").status_code == 403
    client.force_login(alice)
    assert "Delete this evaluation" in client.get(page).content.decode()
    client.post(f"{page}delete/", {"confirm": "delete"})
    assert [str(row.pk) for row in Evaluation.objects.all()] == [hidden]


@pytest.mark.parametrize(
    "change",
    [
        {"name": None},
        {"name": 5},
        {"name": "x" * 201},
        {"environments": []},
        {"environments": [{"id": "env_1"}, {"id": "env_2"}]},
        {"environments": ["env_1"]},
        {"environments": [{"id": 10**30}]},
        {"environments": {"id": "env_1"}},
        {"environments": None, "run_id": "x"},
        {"is_public": "yes"},
        {"tags": "a"},
        {"tags": ["x"] * 21},
        {"tags": [["x"]]},
        {"metadata": []},
        {"metrics": "good"},
        {"team_id": ["lab"]},
    ],
)
def test_invalid_evaluation_is_refused(
    client: Client, bob: User, pk: int, change: dict[str, Any]
) -> None:
    status, body = create(client, bob, pk, **change)
    assert status == 400
    assert body["detail"]
    assert not Evaluation.objects.exists()


def test_metrics_that_no_database_stores_are_cleaned(client: Client, bob: User, pk: int) -> None:
    raw = f'{{"name": "x", "environments": [{{"id": "env_{pk}"}}], "metrics": {ODD}}}'
    headers = bearer(bob, "publish")
    answer = client.post(AT, raw, content_type="application/json", headers=headers)
    assert answer.status_code == 201
    json.dumps(Evaluation.objects.get().metrics, allow_nan=False)


@pytest.mark.parametrize(
    "body",
    [
        "{}",
        '{"samples": []}',
        '{"samples": {}}',
        '{"samples": [1]}',
        '{"samples": [{"a": 1e999}]}',
        '{"samples": [{"a": NaN}]}',
        "[" * 100_000,
        "\x00",
    ],
)
def test_invalid_samples_are_refused(client: Client, bob: User, pk: int, body: str) -> None:
    evaluation_id = create(client, bob, pk)[1]["evaluation_id"]
    headers = bearer(bob, "publish")
    at = f"{AT}{evaluation_id}/samples"
    answer = client.post(at, body, content_type="application/json", headers=headers)
    assert answer.status_code == 400
    assert not SampleBatch.objects.exists()


def test_claims_of_an_evaluation_are_bounded(client: Client, bob: User, pk: int) -> None:
    """Lists and pages read all of it, fifty at a time."""
    large = {f"{n}": "x" * 4000 for n in range(30)}
    for field in ("metadata", "metrics"):
        status, body = create(client, bob, pk, **{field: large})
        assert (status, body["error"]["details"]) == (413, {"field": field})
    assert not Evaluation.objects.exists()


def test_a_page_reads_no_more_of_a_sample_than_it_shows(client: Client, bob: User, pk: int) -> None:
    evaluation_id = create(client, bob, pk, is_public=True)[1]["evaluation_id"]
    large = {"reward": 1.0, "said": "first", "rest": [[n] for n in range(400_000)]}
    call(client, "post", f"{evaluation_id}/samples", bob, {"samples": [large, {"said": "second"}]})
    begun = time.monotonic()
    page = client.get(f"/envs/alice/demo-env/evaluations/{evaluation_id}/").content.decode()
    assert time.monotonic() - begun < 1
    assert "first" in page
    assert "second" in page
    assert len(page) < 20_000


def test_samples_of_a_person_have_a_limit_in_bytes(
    client: Client, bob: User, carol: User, pk: int
) -> None:
    first, second = (create(client, bob, pk)[1]["evaluation_id"] for _ in range(2))
    Evaluation.objects.filter(pk=first).update(sample_bytes=samples.MAX_BYTES_OF_USER)
    status, body = call(client, "post", f"{second}/samples", bob, {"samples": [{}]})
    assert (status, "Delete some" in body["detail"]) == (413, True)
    other = create(client, carol, pk)[1]["evaluation_id"]
    assert call(client, "post", f"{other}/samples", carol, {"samples": [{}]})[0] == 201


def test_changes_of_an_evaluation_deleted_meanwhile_raise_not_found(
    client: Client, bob: User, pk: int
) -> None:
    """Another request deletes it behind this one's question of permission."""
    create(client, bob, pk)
    gone = Evaluation.objects.get()
    Evaluation.objects.all().delete()
    for change in (
        lambda: samples.add(evaluation=gone, samples=[{}]),
        lambda: services.update(evaluation=gone, claims=Claims(name="x")),
        lambda: services.end(evaluation=gone, status=services.FAILED),
    ):
        with pytest.raises(NotFound):
            change()


@pytest.mark.django_db(transaction=True)
def test_samples_shared_with_another_evaluation_are_not_deleted(bob: User) -> None:
    environment = make_version(bob).environment
    first, second = (
        services.create(
            environment=environment, version=None, owner=bob.owner, by=bob, claims=Claims(name=name)
        )
        for name in ("one", "two")
    )
    samples.add(evaluation=first, samples=[{"a": 1}])
    assert at_once(
        lambda: services.delete(evaluation=first, by=bob),
        lambda: samples.add(evaluation=second, samples=[{"a": 1}]),
    ) == ["done", "done"]
    assert samples.read(evaluation=second, start=0, count=1) == [{"a": 1}]


def test_samples_have_a_limit(client: Client, bob: User, pk: int) -> None:
    evaluation_id = create(client, bob, pk)[1]["evaluation_id"]
    Evaluation.objects.update(sample_count=samples.MAX_SAMPLES)
    status, body = call(client, "post", f"{evaluation_id}/samples", bob, {"samples": [{}]})
    assert status == 413
    assert str(samples.MAX_SAMPLES) in body["detail"]
    large = '{"samples": [{"a": "%s"}]}' % ("x" * samples.BATCH_BYTES)
    headers = bearer(bob, "publish")
    at = f"{AT}{evaluation_id}/samples"
    answer = client.post(at, large, content_type="application/json", headers=headers)
    assert answer.status_code == 413


def test_a_page_of_samples_has_a_limit_in_bytes(client: Client, bob: User, pk: int) -> None:
    evaluation_id = create(client, bob, pk)[1]["evaluation_id"]
    big = [{"a": "x" * (12 << 20), "n": n} for n in range(2)]
    for n in (0, 1):
        batch = [sample | {"m": n} for sample in big]
        assert call(client, "post", f"{evaluation_id}/samples", bob, {"samples": batch})[0] == 201
    status, body = call(client, "get", f"{evaluation_id}/samples", bob)
    assert (status, "Ask for fewer" in body["detail"]) == (413, True)
    page = call(client, "get", f"{evaluation_id}/samples", bob, {"page": 4, "limit": 1})[1]
    assert [(row["n"], row["m"]) for row in page["samples"]] == [(1, 1)]


def test_environment_page_marks_evaluations_as_self_reported(
    client: Client, bob: User, pk: int
) -> None:
    evaluation_id = create(
        client, bob, pk, is_public=True, metrics={"reward": 0.75, "odd": {"a": 1}}
    )[1]["evaluation_id"]
    hidden = create(client, bob, pk, name="hidden-one")[1]
    call(
        client, "post", f"{evaluation_id}/samples", bob, {"samples": [{"reward": 1.0, "a": "<b>"}]}
    )
    page = client.get("/envs/alice/demo-env/?tab=evaluations").content.decode()
    assert "Reported by the uploader, not measured by this hub." in page
    assert "reward 0.75" in page
    assert "hidden-one" not in page
    own = client.get(f"/envs/alice/demo-env/evaluations/{evaluation_id}/").content.decode()
    assert "Reported by the uploader" in own
    assert "&lt;b&gt;" in own
    assert (
        client.get(f"/envs/alice/demo-env/evaluations/{hidden['evaluation_id']}/").status_code
        == 404
    )
    client.force_login(bob)
    delete = f"/envs/alice/demo-env/evaluations/{evaluation_id}/delete/"
    for confirmation, left in (({}, 2), ({"confirm": "yes"}, 2), ({"confirm": "delete"}, 1)):
        assert client.post(delete, confirmation).status_code == 302
        assert Evaluation.objects.count() == left


def test_former_member_cannot_change_evaluations_of_the_organisation(
    client: Client, lab: Organisation, bob: User, pk: int
) -> None:
    lab.memberships.filter(user=bob).update(role="maintainer")
    teams = create(client, bob, pk, team_id="lab", is_public=True)[1]["evaluation_id"]
    own = create(client, bob, pk, is_public=True)[1]["evaluation_id"]
    lab.memberships.filter(user=bob).delete()
    assert call(client, "delete", teams, bob)[0] == 403
    assert call(client, "put", teams, bob, {"description": "x"})[0] == 403
    assert call(client, "delete", own, bob)[0] == 200
