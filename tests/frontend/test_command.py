"""The `hub` and `hub-runner` commands as the hub hands them out."""

import base64
import hashlib
import io
import os
import re
import shlex
import subprocess
import sys
import zipfile
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pytest_django.live_server_helper import LiveServer
from uv import find_uv_bin

from envyard.contract.checks import run_all
from frontend.command import COMMAND, RUNNER, pack, packed
from tests.frontend.people import text

pytestmark = pytest.mark.once

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
    (line,) = re.findall(rf"<code>{tool} ([^<]* \"envyard @ [^<]*\")</code>", page)
    words = shlex.split(line)
    bin_ = tmp_path / "bin"
    if tool == "uv":
        run(UV, *words, UV_TOOL_DIR=tmp_path / "tools", UV_TOOL_BIN_DIR=bin_)
    else:
        run(UV, "venv", "-q", "--seed", "--python", sys.executable, tmp_path / "venv")
        bin_ = tmp_path / "venv/bin"
        run(bin_ / "pip", *words)
    assert run(bin_ / "hub", "--version").startswith("hub ")
    assert f"hub in use: {live_server.url} (" in run(
        bin_ / "hub", "--version", XDG_CONFIG_HOME=tmp_path
    )
    assert run(bin_ / "hub", "search", "--json", XDG_CONFIG_HOME=tmp_path).strip() == "[]"
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
    (line,) = re.findall(r"<code>uv venv \S+ && uv (pip install [^<]*envyard[^<]*)</code>", page)
    run(UV, "venv", "-q", "--python", sys.executable, tmp_path / "venv")
    words = shlex.split(line.replace("/opt/envyard-runner", str(tmp_path / "venv")))
    run(UV, *words)
    assert run(tmp_path / "venv/bin/hub-runner", "--version").startswith("hub-runner ")
    inside = "import pathlib, envyard_runner as e; print(pathlib.Path(e.__file__).parent)"
    installed = Path(run(tmp_path / "venv/bin/python", "-c", inside).strip())
    assert (installed / "guest/env_worker.py").exists()


@pytest.mark.parametrize("package", [COMMAND, RUNNER])
def test_its_bytes_are_named_and_sent_once(client: Client, package: str) -> None:
    wheel = packed(package)
    address = f"/publish/{wheel.filename}"
    first = client.get(address)
    assert first.content == wheel.data
    assert first["ETag"] == f'"{wheel.sha256}"'
    assert client.get(address, headers={"If-None-Match": first["ETag"]}).status_code == 304
    assert client.get(f"/publish/{package}-9.9-py3-none-any.whl").status_code == 404
    assert pack.__wrapped__(package, "http://a") == pack.__wrapped__(package, "http://a")


def test_the_wheel_holds_the_hubs_public_address_in_its_record(settings: Any) -> None:
    settings.HUB_URL = "https://hub.example.org"
    first = packed()
    with zipfile.ZipFile(io.BytesIO(first.data)) as archive:
        assert archive.read("envyard/installed_hub.txt") == b"https://hub.example.org\n"
        record = archive.read(next(n for n in archive.namelist() if n.endswith("RECORD"))).decode()
    rows = dict(row.split(",")[:2] for row in record.splitlines())
    expected = hashlib.sha256(b"https://hub.example.org\n").digest()
    assert rows["envyard/installed_hub.txt"] == (
        "sha256=" + base64.urlsafe_b64encode(expected).rstrip(b"=").decode()
    )
    findings = run_all(io.BytesIO(first.data), filename=first.filename)
    assert [finding.code for finding in findings] == ["wheel.script_takes_command"]  # its own
    settings.HUB_URL = "https://moved.example.org"
    assert packed().sha256 != first.sha256
    assert b"moved.example.org" not in packed(RUNNER).data


def test_a_hub_hands_out_the_commands_as_they_were_when_it_began(tmp_path: Path) -> None:
    """Or two of its processes hand out two, whose hashes differ."""
    script = "import hub.wsgi, frontend.command as c; print(c.pack.cache_info().currsize)"
    assert run(sys.executable, "-c", script, HUB_HOME=tmp_path).split() == ["2"]
