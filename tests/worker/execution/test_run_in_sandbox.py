"""One run from its job to its ending, in a real sandbox."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from envyard.contract.lock import Pin
from envyard_runner.config import Config
from envyard_runner.sandbox import Sandbox
from envyard_runner.venvs import Venv
from tests.worker.guest_program import with_program
from tests.worker.scripted_sandbox import SPEC, Outcome, perform_run
from tests.worker.stub_hub import contents

PROGRAM = """
import json, os, sys, urllib.request
print("loading", job["module"], flush=True)
if os.path.isdir("/venv/nltk_data"):
    print("nltk", os.listdir("/venv/nltk_data"), flush=True)
    print("own", os.stat("/venv/nltk_data/corpora").st_uid == os.getuid(), flush=True)
TASK = {"index": 0, "hash": "h", "prompt": "what?", "prompted": True, "reference": True}
TASK["answer"] = "42"
begin()
emit("loaded", seconds=0.1, tasks=[TASK])
def send(url, body, method):
    data = json.dumps(body).encode()
    request = urllib.request.Request(url, data, method=method)
    return json.load(urllib.request.urlopen(request))
for (one,) in requests():
    name = one["rollout"]
    base = job["gateway"] + "/rollouts/" + name
    messages = [{"role": "user", "content": "what?"}]
    answer = send(base + "/v1/chat/completions", {"messages": messages}, "POST")
    said = answer["choices"][0]["message"]["content"]
    emit("rollout", rollout=name, ok=True, reward=float(said == "42"))
if MODE == "hang":
    while True: pass
"""


@pytest.fixture
def home() -> Iterator[Path]:
    """A runner's home that every uid can reach."""
    home = Path(tempfile.mkdtemp(prefix="envyard-run-", dir="/var/tmp"))
    home.chmod(0o755)
    yield home
    shutil.rmtree(home)


def in_real_sandbox(
    home: Path,
    mode: str,
    *,
    pins: tuple[Pin, ...] = (),
    settings: dict[str, str] | None = None,
    **limits: Any,
) -> tuple[Outcome, list[Path]]:
    """Run PROGRAM in bubblewrap, with an empty venv that is said to have `pins`."""
    site = home / "site"
    site.mkdir()
    site.chmod(0o755)
    config = Config.from_environment({**os.environ, "RUNNER_HOME": str(home)})

    async def empty(*_: Any, **__: Any) -> Venv:
        return Venv(site, site, packages=1, seconds=0.0, pins=pins)

    def prepare(**options: Any) -> Sandbox:
        files = with_program(options["files"], f"MODE = {mode!r}\n{PROGRAM}")
        return Sandbox.prepare(**options | {"config": config, "files": files})

    spec = replace(SPEC, policies=("silent", "oracle"), limits=replace(SPEC.limits, **limits))
    outcome = perform_run(spec=spec, build=empty, prepare=prepare, settings=settings)
    return outcome, list(config.runs.iterdir())


@pytest.mark.sandbox
def test_a_program_in_a_real_sandbox_reaches_the_gateway_and_nothing_is_left(home: Path) -> None:
    outcome, left = in_real_sandbox(home, "")
    assert outcome.result == ("succeeded", [])
    rollouts = {rollout["policy"]: rollout for rollout in outcome.hub.rollouts}
    assert {policy: item["reward"] for policy, item in rollouts.items()} == {
        "silent": 0.0,
        "oracle": 1.0,
    }
    assert contents(rollouts["oracle"]) == ["what?", "42"]
    assert "loading reverse_words\n" in outcome.hub.log
    assert outcome.hub.facts["peak_memory_bytes"] > 0
    assert not left


@pytest.mark.sandbox
def test_a_program_that_never_ends_is_stopped_by_the_wall_clock(home: Path) -> None:
    outcome, left = in_real_sandbox(home, "hang", wall_seconds=3.0)
    assert outcome.result == ("failed", ["run.wall_clock"])
    assert len(outcome.hub.rollouts) == 2
    assert not left


@pytest.mark.sandbox
def test_nltk_data_of_the_operator_is_seen_where_the_venv_has_nltk(home: Path) -> None:
    data = home / "nltk"
    (data / "corpora").mkdir(parents=True)
    for folder in (data, data / "corpora"):
        folder.chmod(0o755)
    settings = {"RUNNER_NLTK_DATA": str(data)}

    outcome, _ = in_real_sandbox(home, "", pins=(Pin("nltk", "3.9", ()),), settings=settings)
    assert outcome.result == ("succeeded", [])
    assert "nltk ['corpora']\nown True\n" in outcome.hub.log  # NLTK refuses that of others


@pytest.mark.sandbox
def test_nltk_data_is_not_shown_to_an_environment_without_nltk(home: Path) -> None:
    settings = {"RUNNER_NLTK_DATA": str(home)}

    outcome, _ = in_real_sandbox(home, "", pins=(Pin("numpy", "2.0", ()),), settings=settings)
    assert outcome.result == ("succeeded", [])
    assert "nltk" not in outcome.hub.log
