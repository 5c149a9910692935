"""Mistyped commands, `hub help`, `hub completion` and `hub open`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from envyard.__main__ import main
from tests.cli.conftest import Answers

DETAIL = {"latest_version": {"url": "https://hub.example/envs/alice/demo/1.0/"}}


def failing(*argv: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(argv)
    assert isinstance(ended.value.code, int)
    return ended.value.code


@pytest.mark.parametrize(
    ("argv", "message", "hint"),
    [
        (["pus"], "`hub` has no command 'pus'", "Did you mean `hub push`?"),
        (["token", "lst"], "`hub token` has no command 'lst'", "Did you mean `hub token list`?"),
        (["xyzzy"], "`hub` has no command 'xyzzy'", "Its commands: hub --help"),
        (["search", "--sort", "star"], "--sort: 'star' is not one of", "Did you mean stars?"),
    ],
)
def test_a_mistyped_command_is_answered_with_a_similar_one(
    argv: list[str], message: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert failing(*argv) == 2
    printed = capsys.readouterr().err
    assert message in printed
    assert f"hint: {hint}" in printed


def test_help_explains_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert failing("help", "token", "create") == 0
    assert capsys.readouterr().out.startswith("usage: hub token create")
    assert failing("help") == 0
    assert "completion" in capsys.readouterr().out
    assert failing("help", "pus") == 2


def test_completion_knows_commands_and_options(capsys: pytest.CaptureFixture[str]) -> None:
    for shell in ("bash", "zsh", "fish"):
        assert main(["completion", shell]) == 0
        script, where = capsys.readouterr()
        for word in ("leaderboard", "token", "no-wait"):
            assert word in script, shell
        assert f"hub completion {shell} >" in where


def test_bash_completes_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    main(["completion", "bash"])
    script = capsys.readouterr().out
    script += (
        "\nCOMP_WORDS=(hub le) COMP_CWORD=1; $(complete -p hub | sed 's/.*-F //; s/ .*//') hub"
    )
    script += "\nprintf '%s ' \"${COMPREPLY[@]}\""
    ran = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["leaderboard"]


def test_every_argument_has_a_help() -> None:
    from tests.cli.test_documented import commands

    for name, command in commands().items():
        for action in command._actions:
            assert action.help, f"hub {name} {action.dest}"


@pytest.mark.slow
def test_open_prints_the_page_and_opens_it(server: Answers, home: Path) -> None:
    browser, opened = home / "browser", home / "opened"
    browser.write_text(f'#!/bin/sh\necho "$1" >> {opened}\n')
    browser.chmod(0o755)
    environ = {**os.environ, "HUB_URL": server.url, "BROWSER": str(browser)}
    server.reply("GET /api/v1/environments/alice/demo/", 200, DETAIL)

    def printed(*argv: str) -> str:
        command = [sys.executable, "-m", "envyard", "open", *argv]
        return subprocess.run(
            command, env=environ, capture_output=True, text=True, check=True
        ).stdout.strip()

    page = f"{server.url}/envs/alice/demo/"
    assert printed("alice/demo", "--print") == page
    assert not opened.exists()
    assert printed("alice/demo") == page
    assert printed() == f"{server.url}/"
    assert opened.read_text().split() == [page, f"{server.url}/"]


def test_an_error_names_the_environment_and_not_the_address(
    server: Answers, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HUB_URL", server.url)
    error = {"code": "request.not_found", "message": "", "hint": "Check the name."}
    server.reply("GET /api/v1/environments/alice/nope/", 404, {"error": error})
    assert main(["info", "alice/nope"]) == 1
    assert capsys.readouterr().err.startswith("error: alice/nope: ")
