"""POST check/: what an upload would meet, before it is made."""

from typing import Any

import pytest
from django.test import Client

from registry.catalog.deletion import delete_version
from registry.models import Environment, Event, Organisation, User
from tests.factories import make_version

pytestmark = pytest.mark.once


def check(client: Client, user: User, **body: Any) -> dict[str, Any]:
    body = {"name": "demo-env", "version": "0.1.0", **body}
    client.force_login(user)
    answer = client.post("/api/v1/check/", body, content_type="application/json")
    assert answer.status_code == 200, answer.content
    fields: dict[str, Any] = answer.json()
    return fields


def codes(client: Client, user: User, **body: Any) -> list[tuple[str, str]]:
    return [(f["code"], f["severity"]) for f in check(client, user, **body)["findings"]]


def test_a_free_name_has_no_findings_and_nothing_is_written(client: Client, alice: User) -> None:
    events = Event.objects.count()
    answer = check(client, alice)
    assert answer == {"owner": "alice", "findings": [], "card": None}
    assert not Environment.objects.exists()
    assert Event.objects.count() == events


def test_a_version_that_exists_with_other_bytes_is_refused_and_the_same_bytes_are_not(
    client: Client, alice: User
) -> None:
    version = make_version(alice)
    (finding,) = check(client, alice, sha256="0" * 64)["findings"]
    assert finding["code"] == "upload.version_exists"
    assert "alice/demo-env==0.1.0 exists" in finding["message"]
    assert "pyproject.toml" in finding["hint"]
    assert codes(client, alice, sha256=version.sha256) == []
    assert codes(client, alice, version="0.1.1") == []
    delete_version(version=version, by=alice)
    assert codes(client, alice, sha256=version.sha256) == [("upload.version_exists", "error")]


def test_names_that_break_a_rule_or_look_alike_are_found(
    client: Client, alice: User, carol: User
) -> None:
    make_version(carol, "reverse-text")
    make_version(alice, "tic-tac-toe")
    assert codes(client, alice, name="verifiers") == [("metadata.bad_name", "error")]
    assert codes(client, alice, name="-x-") == [("metadata.bad_name", "error")]
    assert codes(client, alice, name="tictactoe") == [("name.too_similar", "error")]
    assert codes(client, alice, name="revers-text") == [("name.similar", "warning")]
    assert codes(client, alice, version="x") == [("metadata.bad_version", "error")]


def test_check_without_permission_to_publish_reveals_nothing_else(
    client: Client, lab: Organisation, alice: User, carol: User
) -> None:
    make_version(lab, "secret-env", visibility="private")
    assert codes(client, carol, owner="no-one-here") == [("upload.owner_mismatch", "error")]
    for name in ("secret-env", "no-such-env"):
        findings = codes(client, carol, owner="lab", name=name)
        assert findings == [("upload.owner_mismatch", "error")]
    assert codes(client, alice, owner="lab", name="secret-env", sha256="0" * 64) == [
        ("upload.version_exists", "error")
    ]


def rollout(policy: str, task: int, reward: float) -> dict[str, Any]:
    return {"policy": policy, "task": task, "attempt": 0, "ok": True, "reward": reward}


def test_a_report_gets_the_card_that_the_hub_would_give_it(client: Client, alice: User) -> None:
    tasks = [{"index": n, "hash": str(n), "prompt": f"p{n}", "reference": True} for n in range(5)]
    report = {
        "policies": ["silent", "oracle"],
        "tasks": 5,
        "attempts": 1,
        "facts": {"tasks": tasks, "hashes_again": [str(n) for n in range(5)]},
        "rollouts": [rollout(p, n, 1.0) for p in ("silent", "oracle") for n in range(5)],
    }
    card = check(client, alice, report=report)["card"]
    assert {score["policy"]: score["mean"] for score in card["scores"]} == {
        "silent": 1.0,
        "oracle": 1.0,
    }
    assert "card.floor" in [finding["code"] for finding in card["findings"]]
    assert {measure["status"] for measure in card["measures"]} >= {"pass", "fail"}


@pytest.mark.parametrize(
    "report",
    [
        {},
        {"policies": 7, "rollouts": [7, {}], "facts": [], "replays": {"a": 1}, "tasks": -5},
        {"policies": ["a", "a"], "rollouts": [{"policy": "a", "reward": "NaN"}] * 2000},
        {"policies": ["x"], "tasks": 10**30, "attempts": 10**30, "facts": {"tasks": [{}] * 5000}},
        {
            "policies": ["silent", "oracle"],
            "tasks": 5,
            "rollouts": [
                rollout(policy, n, 1e308) | {"seconds": 1e308, "scoring_seconds": 1e308}
                for policy in ("silent", "oracle")
                for n in range(5)
            ],
            "facts": {"load_seconds": 1e308, "install_seconds": 1e308},
            "replays": [
                {"policy": "oracle", "task": n, "attempt": 0, "replay": {"reward": -1e308}}
                for n in range(5)
            ],
        },
    ],
)
def test_no_report_makes_the_hub_fail(client: Client, alice: User, report: dict[str, Any]) -> None:
    assert check(client, alice, report=report)["card"]["measures"]


def test_reports_are_limited_more_than_checks_of_names(client: Client, alice: User) -> None:
    client.force_login(alice)
    body = {"name": "demo-env", "version": "0.1.0"}
    statuses = [
        client.post(
            "/api/v1/check/", body | {"report": {}}, content_type="application/json"
        ).status_code
        for _ in range(11)
    ]
    assert statuses == [200] * 10 + [429]
    assert check(client, alice)["card"] is None


def test_staff_without_a_name_of_their_own_name_the_owner(
    client: Client, alice: User, db: None
) -> None:
    nameless = User.objects.create_user("operator", password="-", is_staff=True)
    client.force_login(nameless)
    body = {"name": "demo-env", "version": "0.1.0"}
    answer = client.post("/api/v1/check/", body, content_type="application/json")
    assert answer.status_code == 400
    assert answer.json()["error"]["details"] == {"field": "owner"}
    answer = client.post("/api/v1/environments/", body, content_type="application/json")
    assert answer.status_code == 400
    assert codes(client, nameless, owner="alice") == [("upload.owner_mismatch", "error")]
