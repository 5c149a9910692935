"""Reports, and quarantine as everybody meets it."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from registry.index import pages
from registry.models import Environment, Event, Organisation, Report, User, Version
from tests.factories import bearer, make_version
from tests.wheels import make_wheel

API = "/api/v1/environments/lab/demo-env/"
REPORTS = "/api/v1/moderation/reports/"
Commit = Callable[..., AbstractContextManager[Any]]


@pytest.fixture
def version(lab: Organisation) -> Version:
    """lab/demo-env==0.1.0, listed."""
    return make_version(lab, wheel=make_wheel())


def send(
    client: Client, method: str, path: str, by: User, status: int = 200, **body: Any
) -> dict[str, Any]:
    """The answer to that person's admin token, its status checked."""
    answer = client.generic(
        method,
        path,
        json.dumps(body),
        content_type="application/json",
        headers=bearer(by, "admin"),
    )
    assert answer.status_code == status, answer.content
    return answer.json() if answer.content else {}


def test_a_report_reaches_staff_and_ends_with_their_word(
    client: Client, version: Version, carol: User, root: User
) -> None:
    fields = {"reason": "malware", "text": "It reads my keys.", "version": "0.1.0"}
    created = send(client, "POST", f"{API}report/", carol, 201, **fields)
    listed = send(client, "GET", REPORTS, root)["results"]
    assert [(r["id"], r["reporter"], r["version"]) for r in listed] == [
        (created["id"], "carol", "0.1.0")
    ]
    done = send(
        client,
        "POST",
        f"{REPORTS}{created['id']}/resolve/",
        root,
        resolution="It is a false alarm.",
    )
    assert (done["resolved_by"], done["resolution"]) == ("root", "It is a false alarm.")
    send(client, "POST", f"{REPORTS}{created['id']}/resolve/", root, 409, resolution="Again.")
    assert send(client, "GET", REPORTS, root)["results"] == []
    closed = send(client, "GET", f"{REPORTS}?state=resolved", root)["results"]
    assert [r["id"] for r in closed] == [created["id"]]


def test_a_person_has_one_open_report_of_each_environment(
    client: Client, version: Version, carol: User, bob: User
) -> None:
    fields = {"reason": "spam", "text": "It sells shoes."}
    send(client, "POST", f"{API}report/", carol, 201, **fields)
    again = send(client, "POST", f"{API}report/", carol, 409, **fields)
    assert "already" in again["error"]["message"]
    send(client, "POST", f"{API}report/", bob, 201, **fields)
    Report.objects.update(resolved_at=version.uploaded_at, resolution="Gone.")
    send(client, "POST", f"{API}report/", carol, 201, **fields)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"reason": "ugly", "text": "x"}, "reason"),
        ({"reason": "spam", "text": " "}, "text"),
        ({"reason": "spam", "text": "x" * 2001}, "text"),
    ],
)
def test_report_without_text_is_refused(
    client: Client, version: Version, carol: User, body: dict[str, str], field: str
) -> None:
    refused = send(client, "POST", f"{API}report/", carol, 400, **body)
    assert refused["error"]["details"]["field"] == field
    assert not Report.objects.exists()


def test_the_owner_does_not_learn_who_reported(
    client: Client, version: Version, alice: User, carol: User, root: User
) -> None:
    send(client, "POST", f"{API}report/", carol, 201, reason="spam", text="It sells shoes.")
    for path in (f"{API}events/", "/api/v1/owners/lab/events/"):
        assert "carol" not in str(send(client, "GET", path, alice))
    entire = send(client, "GET", "/api/v1/moderation/events/", root)["results"]
    assert "carol reported lab/demo-env as spam" in [event["text"] for event in entire]


def test_reporting_is_counted(client: Client, version: Version, carol: User) -> None:
    token = bearer(carol, "admin")
    answers = [
        client.post(f"{API}report/", "{}", content_type="application/json", headers=token)
        for _ in range(21)
    ]
    assert [a.status_code for a in answers] == [400] * 20 + [429]


def test_a_quarantined_environment_is_nowhere_until_it_is_released(
    client: Client,
    version: Version,
    alice: User,
    root: User,
    django_capture_on_commit_callbacks: Commit,
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        shown = send(client, "POST", f"{API}quarantine/", root, reason="It mines coins.")
    assert shown["quarantined"]
    (notice,) = (sent for sent in mail.outbox if "quarantined" in sent.subject)
    assert notice.to == ["alice@example.com"]
    assert "It mines coins." in str(notice.body)
    assert _listed(client) == []
    assert _wheel_status(client, version) == 404
    assert _wheel_status(client, version, bearer(alice)) == 404
    assert _files(version) == ("quarantined", [])
    assert "It mines coins." in client.get("/envs/lab/demo-env/").content.decode()
    send(client, "POST", f"{API}quarantine/", root, 409, reason="Again.")

    with django_capture_on_commit_callbacks(execute=True):
        assert not send(client, "DELETE", f"{API}quarantine/", root)["quarantined"]
    assert "is released" in mail.outbox[-1].subject
    assert _listed(client) == ["lab/demo-env"]
    assert _wheel_status(client, version) == 200
    assert _files(version) == ("active", [version.filename])


def test_a_quarantined_version_gives_way_to_the_one_before(
    client: Client, version: Version, lab: Organisation, root: User
) -> None:
    newer = make_version(lab, version="0.2.0", wheel=make_wheel(version="0.2.0"))
    send(client, "POST", f"{API}versions/0.2.0/quarantine/", root, reason="It mines coins.")
    assert send(client, "GET", API, root)["latest"]["version"] == "0.1.0"
    assert _wheel_status(client, newer) == 404
    assert _files(version) == ("active", [version.filename])
    send(client, "DELETE", f"{API}versions/0.2.0/quarantine/", root)
    assert send(client, "GET", API, root)["latest"]["version"] == "0.2.0"
    verbs = Event.objects.filter(environment=version.environment).values_list("verb", flat=True)
    assert list(verbs) == ["version.quarantined", "version.released"]


def _listed(client: Client) -> list[str]:
    results = client.get("/api/v1/environments/?q=demo").json()["results"]
    assert results == client.get("/api/v1/environments/").json()["results"]
    return [row["ref"] for row in results]


def _wheel_status(client: Client, version: Version, headers: dict[str, str] | None = None) -> int:
    """The status of its wheel, read to the end."""
    path = f"/files/{version.sha256[:2]}/{version.sha256}/{version.filename}"
    answer = client.get(path, headers=headers)
    if answer.streaming:
        b"".join(answer)
    return answer.status_code


def _files(version: Version) -> tuple[str, list[str]]:
    """Status and files of the index's page."""
    env = Environment.objects.get(pk=version.environment_id)
    place = pages.find("lab", env.name)
    assert place is not None
    page = json.loads(pages.of(place)["index.json"].data)
    status = page.get("project-status", {}).get("status", "active")
    return status, [file["filename"] for file in page["files"]]
