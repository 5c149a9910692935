"""Two models on two machines: each run goes to the runner that has its model ready."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from envyard_runner.model import state
from tests.flows.hub import ROOT, Hub, clean_environ
from tests.vllm.conftest import ATTEMPTS, EXAMPLES, NAME

pytestmark = [pytest.mark.vllm, pytest.mark.sandbox, pytest.mark.timeout(1800)]

OTHER = "stub"
# As when a hub's staff names another model: later evaluations use that one.
QUEUE = """
import json
from django.db import transaction
from django.test import override_settings
from registry import pipeline
from registry.models import Version
asked = []
for name, model in {pairs!r}:
    with transaction.atomic(), override_settings(HUB_MODEL=model):
        versions = Version.objects.filter(environment__name=name, version="0.1.0")
        versions.update(status="evaluating")
        asked.append(str(pipeline.evaluate(versions.get()).pk))
print(json.dumps(asked))
"""


@pytest.fixture(scope="module")
def second(hub: Hub, home: Path) -> Iterator[None]:
    """Another machine: `hub-runner model` with a stub in vLLM's place, and a runner beside it."""
    own = home / "second"
    own.mkdir(mode=0o711)
    program = own / "vllm"
    program.write_text(
        f'#!/bin/sh\ncd {ROOT}\nexec {sys.executable} -m tests.worker.model.stub_vllm "$@"\n'
    )
    program.chmod(0o755)
    environ = clean_environ() | {
        "RUNNER_HOME": str(own),
        "RUNNER_VLLM": str(program),
        "STUB_ENGINE": str(own / "engine"),
        "HUB_URL": hub.url,
        "HUB_RUNNER_TOKEN": hub.manage("create_runner", "second").split()[-1],
        "HUB_BROKER_URL": f"filesystem://{hub.home / 'broker'}",
    }
    model = ("envyard_runner", "model", "--model", "org/stub", "--name", OTHER)
    with ExitStack() as stack:
        stack.enter_context(running(environ, own / "model.log", *model))
        stack.enter_context(running(environ, own / "runner.log", "tests.faults.runner", "start"))
        hub.wait(
            lambda: any(item.phase == "ready" for item in state.watched(own / "models")),
            "the second model",
        )
        yield


MODELS = [(NAME, OTHER), (OTHER, NAME)]


@contextmanager
def running(environ: dict[str, str], log: Path, *module: str) -> Iterator[None]:
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", *module], env=environ, cwd=ROOT, stdout=out, stderr=out
        )
    try:
        yield
    finally:
        process.terminate()
        process.wait(timeout=60)
        sys.stderr.write(log.read_text())


def queue_runs(hub: Hub, *models: str) -> list[str]:
    """A run of each example by the model in its place, all queued at once."""
    pairs = list(zip(EXAMPLES, models, strict=False))
    output = hub.manage("shell", "--no-imports", "-c", QUEUE.format(pairs=pairs))
    return list(json.loads(output.splitlines()[-1]))


def ended(hub: Hub, run: str) -> Any:
    def look() -> Any:
        current_run = hub.get(f"runs/{run}/")
        return current_run if current_run["status"] in ("succeeded", "failed", "errored") else None

    return hub.wait(look, f"run {run} to end", 600, pause=0.5)


@pytest.mark.parametrize("models", MODELS)
@pytest.mark.extended
def test_each_run_is_done_where_its_model_is(
    hub: Hub, examples: None, second: None, models: tuple[str, str]
) -> None:
    for run, model in zip(queue_runs(hub, *models), models, strict=True):
        ended_run = ended(hub, run)
        assert (ended_run["status"], ended_run["model"], ended_run["attempt"]) == (
            "succeeded",
            model,
            1,
        )
        assert (ended_run["runner"] == "second") is (model == OTHER)
        rollouts = hub.get(f"runs/{run}/rollouts/?policy=model&limit=100")["results"]
        assert len(rollouts) % ATTEMPTS == 0
        assert rollouts
        assert all(item["ok"] for item in rollouts)


@pytest.mark.extended
def test_a_run_by_a_model_without_a_runner_waits_with_a_reason(
    hub: Hub, examples: None, second: None
) -> None:
    waiting, other = queue_runs(hub, "absent", OTHER)
    assert ended(hub, other)["status"] == "succeeded"  # what can be done passes it by
    body = hub.get(f"runs/{waiting}/")
    assert (body["status"], body["queue"]["runners"]) == ("queued", 0)
