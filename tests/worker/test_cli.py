"""The hub-runner command refuses with a reason, before it leases a run."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.worker.stub_hub import TOKEN

pytestmark = pytest.mark.slow


def hub_runner(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.run(
        [sys.executable, "-m", "envyard_runner", *arguments],
        env=kept | environment,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_version_option_prints_the_version() -> None:
    done = hub_runner("--version")
    assert (done.returncode, done.stdout) == (0, "hub-runner 0.1.0\n")


@pytest.mark.parametrize("arguments", [(), ("fly",), ("start", "--fast"), ("run-once", "x")])
def test_wrong_usage_is_exit_code_2(arguments: tuple[str, ...]) -> None:
    done = hub_runner(*arguments)
    assert done.returncode == 2
    assert "usage: hub-runner" in done.stderr


def test_without_a_token_it_does_not_start() -> None:
    done = hub_runner("start", "--poll")
    assert done.returncode == 1
    assert "neither HUB_RUNNER_TOKEN_FILE nor HUB_RUNNER_TOKEN is set" in done.stderr


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("broker", "message"),
    [
        ({}, "HUB_BROKER_URL is not set, and no hub on this machine"),
        ({"HUB_BROKER_URL": "carrier-pigeon://loft"}, "begins with carrier-pigeon:"),
    ],
)
def test_without_a_usable_broker_it_does_not_wait_for_ever(
    broker: dict[str, str], message: str
) -> None:
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        Path(folder).chmod(0o755)
        done = hub_runner(
            "start",
            HUB_RUNNER_TOKEN=TOKEN,
            HUB_HOME=folder,
            RUNNER_HOME=f"{folder}/runner",
            HUB_URL="http://127.0.0.1:9",
            **broker,
        )
    assert done.returncode == 1
    assert message in done.stderr
    assert "give --poll" in done.stderr


def test_a_bad_setting_is_named() -> None:
    done = hub_runner("run-once", HUB_URL="hub.example")
    assert done.returncode == 1
    assert "HUB_URL=hub.example must start with http" in done.stderr


def test_a_machine_without_a_sandbox_is_refused_before_any_run(tmp_path: Path) -> None:
    """HUB_URL has no listener: a runner that polled for a run would fail with that instead."""
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    done = hub_runner(
        "run-once",
        HUB_RUNNER_TOKEN=TOKEN,
        RUNNER_BWRAP=str(broken),
        RUNNER_HOME=str(tmp_path / "home"),
        HUB_URL="http://127.0.0.1:18419",
    )
    assert done.returncode == 1
    assert "hub-runner does not start: bubblewrap:" in done.stderr
    assert "hub-runner doctor" in done.stderr
