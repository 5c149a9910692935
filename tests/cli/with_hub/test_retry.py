"""`hub retry`, against a real hub, and what a followed push shows of attempts that ended early."""

from __future__ import annotations

import io
import threading

import pytest
from pytest_django.live_server_helper import LiveServer

from envyard.__main__ import main
from envyard.client import Hub
from envyard.commands.follow import follow
from envyard.config import Config
from envyard.contract.names import Ref
from envyard.errors import Held
from envyard.output import Output
from registry.accounts import tokens
from registry.models import User, Version
from tests.cli.conftest import Answers
from tests.cli.test_follow import PATH, version
from tests.factories import make_version


@pytest.fixture
def hub(live_server: LiveServer, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub with three versions, where alice is signed in."""
    for number, status in (("0.1.0", "held"), ("0.2.0", "held"), ("0.3.0", "listed")):
        make_version(alice, version=number, status=status)
    monkeypatch.setenv("HUB_URL", live_server.url)
    monkeypatch.setenv("HUB_TOKEN", tokens.mint(user=alice, name="cli", scope="publish")[1])


@pytest.mark.django_db(transaction=True)
def test_without_a_version_the_newest_held_one_is_retried(
    hub: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["retry", "alice/demo-env", "--no-wait"]) == 0
    assert "alice/demo-env==0.2.0 is evaluating again" in capsys.readouterr().err
    assert Version.objects.get(version="0.2.0").runs.get().status == "queued"
    assert main(["retry", "alice/demo-env==0.2.0"]) == 1
    stderr = capsys.readouterr().err
    assert "is evaluating; only a held version can be retried" in stderr
    assert "hub info alice/demo-env==0.2.0" in stderr
    assert main(["retry", "alice/demo-env", "--no-wait"]) == 0
    assert main(["retry", "alice/demo-env", "--no-wait"]) == 1
    assert "has no held version" in capsys.readouterr().err


def test_a_followed_version_shows_each_lost_attempt_once_and_how_to_retry(server: Answers) -> None:
    lost = {"attempt": 1, "runner": "gpu-1", "message": "uv cache: permission denied"}
    waiting = version("evaluating", {"before": 0, "waiting": 1, "runners": 2})
    waiting["run"] |= {"lost_attempts": [lost], "not_before": "2026-11-22T10:15:30+00:00"}
    server.reply(PATH, 200, waiting)
    text = io.StringIO()
    out, refused = Output(out=io.StringIO(), err=text), []

    def followed() -> None:
        try:
            follow(Hub(Config(server.url)), Ref("alice", "demo-env", "0.1.0"), out)
        except Held as error:
            refused.append(error)

    follower = threading.Thread(target=followed)
    follower.start()
    while len(server.requests) < 3:
        follower.join(0.1)
        assert follower.is_alive()
    server.reply(PATH, 200, version("held", None))
    follower.join(10)
    shown = "attempt 1 on gpu-1 ended early: uv cache: permission denied; another follows"
    assert text.getvalue().count(shown) == 1
    assert "hub retry alice/demo-env==0.1.0" in refused[0].hint
