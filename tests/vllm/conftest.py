"""One vLLM on this machine's processors for all of these tests, as `hub-runner model` serves it.

`make test-vllm` installs it first. Where that failed these tests are skipped, or fail under CI.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from envyard_runner.model import session, state
from tests import layers
from tests.flows.hub import ROOT, Hub, clean_environ, serving
from tests.installed import folder
from tools.vllm.install import VLLM

NAME = "tiny"
EXAMPLES = ("reverse-text", "calculator-tools")
TASKS, ATTEMPTS = 4, 3
START_SECONDS = 900  # two busy cores; alone they need one minute
# Without white space: a model of random weights would fill JSON with it.
COMPACT = '{"backend": "xgrammar", "disable_any_whitespace": true}'
OPTIONS = ("--gpu-memory-utilization", "0.3", "--enforce-eager", "--dtype", "float32",
           "--enable-auto-tool-choice", "--tool-call-parser", "hermes",
           "--structured-outputs-config", COMPACT)  # fmt: skip


class Server:
    """The watched server, as runners detect it."""

    def __init__(self, models: Path, log: Path) -> None:
        self.models, self.log = models, log

    @property
    def state(self) -> state.State | None:
        """The state that its watcher has written."""
        return next(iter(state.watched(self.models)), None)

    def processes(self, word: str) -> list[int]:
        """Its live processes whose command line holds the word."""
        served = self.state
        assert served is not None
        pids = session.members(served.leader, served.started)
        return [pid for pid in pids if word in Path(f"/proc/{pid}/cmdline").read_text()]


@pytest.fixture(scope="session")
def home() -> Iterator[Path]:
    """A folder that the sandbox's users can reach."""
    with TemporaryDirectory(prefix="envyard-vllm-", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o711)
        yield Path(name)


@pytest.fixture(scope="session")
def server(home: Path) -> Iterator[Server]:
    """vLLM with the tiny model, started once."""
    installed = folder(VLLM)
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
    started = Server(home / "runner" / "models", log)
    try:
        began = time.monotonic()
        while not (started.state and started.state.phase == "ready"):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() - began < START_SECONDS, log.read_text()
            time.sleep(0.5)
        sys.stderr.write(f"vLLM was ready after {time.monotonic() - began:.0f} s\n")
        yield started
    finally:
        process.terminate()
        process.wait(timeout=60)
        sys.stderr.write(log.read_text())


@pytest.fixture(scope="session")
def hub(home: Path, server: Server) -> Iterator[Hub]:
    """A whole hub whose runner finds the model by itself; a rollout gets 60 s."""
    limits = {"HUB_ROLLOUT_SECONDS": "60", "HUB_RUN_SECONDS": "600"}
    smoke = {"HUB_SMOKE_TASKS": str(TASKS), "HUB_SMOKE_ATTEMPTS": str(ATTEMPTS)}
    policies = {"HUB_MODEL": NAME, "HUB_PROBES": "silent,oracle"} | smoke
    runner = server.models.parent
    layers.link_into(runner)
    with serving(home / "hub", "", RUNNER_HOME=str(runner), **limits, **policies) as hub:
        yield hub
    layers.keep(runner)


@pytest.fixture(scope="session")
def examples(hub: Hub) -> None:
    """Two of them, published and decided about."""
    for name in EXAMPLES:
        hub.run("push", ROOT / "examples" / name, "--no-wait")
    for name in EXAMPLES:
        hub.decided(f"alice/{name}==0.1.0", seconds=900)
