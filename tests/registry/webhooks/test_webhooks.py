"""Webhooks: who gets what, signed how, tried how often, and when they are given up."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.utils import timezone

from registry.accounts.models import Organisation, User
from registry.catalog import overlays
from registry.catalog.lifecycle import move
from registry.catalog.transfer import transfer
from registry.errors import HubError, Stale
from registry.models import Event, Version
from registry.moderation import journal
from registry.notifications import services as notifications
from registry.notifications.models import Notification
from registry.webhooks import deliveries, services
from registry.webhooks.models import MAX_LOG, Webhook, WebhookDelivery
from registry.webhooks.sending import Outcome
from tests.factories import make_version

pytestmark = pytest.mark.django_db
URL = "https://example.org/hook/secret-path"


@dataclass
class Receiver:
    """A transport that keeps what is sent and answers with that status, None for no response."""

    status: int | None = 204
    sent: list[tuple[str, Mapping[str, str], str]] = field(default_factory=list)

    def __call__(self, url: str, headers: Mapping[str, str], body: str) -> Outcome:
        self.sent.append((url, headers, body))
        return Outcome(self.status, 12, "reply", "" if self.status else "no connection")

    def work(self, *, after: timedelta = timedelta(0)) -> datetime:
        """Deliver pending events, and what is due then; returns that time."""
        notifications.deliver(deliveries.create)
        now = timezone.now() + after
        deliveries.send_due(now=now, send=self)
        return now

    def types(self) -> list[str]:
        """The types of the messages, as they came."""
        return [json.loads(body)["type"] for _, _, body in self.sent]


def yank(version: Version, by: User) -> None:
    overlays.yank(version=version, by=by, reason="leaks answers")


def test_a_message_is_signed_as_the_specification_says(alice: User) -> None:
    version, receiver = make_version(alice), Receiver()
    _, secret = services.add(to=version.environment, url=URL, kinds=["yanked"], by=alice)
    yank(version, alice)
    receiver.work()
    ((url, headers, body),) = receiver.sent
    assert url == URL
    message = json.loads(body)
    assert message["type"] == "version.yanked"
    assert datetime.fromisoformat(message["timestamp"]).tzinfo
    assert message["data"]["environment"] == "alice/demo-env"
    assert message["data"]["version"] == "0.1.0"
    assert message["data"]["sha256"] == version.sha256
    assert message["data"]["reason"] == "leaks answers"
    assert message["data"]["url"].endswith("/envs/alice/demo-env/0.1.0/")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    assert len(key) == 32
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{body}".encode()
    digest = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{digest}"
    assert abs(int(headers["webhook-timestamp"]) - timezone.now().timestamp()) < 600
    (row,) = WebhookDelivery.objects.all()
    assert (row.state, row.status, row.milliseconds, row.excerpt) == ("succeeded", 204, 12, "reply")
    assert (row.attempts, row.next_at) == (1, None)


def test_secrets_differ_and_are_not_in_the_database(alice: User) -> None:
    env = make_version(alice).environment
    row, first = services.add(to=env, url=URL, kinds=[], by=alice)
    _, second = services.add(to=env, url=URL, kinds=[], by=alice)
    third = services.renew_secret(webhook=row, by=alice)
    assert len({first, second, third}) == 3
    stored = json.dumps(list(Webhook.objects.values()), default=str)
    assert not any(secret.removeprefix("whsec_") in stored for secret in (first, second, third))


def test_webhooks_get_the_kinds_that_they_want_of_their_environments(
    alice: User, bob: User, root: User
) -> None:
    one, other = make_version(alice), make_version(alice, "other-env")
    foreign, receiver = make_version(bob, "foreign-env"), Receiver()
    services.add(to=one.environment, url=f"{URL}/one", kinds=["yanked"], by=alice)
    services.add(to=alice.owner, url=f"{URL}/all", kinds=[], by=alice)
    for version in (one, other, foreign):
        yank(version, root)
    overlays.unyank(version=one, by=alice)
    overlays.quarantine_environment(environment=one.environment, by=root, reason="malware")
    move(make_version(alice, "other-env", "0.2.0", status="evaluating"), "rejected", reason="no")
    receiver.work()
    receiver.work()
    got = sorted(
        (url.rpartition("/")[2], json.loads(body)["type"]) for url, _, body in receiver.sent
    )
    assert got == [
        ("all", "environment.quarantined"),
        ("all", "version.rejected"),
        ("all", "version.unyanked"),
        ("all", "version.yanked"),
        ("all", "version.yanked"),
        ("one", "version.yanked"),
    ]


def test_a_webhook_of_the_former_owner_gets_nothing(alice: User, bob: User) -> None:
    version, receiver = make_version(alice), Receiver()
    row, _ = services.add(to=version.environment, url=URL, kinds=[], by=alice)
    transfer(environment=version.environment, to=bob.owner, by=alice)
    version.refresh_from_db()
    yank(Version.objects.select_related("environment__owner").get(), bob)
    receiver.work()
    assert receiver.sent == []
    with pytest.raises(HubError, match="no such webhook"):
        services.find(row.pk)


def test_a_failed_attempt_is_repeated_with_growing_pauses_and_the_same_id(alice: User) -> None:
    version, receiver = make_version(alice), Receiver(status=500)
    services.add(to=version.environment, url=URL, kinds=[], by=alice)
    yank(version, alice)
    receiver.work()
    receiver.work()  # not due yet
    assert len(receiver.sent) == 1
    for pause in deliveries.PAUSES:
        row = WebhookDelivery.objects.get()
        assert row.state == "pending"
        assert row.next_at is not None
        assert row.next_at - timezone.now() > 0.5 * pause
        WebhookDelivery.objects.update(next_at=timezone.now())
        receiver.work()
    row = WebhookDelivery.objects.get()
    assert (row.state, row.next_at, row.attempts) == ("failed", None, len(deliveries.PAUSES) + 1)
    assert len({headers["webhook-id"] for _, headers, _ in receiver.sent}) == 1
    assert len({body for _, _, body in receiver.sent}) == 1
    receiver.status = 200
    services.redeliver(webhook=row.webhook, pk=row.pk)
    with pytest.raises(Stale):
        services.redeliver(webhook=row.webhook, pk=row.pk)
    receiver.work()
    row = WebhookDelivery.objects.get()
    assert row.state == "succeeded"
    statuses = [attempt["status"] for attempt in row.log]
    assert statuses == [500] * (len(deliveries.PAUSES) + 1) + [200]
    assert [attempt["at"] for attempt in row.log] == sorted(a["at"] for a in row.log)


def test_a_delivery_whose_worker_died_is_due_again_and_counts_once(alice: User) -> None:
    version, receiver = make_version(alice), Receiver()
    services.add(to=version.environment, url=URL, kinds=[], by=alice)
    yank(version, alice)
    notifications.deliver(deliveries.create)
    (row,) = deliveries._due(timezone.now())
    stale = WebhookDelivery.objects.select_related("webhook").get()
    assert deliveries._claim(row, timezone.now())
    assert not deliveries._claim(stale, timezone.now())  # two workers: one gets it
    receiver.work()
    assert receiver.sent == []  # leased
    receiver.work(after=deliveries.LEASE)
    assert len(receiver.sent) == 1
    deliveries.conclude(row, Outcome(500, 1), now=timezone.now())  # the dead one's outcome
    row = WebhookDelivery.objects.get()
    assert row.state == "succeeded"
    assert [(each["status"], each["error"]) for each in row.log] == [
        (None, deliveries.LOST), (204, ""),
    ]  # fmt: skip


def test_the_log_of_a_delivery_has_an_end(alice: User) -> None:
    version, receiver = make_version(alice), Receiver()
    webhook, _ = services.add(to=version.environment, url=URL, kinds=[], by=alice)
    row = services.test(webhook=webhook)
    attempt = {"at": "2026-01-01T00:00:00+00:00", "status": 500, "milliseconds": 1,
               "excerpt": "", "error": ""}  # fmt: skip
    WebhookDelivery.objects.update(log=[attempt] * MAX_LOG)
    receiver.work()
    row.refresh_from_db()
    assert len(row.log) == MAX_LOG
    assert row.log[-1]["status"] == 204


def test_an_event_is_delivered_once_however_often_it_is_read(alice: User) -> None:
    version, receiver = make_version(alice), Receiver()
    services.add(to=version.environment, url=URL, kinds=[], by=alice)
    yank(version, alice)
    for _ in range(3):
        receiver.work()
    assert receiver.types() == ["version.yanked"]


def test_a_pass_that_begins_during_another_sends_nothing(alice: User) -> None:
    receiver = Receiver()
    row, _ = services.add(to=alice.owner, url=URL, kinds=[], by=alice)
    services.test(webhook=row)
    cache.add("webhooks.pass", 1, timeout=60)
    receiver.work()
    assert receiver.sent == []
    cache.delete("webhooks.pass")
    receiver.work()
    assert receiver.types() == ["webhook.test"]


def test_one_webhook_does_not_hold_back_the_others(alice: User, bob: User) -> None:
    receiver = Receiver()
    busy, _ = services.add(to=alice.owner, url=f"{URL}/busy", kinds=[], by=alice)
    calm, _ = services.add(to=bob.owner, url=f"{URL}/calm", kinds=[], by=bob)
    for _ in range(20):
        services.test(webhook=busy)
    services.test(webhook=calm)
    receiver.work()
    urls = [url.rpartition("/")[2] for url, _, _ in receiver.sent]
    assert sorted(urls) == ["busy"] * deliveries.OF_ONE + ["calm"]


def test_a_webhook_is_disabled_after_long_failure_and_its_owners_learn_of_it(
    lab: Organisation, alice: User, bob: User
) -> None:
    receiver = Receiver(status=None)
    row, _ = services.add(to=lab.owner, url=URL, kinds=[], by=alice)
    services.test(webhook=row)
    receiver.work()
    row.refresh_from_db()
    assert row.failing_since is not None
    assert row.disabled_at is None
    Webhook.objects.update(failing_since=timezone.now() - deliveries.GIVE_UP)
    WebhookDelivery.objects.update(next_at=timezone.now())
    receiver.work()
    row.refresh_from_db()
    assert row.disabled_at is not None
    receiver.work(after=timedelta(days=2))
    assert len(receiver.sent) == 2
    assert WebhookDelivery.objects.get().state == "failed"
    notifications.deliver()
    (told,) = Notification.objects.all()
    assert (told.user, told.kind) == (alice, "webhook_disabled")
    event = Event.objects.get(verb="webhook.disabled")
    assert journal.sentence(event) == (
        "A webhook to example.org was disabled after three days of failures"
    )
    with pytest.raises(Stale):
        services.test(webhook=row)
    services.enable(webhook=row, by=alice)
    with pytest.raises(Stale):
        services.enable(webhook=row, by=alice)
    receiver.status = 200
    services.test(webhook=row)
    receiver.work()
    row.refresh_from_db()
    assert (row.failing_since, row.disabled_at) == (None, None)


def test_a_success_ends_the_time_of_failures(alice: User) -> None:
    receiver = Receiver()
    row, _ = services.add(to=alice.owner, url=URL, kinds=[], by=alice)
    Webhook.objects.update(failing_since=timezone.now() - 2 * deliveries.GIVE_UP)
    services.test(webhook=row)
    receiver.work()
    row.refresh_from_db()
    assert (row.failing_since, row.disabled_at) == (None, None)


def test_the_journal_names_the_host_alone(alice: User) -> None:
    row, _ = services.add(to=alice.owner, url=URL, kinds=[], by=alice)
    services.renew_secret(webhook=row, by=alice)
    services.remove(webhook=row, by=alice)
    written = [json.dumps(event.data) for event in Event.objects.filter(verb__startswith="webhook")]
    assert len(written) == 3
    assert not any("secret-path" in text for text in written)
    assert not Webhook.objects.exists()


@pytest.mark.parametrize(
    ("fields", "field"),
    [({"url": "http://example.org/"}, "url"), ({"kinds": ["nothing"]}, "kinds")],
)
def test_a_wrong_webhook_is_refused(alice: User, fields: dict[str, Any], field: str) -> None:
    with pytest.raises(HubError) as refused:
        services.add(to=alice.owner, by=alice, **{"url": URL, "kinds": [], **fields})
    assert refused.value.details["field"] == field


def test_an_owner_has_a_limited_number_of_webhooks(alice: User) -> None:
    env = make_version(alice).environment
    for number in range(services.MAX_WEBHOOKS):
        services.add(to=env if number % 2 else alice.owner, url=URL, kinds=[], by=alice)
    with pytest.raises(HubError, match="the limit is 20"):
        services.add(to=env, url=URL, kinds=[], by=alice)


def test_ended_deliveries_are_deleted_after_a_month(alice: User) -> None:
    receiver = Receiver()
    row, _ = services.add(to=alice.owner, url=URL, kinds=[], by=alice)
    services.test(webhook=row)
    receiver.work()
    deliveries.delete_old(now=timezone.now())
    assert WebhookDelivery.objects.count() == 1
    deliveries.delete_old(now=timezone.now() + deliveries.KEPT)
    assert WebhookDelivery.objects.count() == 0
