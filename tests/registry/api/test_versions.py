"""Versions over the REST API."""

from typing import Any

import pytest
from django.test import Client

from registry.catalog.lifecycle import move
from registry.models import Card, Organisation, User, Version, VersionFinding
from tests.factories import bearer, make_rollout, make_run, make_version

AT = "/api/v1/environments/alice/demo-env/versions/"
SUMMARY = {
    *("version", "ref", "status", "status_at", "uploaded_at", "listed_at", "yanked"),
    *("quarantined", "summary", "size", "url"),
}
DETAIL = SUMMARY | {
    *("environment", "framework", "api", "module", "entry", "requires_python", "requires_dist"),
    *("keywords", "license", "readme", "readme_type", "authors", "links", "uploaded_by", "file"),
    *("visibility", "deprecated", "findings", "pipeline", "run", "card", "data_sets"),
    *("published_with", "provenance", "framework_version"),
    *("requirements", "needs", "variables", "hosts", "git_dependencies"),
    *("remeasured", "no_longer_passes"),
}


def states(version: Version, client: Client, user: User) -> list[str]:
    answer = client.get(f"{AT}{version.version}/", headers=bearer(user)).json()
    assert [step["step"] for step in answer["pipeline"]] == [
        *("uploaded", "checking", "evaluating", "listed")
    ]
    return [step["state"] for step in answer["pipeline"]]


def test_versions_come_newest_first_and_only_those_one_may_see(
    client: Client, alice: User, django_assert_num_queries: Any
) -> None:
    for number in ("0.9.0", "0.10.0", "0.10.0rc1"):
        make_version(alice, version=number)
    make_version(alice, version="0.11.0", status="rejected")
    with django_assert_num_queries(3):
        answer = client.get(AT).json()
    assert [v["version"] for v in answer["results"]] == ["0.10.0", "0.10.0rc1", "0.9.0"]
    assert set(answer["results"][0]) == SUMMARY
    own = client.get(AT, headers=bearer(alice)).json()
    assert own["results"][0]["version"] == "0.11.0"


def test_version_detail_has_the_fields_for_installers_and_authors(
    client: Client, alice: User
) -> None:
    version = make_version(alice, requires_dist=["verifiers>=0.4"], status="evaluating")
    run = make_run(version)
    make_rollout(run, "oracle", 0, reward=1.0)
    make_rollout(run, "silent", 0, reward=None)
    VersionFinding.objects.create(
        version=version, run=run, stage="card", code="card.floor", severity="warning", message="m"
    )
    Card.objects.create(version=version, run=run, measures=[{"code": "floor"}])
    move(version, "listed")
    assert client.get(f"{AT}0.1/").status_code == 404  # trailing zeros are kept
    answer = client.get(f"{AT}v0.1.0/").json()
    assert set(answer) == DETAIL
    assert answer["ref"] == "alice/demo-env==0.1.0"
    assert answer["file"] == {
        "filename": version.filename,
        "url": f"http://127.0.0.1:8000/files/{version.sha256[:2]}/{version.sha256}/"
        + version.filename,
        "sha256": version.sha256,
        "size": version.size,
        "metadata_sha256": version.metadata_sha256,
    }
    (finding,) = answer["findings"]
    assert (finding["code"], finding["stage"], finding["run"]) == (
        "card.floor",
        "card",
        str(run.pk),
    )
    assert answer["card"]["measures"] == [{"code": "floor", "source": "claimed"}]
    assert answer["run"]["id"] == str(run.pk)
    scores = {s["policy"]: (s["mean"], s["ok"], s["failed"]) for s in answer["run"]["scores"]}
    assert scores == {"silent": (None, 0, 1), "oracle": (1.0, 1, 0)}
    assert answer["uploaded_by"] == "alice"


@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        ([], ["done", "waiting", "waiting", "waiting"]),
        (["checking"], ["done", "active", "waiting", "waiting"]),
        (["checking", "rejected"], ["done", "failed", "waiting", "waiting"]),
        (["checking", "evaluating"], ["done", "done", "active", "waiting"]),
        (["checking", "evaluating", "rejected"], ["done", "done", "failed", "waiting"]),
        (["checking", "evaluating", "held"], ["done", "done", "failed", "waiting"]),
        (["checking", "evaluating", "held", "rejected"], ["done", "done", "failed", "waiting"]),
        (["checking", "held", "rejected"], ["done", "failed", "waiting", "waiting"]),
        (["checking", "evaluating", "held", "evaluating"], ["done", "done", "active", "waiting"]),
        (["checking", "evaluating", "listed"], ["done", "done", "done", "done"]),
    ],
)
def test_pipeline_shows_the_step_of_a_version_and_where_it_stopped(
    client: Client, alice: User, moves: list[str], expected: list[str]
) -> None:
    version = make_version(alice, status="uploaded")
    for to in moves:
        move(version, to)
    assert states(version, client, alice) == expected


def test_a_version_is_yanked_and_restored_over_the_api(client: Client, alice: User) -> None:
    make_version(alice)
    url, headers = f"{AT}0.1.0/yank/", bearer(alice, "publish")
    answer = client.post(
        url, {"reason": "wrong reward"}, content_type="application/json", headers=headers
    )
    assert answer.json()["yanked"]["reason"] == "wrong reward"
    again = client.post(url, {"reason": "x"}, content_type="application/json", headers=headers)
    assert (again.status_code, again.json()["error"]["code"]) == (409, "request.conflict")
    assert client.delete(url, headers=headers).json()["yanked"] is None
    assert client.post(url, {}, content_type="application/json", headers=headers).status_code == 400


def test_strangers_and_readers_cannot_yank(client: Client, alice: User, carol: User) -> None:
    make_version(alice)
    sent = {"reason": "mine now"}
    for headers, status in (({}, 401), (bearer(carol, "admin"), 403), (bearer(alice), 403)):
        answer = client.post(
            f"{AT}0.1.0/yank/", sent, content_type="application/json", headers=headers
        )
        assert answer.status_code == status
    assert Version.objects.get().yanked_at is None


@pytest.mark.parametrize("actor_name", ["alice", "root"])
def test_author_and_staff_retry_a_held_version(
    client: Client, alice: User, root: User, actor_name: str
) -> None:
    version = make_version(alice, status="held")
    url, headers = f"{AT}0.1.0/retry/", bearer(User.objects.get(username=actor_name), "admin")
    assert client.post(url, headers=bearer(alice, "read")).status_code == 403
    answer = client.post(url, headers=headers)
    assert (answer.status_code, answer.json()["status"]) == (200, "evaluating")
    assert version.runs.get().status == "queued"
    assert client.post(url, headers=headers).status_code == 409


@pytest.mark.parametrize("number", ["9.9.9", "not-a-version", "..%2F"])
def test_an_unknown_version_is_404(client: Client, alice: User, number: str) -> None:
    make_version(alice)
    assert client.get(f"{AT}{number}/").status_code == 404


def test_an_unlisted_version_is_for_its_organisation(
    client: Client, lab: Organisation, bob: User, carol: User
) -> None:
    make_version(lab, version="0.1.0")
    make_version(lab, version="0.2.0", status="rejected")
    url = "/api/v1/environments/lab/demo-env/versions/0.2.0/"
    assert client.get(url, headers=bearer(bob)).status_code == 200
    assert client.get(url, headers=bearer(carol)).status_code == 404
