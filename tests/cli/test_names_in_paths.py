"""Names on the command line reach the resource that they name, and no other."""

from __future__ import annotations

import io
from urllib.parse import unquote

import pytest

from envyard.__main__ import main
from tests.cli.conftest import Answers

ENV = "alice/demo-env"
COMMANDS = [
    ["host", "remove", ENV],
    ["variable", "delete", ENV],
    ["variable", "set", ENV],
    ["secret", "delete", ENV],
    ["secret", "set", ENV],
    ["token", "revoke"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_name_leads_to_a_folder_above(
    server: Answers,
    command: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """HTTP clients resolve `..`: `DELETE .../hosts/../` would delete the environment."""
    monkeypatch.setenv("HUB_URL", server.url)
    options = {"variable set": ["v"], "secret set": ["--host", "a.org"]}
    for name in ("..", ".", "%2e%2e", "%2E.", "a/../..", "../../..", "..\\..", "..?x", "..#x"):
        monkeypatch.setattr("sys.stdin", io.StringIO("a-secret-value"))
        assert main([*command, name, *options.get(" ".join(command[:2]), [])]) in (1, 2)
    wanted = "tokens" if command[0] == "token" else f"{command[0]}s"
    for request, _ in server.requests:
        below = unquote(request.partition(f"/{wanted}/")[2])
        assert below.rstrip("/"), request
    assert "is no name" in capsys.readouterr().err
