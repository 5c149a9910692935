"""One vLLM on this machine's processors for all of these tests, as `hub-runner model` serves it.

`make test-vllm` installs it first. Where that failed these tests are skipped, or fail under CI.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from envyard_runner.model import session, state
from tests.flows.hub import Hub, clean_environ, serving
from tools.vllm import install

NAME = "tiny"
START_SECONDS = 900  # two busy cores; alone they need one minute
OPTIONS = ("--gpu-memory-utilization", "0.3", "--enforce-eager", "--dtype", "float32",
           "--enable-auto-tool-choice", "--tool-call-parser", "hermes")  # fmt: skip


class Server:
    """The watched server, as runners find it."""

    def __init__(self, models: Path) -> None:
        self.models = models

    @property
    def state(self) -> state.State | None:
        """What its watcher says."""
        return next(iter(state.watched(self.models)), None)

    def processes(self, word: str) -> list[int]:
        """Its live processes whose command line holds the word."""
        served = self.state
        assert served is not None
        found = session.members(served.leader, served.started)
        return [pid for pid in found if word in Path(f"/proc/{pid}/cmdline").read_text()]


@pytest.fixture(scope="session")
def home() -> Iterator[Path]:
    """A folder that the sandbox's users can reach."""
    with TemporaryDirectory(prefix="envyard-vllm-", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o711)
        yield Path(name)


@pytest.fixture(scope="session")
def server(home: Path) -> Iterator[Server]:
    """vLLM with the tiny model, started once."""
    installed = install.folder()
    if why := install.missing(installed):
        (pytest.fail if os.environ.get("CI") else pytest.skip)(why)
    environ = clean_environ() | {
        "RUNNER_HOME": str(home / "runner"),
        "RUNNER_VLLM": str(installed / "venv" / "bin" / "vllm"),
        "VLLM_CPU_KVCACHE_SPACE": "1",
        "HF_HUB_OFFLINE": "1",
    }
    log = home / "model.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "envyard_runner", "model", "--model", installed / NAME,
             "--", *OPTIONS],
            env=environ, stdout=out, stderr=out,
        )  # fmt: skip
    found = Server(home / "runner" / "models")
    try:
        began = time.monotonic()
        while not (found.state and found.state.phase == "ready"):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() - began < START_SECONDS, log.read_text()
            time.sleep(0.5)
        sys.stderr.write(f"vLLM was ready after {time.monotonic() - began:.0f} s\n")
        yield found
    finally:
        process.terminate()
        process.wait(timeout=60)
        sys.stderr.write(log.read_text())


@pytest.fixture(scope="session")
def hub(home: Path, server: Server) -> Iterator[Hub]:
    """A whole hub whose runner finds the model by itself; a rollout gets 30 s."""
    limits = {"HUB_ROLLOUT_SECONDS": "30", "HUB_RUN_SECONDS": "300", "HUB_SMOKE_TASKS": "3"}
    policies = {"HUB_MODEL": NAME, "HUB_PROBES": "silent,oracle", "HUB_SMOKE_ATTEMPTS": "4"}
    with serving(
        home / "hub", "", RUNNER_HOME=str(server.models.parent), **limits, **policies
    ) as hub:
        yield hub
