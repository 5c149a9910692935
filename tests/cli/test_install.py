"""Which version `hub install` takes."""

from typing import Any

import pytest

from envyard.__main__ import main
from envyard.commands.install import framework_release
from tests.cli.conftest import Answers


def serve_version(server: Answers, **state: Any) -> None:
    """Serve alice/demo-env==0.1.0 in that state, and nothing newer."""
    usual = {"ref": "alice/demo-env==0.1.0", "version": "0.1.0", "status": "listed"}
    version = usual | {"yanked": None, "quarantined": False} | state
    base = "GET /api/v1/environments/alice/demo-env/"
    server.reply(base, 200, {"latest_version": version})
    server.reply(f"{base}versions/0.1.0/", 200, version)


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"status": "rejected"}, "0.1.0, is rejected"),
        ({"status": "evaluating"}, "0.1.0, is evaluating"),
        ({"yanked": {"at": "2026-11-21T00:00:00Z", "reason": "wrong"}}, "0.1.0, is yanked"),
    ],
)
def test_install_requires_an_exact_pin_for_an_unlisted_version(
    server: Answers, capsys: pytest.CaptureFixture[str], state: dict[str, Any], message: str
) -> None:
    serve_version(server, **state)
    command = ["install", "--python", "/usr/bin/python3", "--url", server.url, "alice/demo-env"]
    assert main(command) == 1
    err = capsys.readouterr().err
    assert message in err
    assert "hub install alice/demo-env==0.1.0" in err


@pytest.mark.parametrize("pin", ["", "==0.1.0"])
def test_install_refuses_a_quarantined_version(
    server: Answers, capsys: pytest.CaptureFixture[str], pin: str
) -> None:
    serve_version(server, quarantined=True)
    ref = f"alice/demo-env{pin}"
    assert main(["install", "--python", "/usr/bin/python3", "--url", server.url, ref]) == 1
    assert "is quarantined" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("version", "release"),
    [
        ({"framework": "verifiers", "framework_version": "0.3.1"}, "verifiers==0.3.1"),
        ({"framework": "verifiers", "framework_version": ""}, ""),
        ({"framework": "verifiers", "framework_version": "1; rm -r /"}, ""),
        ({"framework": 3, "framework_version": "0.3.1"}, ""),
        ({}, ""),
    ],
)
def test_install_names_the_framework_release_of_the_last_run(
    version: dict[str, Any], release: str
) -> None:
    assert framework_release(version) == release
