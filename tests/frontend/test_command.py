"""The `hub` and `hub-runner` commands as the hub hands them out."""

import os
import re
import shlex
import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pytest_django.live_server_helper import LiveServer
from uv import find_uv_bin

from frontend.command import COMMAND, RUNNER, packed
from tests.frontend.people import text

UV = find_uv_bin()


def run(*words: str | Path, **environ: str | Path) -> str:
    done = subprocess.run(
        [str(word) for word in words],
        env=os.environ | {name: str(value) for name, value in environ.items()},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.flow
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("tool", ["uv", "pip"])
def test_stock_installers_take_it_by_address_and_hash(
    tool: str, client: Client, live_server: LiveServer, settings: Any, tmp_path: Path
) -> None:
    settings.HUB_URL = live_server.url
    page = unescape(text(client, "/publish/"))
    (line,) = re.findall(rf"<code>{tool} (.* \"envyard @ .*\")</code>", page)
    words = shlex.split(line)
    bin_ = tmp_path / "bin"
    if tool == "uv":
        run(UV, *words, UV_TOOL_DIR=tmp_path / "tools", UV_TOOL_BIN_DIR=bin_)
    else:
        run(UV, "venv", "-q", "--seed", "--python", sys.executable, tmp_path / "venv")
        bin_ = tmp_path / "venv/bin"
        run(bin_ / "pip", *words)
    assert run(bin_ / "hub", "--version").startswith("hub ")
    run(bin_ / "hub", "init", "my-env", "--path", tmp_path / "my-env")
    assert (tmp_path / "my-env/my_env/taskset.py").exists()


@pytest.mark.flow
@pytest.mark.django_db(transaction=True)
def test_a_bare_machine_gets_its_runner_from_the_page(
    client: Client, live_server: LiveServer, settings: Any, tmp_path: Path
) -> None:
    """No index has `envyard`, which the runner needs: both come from the hub."""
    settings.HUB_URL = live_server.url
    page = unescape(text(client, "/runner/"))
    (line,) = re.findall(r"<code>uv venv \S+ && uv (pip install .*envyard.*)</code>", page)
    run(UV, "venv", "-q", "--python", sys.executable, tmp_path / "venv")
    words = shlex.split(line.replace("/opt/envyard-runner", str(tmp_path / "venv")))
    run(UV, *words)
    assert run(tmp_path / "venv/bin/hub-runner", "--version").startswith("hub-runner ")
    inside = "import pathlib, envyard_runner as e; print(pathlib.Path(e.__file__).parent)"
    installed = Path(run(tmp_path / "venv/bin/python", "-c", inside).strip())
    assert (installed / "inside/supervise.py").exists()


@pytest.mark.parametrize("package", [COMMAND, RUNNER])
def test_its_bytes_are_named_and_sent_once(client: Client, package: str) -> None:
    wheel = packed(package)
    address = f"/publish/{wheel.filename}"
    first = client.get(address)
    assert first.content == wheel.data
    assert first["ETag"] == f'"{wheel.sha256}"'
    assert client.get(address, headers={"If-None-Match": first["ETag"]}).status_code == 304
    assert client.get(f"/publish/{package}-9.9-py3-none-any.whl").status_code == 404
    assert packed.__wrapped__(package) == packed.__wrapped__(package)


@pytest.mark.once
def test_a_hub_hands_out_the_commands_as_they_were_when_it_began(tmp_path: Path) -> None:
    """Or two of its processes hand out two, whose hashes differ."""
    asked = "import hub.wsgi, frontend.command as c; print(c.packed.cache_info().currsize)"
    assert run(sys.executable, "-c", asked, HUB_HOME=tmp_path).split() == ["2"]
