"""Whole evaluations with a real vLLM: through Celery, the sandbox and the gateway."""

from __future__ import annotations

import os
import re
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.flows.hub import ROOT, Hub
from tests.vllm.conftest import ATTEMPTS, NAME, TASKS, Server

pytestmark = [pytest.mark.vllm, pytest.mark.sandbox, pytest.mark.timeout(1800)]

ROLLOUTS = TASKS * ATTEMPTS


def model_rollouts(hub: Hub, run: Any) -> list[Any]:
    return list(hub.get(f"runs/{run['id']}/rollouts/?policy=model&limit=100")["results"])


@pytest.mark.parametrize(
    "name", ["reverse-text", pytest.param("calculator-tools", marks=pytest.mark.extended)]
)
def test_an_example_is_evaluated_by_the_model(hub: Hub, name: str) -> None:
    hub.run("push", ROOT / "examples" / name, "--no-wait")
    detail = hub.decided(f"alice/{name}==0.1.0", seconds=900)
    run = hub.get(f"runs/{detail['run']['id']}/")
    assert (run["status"], run["model"], run["attempt"]) == ("succeeded", NAME, 1)
    rollouts = model_rollouts(hub, run)
    assert len(rollouts) == ROLLOUTS
    assert all(rollout["ok"] and rollout["usage"]["completion_tokens"] > 0 for rollout in rollouts)
    assert all(0.0 <= rollout["reward"] <= 1.0 for rollout in rollouts)
    assert f"concurrent calls to {NAME}" in hub.get(f"runs/{run['id']}/log/")["text"]


@pytest.mark.parametrize("how", ["hung", "killed"])
@pytest.mark.extended
def test_a_server_that_fails_mid_run_costs_an_attempt_and_blames_nobody(
    hub: Hub, server: Server, tmp_path: Path, how: str
) -> None:
    folder = shutil.copytree(ROOT / "examples" / "reverse-text", tmp_path / "reverse-text")
    project = folder / "pyproject.toml"
    version = {"hung": "0.2.0", "killed": "0.3.0"}[how]
    project.write_text(project.read_text().replace('version = "0.1.0"', f'version = "{version}"'))
    served = server.state
    assert served is not None
    (engine,) = server.processes("EngineCore")

    hub.run("push", folder, "--no-wait")
    ref = f"alice/reverse-text=={version}"
    run = hub.wait(lambda: running(hub, ref), "the run to be running", 300)
    os.kill(engine, signal.SIGSTOP)
    if how == "killed":
        os.kill(served.leader, signal.SIGKILL)
    again = hub.wait(lambda: second(hub, run), "the next attempt", 300)
    assert again["status"] not in ("failed", "succeeded")
    log = hub.get(f"runs/{run['id']}/log/")["text"]
    assert re.search(r"attempt 1 on \S+ ended: ", log)
    assert "the model server" in log
    if how == "hung":
        os.kill(engine, signal.SIGCONT)

    detail = hub.decided(ref, seconds=900)
    run = hub.get(f"runs/{run['id']}/")
    assert run["status"] == "succeeded"
    # A machine that takes more than five minutes to start vLLM again spends another attempt.
    assert run["attempt"] in (2, 3)
    assert len(model_rollouts(hub, run)) == ROLLOUTS
    assert not [finding for finding in detail["findings"] if finding["code"].startswith("run.")]
    now = server.state
    assert now is not None
    assert now.restarts == served.restarts + (how == "killed")
    if how == "killed":
        assert "vllm ended with SIGKILL" in server.log.read_text()
        assert "starting it again in 1 s" in server.log.read_text()


def running(hub: Hub, ref: str) -> Any:
    """The version's run, once its rollouts are under way."""
    run = hub.version(ref)["run"]
    return run if run and run["status"] == "running" else None


def second(hub: Hub, run: Any) -> Any:
    current_run = hub.get(f"runs/{run['id']}/")
    return current_run if current_run["attempt"] > 1 else None
