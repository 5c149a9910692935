"""Signing in, staying signed in, signing out."""

import json
import stat
from pathlib import Path

import pytest

from envyard import config as configs
from envyard.__main__ import main
from envyard.client import Hub
from envyard.config import config_path
from tests.cli.conftest import Answers

ME = {
    "user": "alice",
    "owners": [{"name": "alice", "kind": "user", "role": "owner"}],
    "publish_refusal": None,
    "token": None,
}


def test_login_checks_a_token_and_saves_it_readable_by_its_owner_only(
    server: Answers, home: Path
) -> None:
    server.reply("GET /api/v1/whoami/", 200, ME)
    assert main(["login", "--url", server.url, "--token", "hub_abc"]) == 0
    saved = json.loads(config_path().read_text())
    assert saved == {"url": server.url, "tokens": {server.url: "hub_abc"}}
    assert stat.S_IMODE(config_path().stat().st_mode) == 0o600
    assert server.requests == [("GET /api/v1/whoami/", "Bearer hub_abc")]


def test_login_does_not_save_a_refused_token(
    server: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    error = {"code": "token.invalid", "message": "The token is revoked.", "hint": "Log in."}
    server.reply("GET /api/v1/whoami/", 401, {"error": error})
    assert main(["login", "--url", server.url, "--token", "hub_abc"]) == 1
    assert not config_path().exists()
    assert "The token is revoked." in capsys.readouterr().err


def test_a_refused_hub_token_gives_a_hint_about_the_variable(
    server: Answers, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    error = {"code": "token.invalid", "message": "The token is revoked.", "hint": "Log in."}
    server.reply("GET /api/v1/whoami/", 401, {"error": error})
    monkeypatch.setenv("HUB_TOKEN", "hub_old")
    assert main(["whoami", "--url", server.url]) == 1
    stderr = capsys.readouterr().err
    assert "from HUB_TOKEN" in stderr
    assert "Log in." not in stderr


def test_login_rejects_text_that_is_no_token(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["login", "--token", "password123"]) == 2
    assert "tokens begin with hub_" in capsys.readouterr().err


def test_login_waits_for_the_confirmation_in_the_browser(
    server: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    server.reply(
        "POST /api/v1/login/",
        200,
        {
            "device_code": "d",
            "user_code": "ABCD-EFGH",
            "verification_url": f"{server.url}/device/",
            "verification_url_complete": f"{server.url}/device/?code=ABCD-EFGH",
            "interval": 0,
            "expires_in": 5,
        },
    )
    server.reply("POST /api/v1/login/poll/", 200, {"token": "hub_minted", "user": "alice"})
    server.reply("GET /api/v1/whoami/", 200, ME)
    assert main(["login", "--url", server.url, "--no-browser"]) == 0
    assert "ABCD-EFGH" in capsys.readouterr().err
    assert server.requests[-1] == ("GET /api/v1/whoami/", "Bearer hub_minted")


def test_whoami_without_a_login_names_the_next_step(
    server: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    error = {
        "code": "request.unauthenticated",
        "message": "You are not signed in.",
        "hint": "Run `hub login`.",
    }
    server.reply("GET /api/v1/whoami/", 401, {"error": error})
    assert main(["whoami", "--url", server.url]) == 1
    assert "hint: Run `hub login`." in capsys.readouterr().err


def test_whoami_shows_members_read_access_only(
    server: Answers, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HUB_TOKEN", "hub_abc")
    lab = {"name": "lab", "kind": "organisation", "role": "member"}
    server.reply("GET /api/v1/whoami/", 200, ME | {"owners": [*ME["owners"], lab]})
    assert main(["whoami", "--url", server.url]) == 0
    stderr = capsys.readouterr().err
    assert "may publish as alice (owner)" in stderr
    assert "may read lab (member)" in stderr


def test_whoami_shows_the_reason_that_prevents_publishing(
    server: Answers, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HUB_TOKEN", "hub_abc")
    refusal = {"code": "account.mfa_required", "message": "alice has none", "hint": "Add one."}
    server.reply("GET /api/v1/whoami/", 200, ME | {"publish_refusal": refusal})
    assert main(["whoami", "--url", server.url]) == 0
    stderr = capsys.readouterr().err
    assert "may read alice (owner)" in stderr
    assert "may publish" not in stderr
    assert "alice has none\n\nhint: Add one.\n" in stderr


def test_logout_revokes_and_removes_the_token(server: Answers) -> None:
    server.reply("GET /api/v1/whoami/", 200, ME)
    server.reply("DELETE /api/v1/tokens/current/", 204, "")
    main(["login", "--url", server.url, "--token", "hub_abc"])
    assert main(["logout"]) == 0
    assert json.loads(config_path().read_text())["tokens"] == {}
    assert server.requests[-1] == ("DELETE /api/v1/tokens/current/", "Bearer hub_abc")


def test_the_client_sends_the_token_to_no_other_host(
    server: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HUB_TOKEN", "hub_secret")
    other = server.url.replace("127.0.0.1", "localhost")
    server.reply(
        "GET /api/v1/environments/?limit=20",
        200,
        {"results": [{"n": 1}], "next": f"{other}/api/v1/environments/?cursor=x"},
    )
    server.reply("GET /api/v1/environments/?cursor=x", 200, {"results": [], "next": None})
    assert list(Hub(configs.load(server.url)).pages("environments/", limit=20)) == [{"n": 1}]
    assert server.requests[0][1] == "Bearer hub_secret"
    assert server.requests[1] == ("GET /api/v1/environments/?cursor=x", None)
