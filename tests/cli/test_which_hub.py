"""Which hub a command uses, and that it shows where the address is from."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import envyard
from envyard.__main__ import main
from tests.cli.conftest import Answers


def hub(package: Path, *words: str, **environ: str) -> str:
    """The output of that copy of the command, in an environment of these variables alone."""
    done = subprocess.run(
        [sys.executable, "-m", "envyard", *words],
        cwd=package,
        env={"PYTHONPATH": str(package), "HOME": str(package), **environ},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A copy of the command as a hub at https://served.example serves it."""
    shutil.copytree(Path(envyard.__file__).parent, tmp_path / "site/envyard")
    (tmp_path / "site/envyard/installed_hub.txt").write_text("https://served.example\n")
    return tmp_path / "site"


@pytest.mark.slow
def test_flag_environment_login_installed_hub_and_built_in_default_in_this_order(
    installed: Path,
) -> None:
    assert "https://served.example (the hub that" in hub(installed, "--version")
    saved = installed / ".config/envyard/config.json"
    saved.parent.mkdir(parents=True)
    saved.write_text(json.dumps({"url": "https://saved.example"}))
    assert "https://saved.example (saved by hub login)" in hub(installed, "--version")
    shown = hub(installed, "--version", HUB_URL="https://set.example/")
    assert "https://set.example (from HUB_URL)" in shown
    saved.unlink()
    (installed / "envyard/installed_hub.txt").unlink()
    assert "http://127.0.0.1:8000 (the built-in default)" in hub(installed, "--version")


def test_version_is_shown_beside_a_config_that_cannot_be_read(installed: Path) -> None:
    saved = installed / ".config/envyard/config.json"
    saved.parent.mkdir(parents=True)
    saved.write_text("{")
    first, second = hub(installed, "--version").splitlines()
    assert first == f"hub {envyard.__version__}"
    assert "config.json" in second


def test_whoami_shows_where_the_address_is_from(
    server: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    me = {"user": "alice", "owners": [], "publish_refusal": None, "token": None}
    server.reply("GET /api/v1/whoami/", 200, me)
    assert main(["whoami", "--url", server.url]) == 0
    assert f"on {server.url} (from --url)" in capsys.readouterr().err
    assert main(["whoami", "--json", "--url", server.url]) == 0
    assert json.loads(capsys.readouterr().out)["url_source"] == "flag"
