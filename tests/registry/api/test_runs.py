"""Runs, logs and rollouts over the REST API."""

import json
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from envyard.contract.replay import Replay
from envyard.contract.transcript import Exchange, Node, Transcript
from registry.models import LogChunk, Rollout, Run, User, Version
from tests.factories import bearer, make_rollout, make_run, make_version
from tests.registry.run_factories import make_transcript

SUMMARY = {
    *("purpose", "suite"),
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
    for listed in runs:
        make_rollout(listed, "oracle", 0)
        make_rollout(listed, "silent", 0, reward=0.0)
    url = "/api/v1/environments/alice/demo-env/runs/"
    with django_assert_num_queries(6):
        answer = client.get(url).json()["results"]
    assert [entry["id"] for entry in answer] == [str(listed.pk) for listed in reversed(runs)]
    assert set(answer[0]) == SUMMARY
    assert [score["policy"] for score in answer[0]["scores"]] == ["silent", "oracle"]
    with django_assert_num_queries(4):
        assert client.get(url).json()["results"] == answer


def test_a_detail_shows_progress_facts_and_scores_so_far(client: Client, run: Run) -> None:
    Run.objects.update(facts={"load_seconds": 1.5}, done=1, total=4)
    make_rollout(run, "silent", 0, reward=0.25)
    answer = client.get(at(run)).json()
    followed = {"queue", "not_before", "lost_attempts", "shards", "parent", "first_task"}
    provisions = {"variables", "hosts"}
    plan = {"tasks", "named_tasks", "last_task", "attempts", "seed"}
    measured = {"facts", "findings", "models", "costs"}
    assert set(answer) == SUMMARY | followed | provisions | plan | measured
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
    error, record = {"type": "ValueError", "message": "no"}, make_transcript("?")
    failed = make_rollout(run, reward=None, error=error, prompt_tokens=7, transcript=record)
    answer = client.get(f"{at(run)}rollouts/{failed.pk}/").json()
    assert [m["content"] for m in answer["messages"]] == ["?", "re: ?"]
    assert answer["transcript"] == record.to_dict()
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


def test_a_cancelled_run_is_queued_again_by_its_owner_alone(
    client: Client, alice: User, carol: User
) -> None:
    version = make_version(alice)
    run = make_run(version, status="cancelled")
    again, publish = f"{at(run)}retry/", bearer(alice, "publish")
    assert client.post(again, headers=publish).status_code == 409  # it is listed meanwhile
    assert client.post(again).status_code == 401
    assert client.post(again, headers=bearer(carol, "admin")).status_code == 403
    Version.objects.update(status="held", listed_at=None)
    assert client.post(again, headers=bearer(carol, "admin")).status_code == 404
    answer = client.post(again, headers=publish)
    body = answer.json()
    assert (answer.status_code, body["status"]) == (201, "queued")
    place = {"before": 0, "waiting": 1, "runners": 0, "under_way": 0}
    assert body["queue"] == place | {"oldest_at": body["created_at"]}
    assert client.post(again, headers=publish).status_code == 409
    page = client.get(
        f"/api/v1/environments/{version.environment}/versions/0.1.0/", headers=publish
    )
    assert page.json()["run"]["queue"] == body["queue"]


@pytest.mark.parametrize(("query", "expected"), [
    ("policy=oracle", 3), ("task=1", 2), ("ok=false", 1), ("ok=true", 5), ("min_reward=0.5", 2),
    ("max_reward=0.25", 3), ("policy=oracle&min_reward=0.5&max_reward=0.9", 1), ("policy=other", 0),
])  # fmt: skip
def test_rollouts_are_filtered(client: Client, run: Run, query: str, expected: int) -> None:
    for policy, rewards in (("silent", (0.0, 0.0, None)), ("oracle", (0.25, 0.5, 1.0))):
        for task, reward in enumerate(rewards):
            make_rollout(run, policy, task, reward=reward)
    for list_of in ("rollouts", "samples"):
        assert len(client.get(f"{at(run)}{list_of}/?{query}").json()["results"]) == expected


@pytest.mark.parametrize(("query", "field"), [
    ("task=-1", "task"), ("task=x", "task"), ("ok=maybe", "ok"), ("min_reward=nan", "min_reward"),
    ("max_reward=1e999", "max_reward"), ("max_reward=x", "max_reward"),
])  # fmt: skip
def test_a_bad_filter_is_named(client: Client, run: Run, query: str, field: str) -> None:
    answer = client.get(f"{at(run)}rollouts/?{query}")
    assert answer.status_code == 400
    assert answer.json()["error"]["details"] == {"field": field}


def test_samples_are_rows_to_train_on(client: Client, run: Run) -> None:
    """A conversation of two calls, then another agent's; the row's is the last call's."""
    node, tool = Node, {"type": "function", "function": {"name": "add"}}
    transcript = Transcript(
        nodes=[
            node(-1, {"role": "system", "content": "You add."}),
            node(0, {"role": "user", "content": "1+1?"}),
            node(1, {"role": "assistant", "content": "", "tool_calls": []}),
            node(-1, {"role": "system", "content": "You judge."}),
            node(3, {"role": "assistant", "content": "fair"}),
            node(2, {"role": "tool", "content": "2"}),
            node(5, {"role": "assistant", "content": "2"}),
        ],
        calls=[
            Exchange(asked=1, reply=2, tools=0, finish_reason="tool_calls"),
            Exchange(asked=3, reply=4),
            Exchange(5, 6, 0, options=0, finish_reason="stop", seconds=0.5, first_seconds=0.1),
        ],
        tools=[[tool]],
        options=[{"stop": ["."]}],
    )
    parts = {"exact": {"score": 0.5, "weight": 2.0}}
    rollout = make_rollout(
        run, "oracle", 1, rewards=parts, metrics={"len": 3.0}, transcript=transcript
    )
    make_rollout(run, "silent", 0, reward=0.0)
    row, bare = client.get(f"{at(run)}samples/").json()["results"]
    assert [m["content"] for m in row["prompt"]] == ["You add.", "1+1?"]
    assert [m["role"] for m in row["completion"]] == ["assistant", "tool", "assistant"]
    assert (row["example_id"], row["rollout_number"], row["task"]) == (1, 0, "alice/demo-env")
    assert (row["reward"], row["metrics"]) == (1.0, {"exact": 0.5, "len": 3.0})
    assert row["tool_defs"] == [json.dumps(tool)]
    steps = row["trajectory"]
    assert [step["after"] for step in steps] == [None, None, 0]
    assert [[m["content"] for m in step["prompt"]] for step in steps] == [
        ["You add.", "1+1?"], ["You judge."], ["2"],
    ]  # fmt: skip
    assert steps[2]["completion"] == [{"role": "assistant", "content": "2"}]
    assert [step["options"] for step in steps] == ["", "", '{"stop": ["."]}']
    assert [step["first_seconds"] for step in steps] == [None, None, 0.1]
    assert (row["info"]["rollout"], row["info"]["conversations"]) == (rollout.pk, 2)
    assert (bare["prompt"], bare["completion"], bare["trajectory"]) == ([], [], [])


def test_a_rollout_that_was_played_again_shows_its_second_reward(client: Client, run: Run) -> None:
    again = Replay(reward=0.5, diverged=2, asked="user: why?")
    make_rollout(run, "parrot", 0, replay=again.to_dict(), rescored=0.5)
    make_rollout(run, "silent", 0)
    played, other = client.get(f"{at(run)}rollouts/").json()["results"][-2:]
    assert (played["reward"], played["rescored"]) == (1.0, 0.5)
    assert Replay.from_dict(played["replay"]) == again
    assert (other["rescored"], other["replay"]) == (None, None)
    rows = client.get(f"{at(run)}samples/").json()["results"]
    assert [row["info"]["rescored"] for row in rows[-2:]] == [0.5, None]


@pytest.mark.parametrize("tail", ["", "log/", "rollouts/", "samples/", "rollouts/1/", "cancel/"])
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
