"""`hub watch`, `hub unwatch` and `hub webhooks`, and where findings are explained; a real hub."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer

from envyard.__main__ import main
from registry.accounts import tokens
from registry.models import User, Webhook, WebhookDelivery
from registry.notifications import watches
from registry.webhooks import deliveries
from registry.webhooks.sending import Outcome
from tests.factories import make_version

pytestmark = pytest.mark.django_db(transaction=True)
URL = "https://example.org/hook"


@pytest.fixture
def hub(live_server: LiveServer, alice: User, monkeypatch: pytest.MonkeyPatch) -> str:
    """alice/demo-env==0.1.0 on a hub where alice is signed in with an admin token."""
    make_version(alice)
    monkeypatch.setenv("HUB_URL", live_server.url)
    monkeypatch.setenv("HUB_TOKEN", tokens.mint(user=alice, name="cli", scope="admin")[1])
    return live_server.url


def json_of(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    """The JSON document of the command."""
    assert main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_watch_and_unwatch_an_environment(
    hub: str, alice: User, capsys: pytest.CaptureFixture[str]
) -> None:
    environment = alice.owner.environments.get()
    assert json_of(capsys, "watch", "alice/demo-env") == {"watching": True}
    assert watches.watched(environment=environment, actor=alice)
    assert main(["watch", "alice/Demo_Env"]) == 0
    err = capsys.readouterr().err
    assert "You watch alice/demo-env" in err
    assert f"{hub}/notifications/" in err
    assert json_of(capsys, "unwatch", "alice/demo-env") == {"watching": False}
    assert not watches.watched(environment=environment, actor=alice)
    assert main(["watch", "alice/nope"]) == 1


@pytest.mark.parametrize("of", ["alice/demo-env", "alice"])
def test_webhooks_are_added_tested_read_and_removed(
    hub: str, of: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["webhooks", "list", of]) == 0
    assert "has no webhooks" in capsys.readouterr().err
    assert main(["webhooks", "add", of, URL, "--kind", "yanked", "--kind", "listed"]) == 0
    assert capsys.readouterr().out.startswith("whsec_")
    row = Webhook.objects.get()
    assert (row.environment is None) == (of == "alice")
    pk = str(row.pk)
    [listed] = json_of(capsys, "webhooks", "list", of)
    assert (listed["id"], sorted(listed["kinds"])) == (pk, ["listed", "yanked"])
    assert main(["webhooks", "list", of]) == 0
    assert "working" in capsys.readouterr().out
    number = json_of(capsys, "webhooks", "test", pk)["id"]
    for status in (500, 204):
        WebhookDelivery.objects.update(next_at=timezone.now())
        deliveries.send_due(
            now=timezone.now(), send=lambda *_, status=status: Outcome(status, 7, "\x1b[31mno\n")
        )
    assert main(["webhooks", "log", pk]) == 0
    log = capsys.readouterr().out
    assert log.index("500 in 7 ms") < log.index("204 in 7 ms")
    assert "\x1b" not in log
    assert main(["webhooks", "redeliver", pk, str(number)]) == 0
    assert WebhookDelivery.objects.get().state == "pending"
    capsys.readouterr()
    assert main(["webhooks", "remove", pk]) == 2
    assert f"hub webhooks remove {pk} --yes {pk}" in capsys.readouterr().err
    assert Webhook.objects.exists()
    assert json_of(capsys, "webhooks", "remove", pk, "--yes", pk) == {"removed": pk}
    assert not Webhook.objects.exists()
    assert main(["webhooks", "test", "nothing"]) == 2


def test_findings_name_their_page_in_the_documentation_of_the_hub(
    hub: str, alice: User, capsys: pytest.CaptureFixture[str]
) -> None:
    version = make_version(alice, "bad-env", status="rejected")
    version.findings.create(stage="card", code="card.floor", severity="error", message="It pays.")
    version.findings.create(stage="card", code="card.speed", severity="info", message="Fast.")
    assert main(["info", "alice/bad-env==0.1.0"]) == 0
    out = capsys.readouterr().out
    assert f"    {hub}/docs/findings/card.floor/\n" in out
    assert "card.speed/" not in out
