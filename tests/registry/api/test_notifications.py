"""Notifications and watches over the API."""

from __future__ import annotations

import pytest
from django.test import Client

from registry.catalog import overlays
from registry.models import User
from registry.notifications import services
from tests.factories import bearer, make_version

pytestmark = [pytest.mark.django_db, pytest.mark.once]
API, JSON = "/api/v1/", "application/json"


def test_a_watcher_lists_and_marks_notifications(client: Client, alice: User, carol: User) -> None:
    version = make_version(alice)
    own = bearer(carol, "publish")
    watch = f"{API}environments/alice/demo-env/watch/"
    for _ in range(2):
        assert client.put(watch, headers=own).json() == {"watching": True}
    (row,) = client.get(f"{API}watched/", headers=own).json()["results"]
    assert row["environment"] == "alice/demo-env"
    overlays.yank(version=version, by=alice, reason="leaks answers")
    overlays.unyank(version=version, by=alice)
    overlays.yank(version=version, by=alice, reason="really")
    services.deliver()
    path = f"{API}notifications/"
    first = client.get(f"{path}?limit=1", headers=own).json()
    (newest,) = first["results"]
    assert newest | {"at": "", "id": 0} == {
        "id": 0,
        "kind": "yanked",
        "title": "alice/demo-env 0.1.0 was yanked",
        "text": "really",
        "url": newest["url"],
        "at": "",
        "read": False,
    }
    (older,) = client.get(first["next"], headers=own).json()["results"]
    assert older["text"] == "leaks answers"
    marked = client.post(f"{path}read/", {"id": older["id"]}, content_type=JSON, headers=own)
    assert marked.json() == {"marked": 1}
    unread = client.get(f"{path}?state=unread", headers=own).json()["results"]
    assert [row["id"] for row in unread] == [newest["id"]]
    assert client.post(f"{path}read/", {}, content_type=JSON, headers=own).json() == {"marked": 1}
    assert client.delete(watch, headers=own).json() == {"watching": False}
    assert client.get(f"{API}watched/", headers=own).json()["results"] == []


def test_a_read_token_marks_nothing_as_read(client: Client, carol: User) -> None:
    refused = client.post(f"{API}notifications/read/", headers=bearer(carol, "read"))
    assert refused.status_code == 403
    assert refused.json()["error"]["code"] == "token.scope"
    assert client.get(f"{API}notifications/", headers=bearer(carol, "read")).status_code == 200


@pytest.mark.parametrize("body", [{"id": "1"}, {"id": 0}, {"ids": [1]}])
def test_a_wrong_body_marks_nothing_as_read(
    client: Client, carol: User, body: dict[str, object]
) -> None:
    path = f"{API}notifications/read/"
    answer = client.post(path, body, content_type=JSON, headers=bearer(carol, "publish"))
    assert answer.status_code == 400
