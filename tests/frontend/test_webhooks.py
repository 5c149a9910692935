"""The pages of webhooks: add, test, redeliver, enable and remove."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer

from registry.accounts.models import Organisation
from registry.models import User
from registry.webhooks import deliveries, services
from registry.webhooks.models import Webhook, WebhookDelivery
from registry.webhooks.sending import Outcome
from tests.factories import make_version
from tests.frontend.people import flat, sign_in, text
from tests.frontend.test_gallery import walk

pytestmark = pytest.mark.once
URL = "https://example.org/hook"
PAGE = "/envs/alice/demo-env/settings/webhooks/"


def test_a_webhook_is_added_tested_and_removed_on_its_pages(client: Client, alice: User) -> None:
    make_version(alice)
    sign_in(client, "alice")
    assert f'href="{PAGE}">Webhooks</a>' in text(client, "/envs/alice/demo-env/settings/")
    assert "No webhooks yet" in text(client, PAGE)
    added = flat(client.post(PAGE, {"url": URL, "kinds": ["yanked"]}))
    assert "shown only once" in added
    assert "whsec_" in added
    assert "whsec_" not in text(client, PAGE)
    row = Webhook.objects.get()
    path = f"/webhooks/{row.pk}/"
    assert path in text(client, PAGE)
    assert client.post(path, {"action": "test"}).headers["Location"] == path
    deliveries.send_due(
        now=timezone.now(), send=lambda *_: Outcome(500, 31, "<script>alert(1)</script>")
    )
    page = text(client, path)
    assert "500 in 31 ms" in page
    assert "&lt;script&gt;" in page
    WebhookDelivery.objects.update(state="failed", next_at=None)
    number = WebhookDelivery.objects.get().pk
    client.post(path, {"action": "redeliver", "delivery": number})
    assert WebhookDelivery.objects.get().state == "pending"
    again = flat(client.post(path, {"action": "redeliver", "delivery": number}, follow=True))
    assert "The delivery is due already." in again
    assert "whsec_" in flat(client.post(path, {"action": "renew"}))
    for typed in ("", "yes"):
        kept = flat(client.post(path, {"action": "remove", "confirm": typed}, follow=True))
        assert "The webhook was not removed: type remove to confirm." in kept
    answer = client.post(path, {"action": "remove", "confirm": "remove"})
    assert answer.headers["Location"] == PAGE
    assert client.get(path).status_code == 404


def test_the_log_of_a_delivery_keeps_every_attempt(client: Client, alice: User) -> None:
    version = make_version(alice)
    row, _ = services.add(to=version.environment, url=URL, kinds=[], by=alice)
    services.test(webhook=row)
    for outcome in (
        Outcome(None, 0, error="no connection"),
        Outcome(503, 9, "<b>"),
        Outcome(200, 7),
    ):
        WebhookDelivery.objects.update(next_at=timezone.now())
        deliveries.send_due(now=timezone.now(), send=lambda *_, outcome=outcome: outcome)
    sign_in(client, "alice")
    page = text(client, f"/webhooks/{row.pk}/")
    assert "All 3 attempts" in page
    log = page.split("All 3 attempts")[1].split("</ol>")[0]
    places = [log.index(words) for words in ("no connection", "503 in 9 ms", "200 in 7 ms")]
    assert places == sorted(places)
    assert "&lt;b&gt;" in log
    client.force_login(alice)


def test_a_wrong_address_is_shown_at_its_field(client: Client, lab: Organisation) -> None:
    sign_in(client, "alice")
    page = "/owners/lab/webhooks/"
    answer = client.post(page, {"url": "http://example.org/", "kinds": ["yanked"]})
    assert answer.status_code == 400
    assert "must begin with https://" in flat(answer)
    assert flat(client.post(page, {"url": URL, "kinds": []})).count("errorlist")
    assert not Webhook.objects.exists()


def test_a_disabled_webhook_is_enabled_on_its_page(client: Client, alice: User) -> None:
    row, _ = services.add(to=alice.owner, url=URL, kinds=[], by=alice)
    Webhook.objects.update(failing_since=timezone.now(), disabled_at=timezone.now())
    sign_in(client, "alice")
    assert "disabled" in text(client, "/owners/alice/webhooks/")
    path = f"/webhooks/{row.pk}/"
    assert "after three days without a success" in text(client, path)
    client.post(path, {"action": "enable"})
    assert "Send a test" in text(client, path)


def test_strangers_and_members_find_no_webhook(
    client: Client, lab: Organisation, alice: User, carol: User
) -> None:
    row, _ = services.add(to=lab.owner, url=URL, kinds=[], by=alice)
    for name in ("bob", "carol"):
        sign_in(client, name)
        assert client.get(f"/webhooks/{row.pk}/").status_code == 404
        assert client.get("/owners/lab/webhooks/").status_code == 403
    assert carol.pk


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
@pytest.mark.extended
def test_pages_of_webhooks_fit_and_read_well(live_server: LiveServer, alice: User) -> None:
    env = make_version(alice).environment
    row, _ = services.add(to=env, url=f"{URL}/{'x' * 200}", kinds=[], by=alice)
    services.test(webhook=row)
    deliveries.send_due(
        now=timezone.now(), send=lambda *_: Outcome(500, 31, "\x1b[31m\u202e<b>no</b>" + "y" * 300)
    )
    services.test(webhook=row)
    deliveries.send_due(now=timezone.now(), send=lambda *_: Outcome(204, 8))
    broken, _ = services.add(to=env, url=URL, kinds=["yanked"], by=alice)
    Webhook.objects.filter(pk=broken.pk).update(disabled_at=timezone.now())
    pages = {
        "webhooks": PAGE,
        "webhook": f"/webhooks/{row.pk}/",
        "webhook-disabled": f"/webhooks/{broken.pk}/",
    }
    problems = walk(live_server.url, "alice", pages)
    dark = {f"{name}-dark": path for name, path in pages.items()}
    problems += walk(live_server.url, "alice", dark, "dark")
    assert not problems, "\n".join(problems)
