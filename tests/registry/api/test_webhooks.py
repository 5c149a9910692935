"""Webhooks over the API."""

from __future__ import annotations

import uuid

import pytest
from django.test import Client
from django.utils import timezone

from registry.models import User
from registry.webhooks import deliveries
from registry.webhooks.models import Webhook
from registry.webhooks.sending import Outcome
from tests.factories import bearer, make_version

pytestmark = [pytest.mark.django_db, pytest.mark.once]
API, JSON = "/api/v1/", "application/json"
URL = "https://example.org/hook"


@pytest.mark.parametrize("place", ["environments/alice/demo-env", "owners/alice"])
def test_a_webhook_is_made_tested_and_removed(client: Client, alice: User, place: str) -> None:
    make_version(alice)
    own = bearer(alice, "admin")
    path = f"{API}{place}/webhooks/"
    body = {"url": URL, "kinds": ["yanked", "listed"]}
    made = client.post(path, body, content_type=JSON, headers=own)
    assert made.status_code == 201
    assert made.json()["secret"].startswith("whsec_")
    (row,) = client.get(path, headers=own).json()["results"]
    assert row == made.json()["webhook"]
    assert (row["url"], row["kinds"], row["owner"]) == (URL, ["listed", "yanked"], "alice")
    assert row["environment"] == ("alice/demo-env" if "demo" in place else None)
    one = f"{API}webhooks/{row['id']}/"
    assert client.get(one, headers=own).json() == row
    test = client.post(f"{one}deliveries/", headers=own)
    assert (test.status_code, test.json()["type"]) == (201, "webhook.test")
    deliveries.send_due(now=timezone.now(), send=lambda *_: Outcome(200, 7, "ok"))
    (sent,) = client.get(f"{one}deliveries/", headers=own).json()["results"]
    assert (sent["state"], sent["status"], sent["milliseconds"]) == ("succeeded", 200, 7)
    again = client.post(f"{one}deliveries/{sent['id']}/redeliver/", headers=own)
    assert again.json()["state"] == "pending"
    assert client.post(f"{one}deliveries/0/redeliver/", headers=own).status_code == 404
    renewed = client.post(f"{one}secret/", headers=own).json()["secret"]
    assert renewed not in ("", made.json()["secret"])
    assert client.post(f"{one}enable/", headers=own).status_code == 409
    Webhook.objects.update(disabled_at=timezone.now())
    assert client.post(f"{one}deliveries/", headers=own).status_code == 409
    assert client.post(f"{one}enable/", headers=own).json()["disabled_at"] is None
    assert client.delete(one, headers=own).status_code == 204
    assert client.get(one, headers=own).status_code == 404


@pytest.mark.parametrize(
    "body", [{}, {"url": "http://a.org/"}, {"url": URL, "kinds": ["x"]}, {"url": URL, "kinds": 1}]
)
def test_a_wrong_body_makes_no_webhook(
    client: Client, alice: User, body: dict[str, object]
) -> None:
    path = f"{API}owners/alice/webhooks/"
    answer = client.post(path, body, content_type=JSON, headers=bearer(alice, "admin"))
    assert answer.status_code == 400
    assert not Webhook.objects.exists()


def test_others_cannot_tell_a_webhook_from_none(client: Client, alice: User, carol: User) -> None:
    webhook = Webhook.objects.create(owner=alice.owner, url=URL, salt="0")
    stranger = bearer(carol, "admin")
    for pk in (webhook.pk, uuid.uuid4()):
        answer = client.get(f"{API}webhooks/{pk}/", headers=stranger)
        assert answer.status_code == 404
        assert answer.json()["error"]["message"] == "there is no such webhook"
    weak = client.get(f"{API}webhooks/{webhook.pk}/", headers=bearer(alice, "publish"))
    assert weak.json()["error"]["code"] == "token.scope"
