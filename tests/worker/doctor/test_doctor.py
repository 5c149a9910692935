"""`hub-runner doctor` checks each precondition and prints a remedy for those that fail."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from envyard_runner.config import Config
from envyard_runner.doctor import command
from envyard_runner.doctor.check import Check
from envyard_runner.doctor.command import examine_environment, main
from envyard_runner.doctor.machine import examine_machine, require_sandbox
from envyard_runner.open_files import NEEDED
from envyard_runner.sandbox import SandboxError
from envyard_runner.sandbox.uids import LAST
from tests import layers

pytestmark = pytest.mark.sandbox
TOKEN = "hub_runner"


class HubStub(BaseHTTPRequestHandler):
    """A hub's health page and its answer to a runner's token."""

    def do_GET(self) -> None:
        """200 for /healthz, and for whoami with the right token."""
        known = self.headers.get("Authorization") == f"Bearer {TOKEN}"
        good = self.path == "/healthz" or known
        refusal = {"error": {"code": "token.invalid", "message": "no"}}
        self.send_response(200 if good else 401)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps({"runner": "gpu-1"} if good else refusal).encode())

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
        """Keep quiet."""


@pytest.fixture
def config() -> Iterator[Config]:
    """A healthy runner beside a healthy hub."""
    home = Path(tempfile.mkdtemp(prefix="envyard-doctor-", dir="/var/tmp"))
    home.chmod(0o755)
    server = ThreadingHTTPServer(("127.0.0.1", 0), HubStub)
    thread = threading.Thread(target=partial(server.serve_forever, 0.05))
    thread.start()
    yield Config.from_environment(
        {
            **os.environ,
            "RUNNER_HOME": str(home),
            "HUB_URL": f"http://127.0.0.1:{server.server_port}",
            "HUB_RUNNER_TOKEN": TOKEN,
        }
    )
    server.shutdown()
    server.server_close()
    thread.join()
    shutil.rmtree(home)


def examine(config: Config) -> dict[str, Check]:
    return {check.name: check for check in asyncio.run(command.examine(config, environment=False))}


def test_a_healthy_machine_passes_every_check(config: Config) -> None:
    checks = examine(config)
    assert [check for check in checks.values() if not check.ok] == []
    assert "memory and processes held by" in checks["limits"].detail
    assert "gpu-1" in checks["token"].detail
    asyncio.run(require_sandbox(config))


def test_a_missing_bubblewrap_is_named_and_no_run_is_taken(config: Config) -> None:
    broken = replace(config, bwrap=Path("/nowhere/bwrap"))
    failed = {name: check.detail for name, check in examine(broken).items() if not check.ok}
    assert set(failed) == {"bubblewrap", "sandbox"}
    assert "apt-get install bubblewrap" in failed["bubblewrap"]
    with pytest.raises(SandboxError, match="apt-get install bubblewrap"):
        asyncio.run(require_sandbox(broken))


def test_a_bubblewrap_that_is_too_old_fails_the_check(config: Config) -> None:
    old = config.home / "old-bwrap"
    old.write_text("#!/bin/sh\necho bubblewrap 0.6.1\n", encoding="utf-8")
    old.chmod(0o755)
    check = examine(replace(config, bwrap=old))["bubblewrap"]
    assert not check.ok
    assert "bubblewrap 0.6.1" in check.detail
    assert "too old, 0.8 or newer is needed" in check.detail


def test_a_configured_cgroup_that_cannot_be_used_fails_the_check_and_no_run_is_taken(
    config: Config,
) -> None:
    wrong = replace(config, cgroup=Path("/nowhere"))
    check = examine(wrong)["limits"]
    assert not check.ok
    assert check.detail.startswith("RUNNER_CGROUP: /nowhere is no cgroup v2 folder")
    with pytest.raises(SandboxError, match="RUNNER_CGROUP"):
        asyncio.run(require_sandbox(wrong))


@pytest.mark.parametrize(
    ("limit", "name", "count"),
    [
        ("--nofile", "NOFILE", 200),
        ("--nofile", "NOFILE", NEEDED - 1),
        ("--nproc", "NPROC", 200),
    ],
)
def test_too_low_limits_of_the_runner_are_named(
    config: Config, limit: str, name: str, count: int
) -> None:
    limits = limits_check(config, f"{limit}={count}:{count}")
    assert not limits["ok"]
    assert f"RLIMIT_{name} is {count}" in limits["detail"]


def test_a_low_soft_limit_of_open_files_is_raised_where_the_hard_one_admits_it(
    config: Config,
) -> None:
    limits = limits_check(config, f"--nofile=200:{NEEDED}")
    assert limits["ok"], limits["detail"]


def limits_check(config: Config, limit: str) -> dict[str, Any]:
    """The check of limits by a doctor that has this limit, an option of prlimit."""
    runner = [sys.executable, "-m", "envyard_runner", "doctor", "--json", "--quick"]
    done = subprocess.run(
        ["prlimit", limit, *runner],
        env={**os.environ, "RUNNER_HOME": str(config.home), "HUB_URL": config.hub_url},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    checks = {check["name"]: check for check in json.loads(done.stdout)}
    limits: dict[str, Any] = checks["limits"]
    return limits


def test_a_bubblewrap_that_contains_nothing_is_found_out(config: Config) -> None:
    fake = config.home / "bwrap"
    fake.write_text(FAKE, encoding="utf-8")
    fake.chmod(0o755)
    check = examine(replace(config, bwrap=fake))["sandbox"]
    assert not check.ok
    assert "the sandbox leaks" in check.detail
    assert "saw the host's files" in check.detail
    assert "saw other processes" in check.detail


def test_a_home_that_cannot_be_written_is_reported_without_a_traceback(config: Config) -> None:
    """As another user; every other check passes."""
    if os.geteuid() != 0:
        pytest.skip("only root can change to another uid")
    results = config.home / "results"
    results.touch()
    results.chmod(0o666)
    asyncio.run(examine_machine(config))  # what is imported late is brought near
    if (child := os.fork()) == 0:
        try:
            os.setgroups([])
            os.setresuid(LAST + 1, LAST + 1, LAST + 1)
            checks = asyncio.run(examine_machine(replace(config, home=Path("/usr/runner"))))
            results.write_text("\n".join(f"{c.name}: {c.detail}" for c in checks if not c.ok))
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    lines = results.read_text().splitlines()
    assert [line.partition(":")[0] for line in lines] == ["home", "sandbox"]
    assert all("cannot be written" in line and "set RUNNER_HOME" in line for line in lines)


def test_a_home_that_runs_cannot_reach_fails_the_check(config: Config, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root changes to uids that need to reach it")
    tmp_path.chmod(0o700)
    check = examine(replace(config, home=tmp_path / "home"))["home"]
    assert not check.ok
    assert "RUNNER_HOME" in check.detail


def test_a_full_disk_is_reported_and_does_not_prevent_the_start(config: Config) -> None:
    full = replace(config, free_bytes=1 << 60)
    check = examine(full)["disk"]
    assert not check.ok
    assert "no run is taken" in check.detail
    asyncio.run(require_sandbox(full))


def test_a_refused_token_fails_the_check(config: Config) -> None:
    check = examine(replace(config, token="hub_wrong"))["token"]
    assert not check.ok
    assert "make another runner token" in check.detail


def test_no_token_is_a_failure(config: Config) -> None:
    check = examine(replace(config, token=None))["token"]
    assert not check.ok
    assert "HUB_RUNNER_TOKEN_FILE" in check.detail


def test_an_unreachable_broker_is_reported_without_its_password(config: Config) -> None:
    away = replace(config, broker_url="amqp://runner:geheim@127.0.0.1:9/hub")
    check = examine(away)["broker"]
    assert not check.ok
    assert "amqp://runner:**@127.0.0.1:9/hub refuses the connection" in check.detail


def test_an_unreachable_hub_fails_the_check(config: Config) -> None:
    check = examine(replace(config, hub_url="http://127.0.0.1:9", token=None))["hub"]
    assert not check.ok
    assert "set HUB_URL" in check.detail


def test_a_bad_setting_fails_the_command_with_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RUNNER_MEMORY_MB", "lots")
    assert main([]) == 1
    assert capsys.readouterr().out.startswith("FAIL  settings      RUNNER_MEMORY_MB=lots must be")
    assert main(["--json"]) == 1
    assert json.loads(capsys.readouterr().out)[0]["name"] == "settings"


def results(checks: list[Check]) -> dict[str, tuple[bool, str]]:
    return {check.name: (check.ok, check.detail) for check in checks}


@pytest.mark.adapter
@pytest.mark.flow
@pytest.mark.timeout(600)
def test_a_known_good_environment_is_played_without_any_hub(config: Config) -> None:
    layers.link_into(config.home)
    alone = replace(config, hub_url="http://127.0.0.1:9", token=None)
    first = results(asyncio.run(examine_environment(alone)))
    assert {name: ok for name, (ok, _) in first.items()} == {
        "dependencies": True,
        "environment": True,
    }
    if os.geteuid() == 0:
        again = _examined_with_a_broken_null_device(alone)
        kept = "those of the known-good environment were kept from before"
        assert again["dependencies"] == (True, kept)
        ok, detail = again["environment"]
        assert not ok
        assert "before the environment's code began to load" in detail
        assert "/dev/null" in detail
    away = {"UV_DEFAULT_INDEX": "http://127.0.0.1:9/simple", "UV_HTTP_RETRIES": "0"}
    ok, detail = results(asyncio.run(examine_environment(replace(alone, index_environment=away))))[
        "dependencies"
    ]
    assert not ok
    assert "cannot be installed from the package index: run.install_failed" in detail
    assert "UV_DEFAULT_INDEX" in detail


def _examined_with_a_broken_null_device(config: Config) -> dict[str, tuple[bool, str]]:
    """What the command finds in a mount namespace of its own."""
    null = config.home / "null"
    null.touch(mode=0o644)
    command = f"{sys.executable} -m envyard_runner doctor --json"
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", f"mount --bind {null} /dev/null && exec {command}"],
        env={**os.environ, "RUNNER_HOME": str(config.home), "HUB_URL": config.hub_url},
        stdin=subprocess.PIPE,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    return {load["name"]: (load["ok"], load["detail"]) for load in json.loads(done.stdout)}


# Has the protocol of bubblewrap and the launcher, but unshares nothing.
FAKE = """#!/usr/bin/python3
import json, os, socket, sys
if "--version" in sys.argv:
    sys.exit(print("bubblewrap 0.8.0"))
split = sys.argv.index("--")
options, launcher = sys.argv[:split], sys.argv[split + 1:]
said = json.dumps({"child-pid": os.getpid()})
os.write(int(options[options.index("--info-fd") + 1]), said.encode())
control = socket.socket(fileno=int(launcher[5]))
doors = [socket.create_server(("127.0.0.1", 0)) for _ in launcher[9].split(",")]
socket.send_fds(control, [b"L"], [door.fileno() for door in doors])
control.recv(1)
program = launcher[launcher.index("--") + 1:]
os.execve("/usr/bin/python3", program, {})
"""
