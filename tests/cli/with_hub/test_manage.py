"""What owners do from the command line, against a real hub."""

import io
import json
from typing import Any

import pytest
from pytest_django.live_server_helper import LiveServer

from envyard.__main__ import main
from registry.accounts import tokens
from registry.models import Environment, Organisation, User, Version
from tests.factories import make_version

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def hub(
    live_server: LiveServer, alice: User, lab: Organisation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """alice/demo-env==0.1.0 on a hub where alice is signed in with an admin token."""
    make_version(alice)
    monkeypatch.setenv("HUB_URL", live_server.url)
    monkeypatch.setenv("HUB_TOKEN", tokens.mint(user=alice, name="cli", scope="admin")[1])


def stderr_of(capsys: pytest.CaptureFixture[str], *words: str, exit_code: int = 0) -> str:
    """The standard error of the command."""
    assert main(list(words)) == exit_code
    return capsys.readouterr().err


def json_of(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    """The JSON document of the command."""
    assert main([*words, "--json"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return json.loads(captured.out)


def test_yank_and_unyank_a_version(hub: None, capsys: pytest.CaptureFixture[str]) -> None:
    ref = "alice/Demo_Env==0.1.0"
    text = stderr_of(capsys, "yank", ref, "--reason", "wrong reward")
    assert "Yanked alice/demo-env==0.1.0: wrong reward" in text
    assert "hub unyank alice/demo-env==0.1.0" in text
    assert Version.objects.get().yanked_reason == "wrong reward"
    assert "cannot be yanked" in stderr_of(capsys, "yank", ref, "--reason", "again", exit_code=1)
    assert json_of(capsys, "unyank", ref)["yanked"] is None
    assert "names no version" in stderr_of(capsys, "unyank", "alice/demo-env", exit_code=2)


def test_star_and_unstar_an_environment(hub: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert "alice/demo-env has 1 star\n" in stderr_of(capsys, "star", "alice/demo-env")
    assert json_of(capsys, "star", "alice/demo-env") == {"starred": True, "stars": 1}
    assert "alice/demo-env has 0 stars\n" in stderr_of(capsys, "unstar", "alice/demo-env")


def test_deprecate_shows_reason_and_successor(
    hub: None, alice: User, capsys: pytest.CaptureFixture[str]
) -> None:
    make_version(alice, "better")
    words = ("--reason", "too easy", "--successor", "alice/better")
    text = stderr_of(capsys, "deprecate", "alice/demo-env", *words)
    assert "Deprecated alice/demo-env: too easy; use alice/better" in text
    assert main(["info", "alice/demo-env"]) == 0
    assert "too easy; use alice/better" in capsys.readouterr().out
    assert json_of(capsys, "undeprecate", "alice/demo-env")["deprecated"] is None


def test_transfer_redirects_the_old_name(hub: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert "alice/demo-env is lab/demo-env now" in stderr_of(
        capsys, "transfer", "alice/demo-env", "lab"
    )
    assert json_of(capsys, "info", "alice/demo-env")["ref"] == "lab/demo-env==0.1.0"
    text = stderr_of(capsys, "star", "alice/demo-env", exit_code=1)
    assert "alice/demo-env moved to lab/demo-env" in text


def test_visibility_changes_an_environment(hub: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert "is private" in stderr_of(capsys, "visibility", "alice/demo-env", "private")
    assert json_of(capsys, "visibility", "alice/demo-env", "public")["visibility"] == "public"


def test_delete_requires_the_name_twice(hub: None, capsys: pytest.CaptureFixture[str]) -> None:
    for words in ((), ("--yes", "alice/demo")):
        text = stderr_of(capsys, "delete", "alice/demo-env", *words, exit_code=2)
        assert "Deletion is permanent: add --yes alice/demo-env" in text
    assert Environment.objects.get().deleted_at is None
    version = "alice/demo-env==0.1.0"
    assert json_of(capsys, "delete", version, "--yes", version) == {"deleted": version}
    assert Version.objects.get().deleted_at is not None
    stderr_of(capsys, "delete", "alice/Demo_Env", "--yes", "alice/Demo_Env")
    assert Environment.objects.get().deleted_at is not None


def test_delete_prompts_for_the_name_at_a_terminal(
    hub: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for typed, exit_code in (("yes\n", 2), ("alice/demo-env\n", 0)):
        monkeypatch.setattr("sys.stdin", Terminal(typed))
        text = stderr_of(capsys, "delete", "alice/demo-env", exit_code=exit_code)
        assert "Type alice/demo-env to confirm:" in text
    assert Environment.objects.get().deleted_at is not None


def test_a_token_with_too_small_a_scope_gets_a_hint(
    hub: None, alice: User, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HUB_TOKEN", tokens.mint(user=alice, name="t", scope="publish")[1])
    text = stderr_of(capsys, "transfer", "alice/demo-env", "lab", exit_code=1)
    assert "Make a token of scope admin" in text
