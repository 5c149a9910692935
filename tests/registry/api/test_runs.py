"""Runs, logs and rollouts over the REST API."""

from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from registry.models import LogChunk, Rollout, Run, User
from tests.factories import bearer, make_rollout, make_run, make_version

SUMMARY = {
    *("id", "environment", "version", "status", "attempt", "policies", "model", "done", "total"),
    *("created_at", "started_at", "ended_at", "runner", "scores", "url"),
}


@pytest.fixture
def run(alice: User) -> Run:
    return make_run(make_version(alice), status="running")


def at(run: Run) -> str:
    return f"/api/v1/runs/{run.pk}/"


def test_the_runs_of_an_environment_come_newest_first(
    client: Client, alice: User, django_assert_num_queries: Any
) -> None:
    cache.clear()
    version = make_version(alice)
    runs = [make_run(version) for _ in range(4)]
    for made in runs:
        make_rollout(made, "oracle", 0)
        make_rollout(made, "silent", 0, reward=0.0)
    url = "/api/v1/environments/alice/demo-env/runs/"
    with django_assert_num_queries(5):
        answer = client.get(url).json()["results"]
    assert [entry["id"] for entry in answer] == [str(made.pk) for made in reversed(runs)]
    assert set(answer[0]) == SUMMARY
    assert [score["policy"] for score in answer[0]["scores"]] == ["silent", "oracle"]
    with django_assert_num_queries(4):
        assert client.get(url).json()["results"] == answer


def test_a_detail_shows_progress_facts_and_scores_so_far(client: Client, run: Run) -> None:
    Run.objects.update(facts={"load_seconds": 1.5}, done=1, total=4)
    make_rollout(run, "silent", 0, reward=0.25)
    answer = client.get(at(run)).json()
    assert set(answer) == SUMMARY | {"facts", "findings", "tasks", "attempts", "seed"}
    assert (answer["done"], answer["total"], answer["runner"]) == (1, 4, "box")
    assert answer["facts"] == {"load_seconds": 1.5}
    assert answer["scores"][0]["mean"] == 0.25
    make_rollout(run, "silent", 1, reward=0.75)
    Run.objects.update(last_seq=7)
    assert client.get(at(run)).json()["scores"][0]["mean"] == 0.5


def test_the_log_is_read_piece_by_piece_until_it_ended(client: Client, run: Run) -> None:
    url = f"{at(run)}log/"
    assert client.get(url).json() == {"text": "", "next": 0, "ended": False}
    LogChunk.objects.create(run=run, attempt=1, seq=1, text="one\n")
    first = client.get(url).json()
    assert (first["text"], first["ended"]) == ("one\n", False)
    LogChunk.objects.create(run=run, attempt=1, seq=2, text="two\n")
    second = client.get(f"{url}?after={first['next']}").json()
    assert second["text"] == "two\n"
    Run.objects.update(status="succeeded", ended_at="2026-01-01T00:00:00Z")
    last = client.get(f"{url}?after={second['next']}").json()
    assert last == {"text": "", "next": second["next"], "ended": True}


@pytest.mark.parametrize("after", ["-1", "x", "1.5", "9" * 30])
def test_a_bad_position_is_named(client: Client, run: Run, after: str) -> None:
    answer = client.get(f"{at(run)}log/?after={after}")
    assert answer.status_code == 400
    assert answer.json()["error"]["details"] == {"field": "after"}


def test_rollouts_are_paged_without_their_conversations(
    client: Client, run: Run, django_assert_num_queries: Any
) -> None:
    for policy in ("silent", "oracle"):
        for task in range(3):
            make_rollout(run, policy, task)
    with django_assert_num_queries(2):
        answer = client.get(f"{at(run)}rollouts/?limit=4").json()
    assert len(answer["results"]) == 4
    assert "messages" not in answer["results"][0]
    rest = client.get(answer["next"]).json()
    assert len(rest["results"]) == 2
    assert rest["next"] is None
    only = client.get(f"{at(run)}rollouts/?policy=oracle").json()["results"]
    assert {entry["policy"] for entry in only} == {"oracle"}


def test_one_rollout_is_shown_with_its_conversation(client: Client, run: Run) -> None:
    failed = make_rollout(
        run, reward=None, error={"type": "ValueError", "message": "no"}, prompt_tokens=7
    )
    answer = client.get(f"{at(run)}rollouts/{failed.pk}/").json()
    assert answer["messages"] == [{"role": "user", "content": "?"}]
    assert (answer["ok"], answer["reward"], answer["error"]["type"]) == (False, None, "ValueError")
    assert answer["usage"]["prompt_tokens"] == 7
    other = make_run(run.version)
    assert client.get(f"{at(other)}rollouts/{failed.pk}/").status_code == 404


def test_a_queued_run_is_cancelled_by_its_owner_alone(
    client: Client, alice: User, carol: User
) -> None:
    run = make_run(make_version(alice), status="queued")
    assert client.post(f"{at(run)}cancel/").status_code == 401
    assert client.post(f"{at(run)}cancel/", headers=bearer(carol, "admin")).status_code == 403
    answer = client.post(f"{at(run)}cancel/", headers=bearer(alice, "publish"))
    assert (answer.status_code, answer.json()["status"]) == (200, "cancelled")


@pytest.mark.parametrize("tail", ["", "log/", "rollouts/", "rollouts/1/", "cancel/"])
def test_the_runs_of_a_hidden_version_are_hidden(
    client: Client, alice: User, carol: User, tail: str
) -> None:
    run = make_run(make_version(alice, status="evaluating"), status="running")
    make_rollout(run, pk=1)
    call = client.post if tail == "cancel/" else client.get
    for headers in ({}, bearer(carol, "admin")):
        assert call(f"{at(run)}{tail}", headers=headers).status_code == 404
    assert call(f"{at(run)}{tail}", headers=bearer(alice, "publish")).status_code == 200
    assert Rollout.objects.count() == 1
