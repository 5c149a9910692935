"""`hub eval --local`: a model in this machine's sandbox, and its result pushed to a real hub."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import requests
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from envyard.__main__ import main
from registry.accounts import tokens
from registry.models import Evaluation, User
from registry.runs import suites
from registry.runs.models import Rollout
from tests import layers, wheels
from tests.factories import make_run, make_version
from tests.flows.hub import ROOT
from tests.ports import free_port

pytestmark = [
    pytest.mark.flow,
    pytest.mark.once,
    pytest.mark.timeout(900),
    pytest.mark.django_db(transaction=True),
]

# The stub model replies "ok" to everything: it solves the first four of eight tasks.
PAID = 'float(trace.last_reply == "ok" and self.data.answer < "e")'
WHEEL = wheels.make_wheel(
    files={
        "demo_env/__init__.py": wheels.TASKSET.replace(
            'float(trace.last_reply.strip() == f"The word is {self.data.answer}.")', PAID
        )
    }
)
EVAL = ["eval", "--local", "-m", "stub", "--suite", "full"]


@pytest.fixture(scope="module")
def model() -> Iterator[str]:
    """The base URL of a stub server that requires no key."""
    port = free_port()
    command = [sys.executable, "-m", "tests.worker.stub_model", str(port)]
    url = f"http://127.0.0.1:{port}/v1"
    with subprocess.Popen(command, cwd=ROOT) as server:
        until = time.monotonic() + 120
        while True:
            try:
                requests.get(f"{url}/models", timeout=5)
                break
            except requests.ConnectionError:
                assert time.monotonic() < until
                time.sleep(0.1)
        yield url
        server.terminate()


@pytest.fixture(scope="module")
def runner_home() -> Iterator[Path]:
    """A folder that the sandbox's users can reach, with the framework installed."""
    with TemporaryDirectory(prefix="envyard-eval-", dir="/var/tmp") as name:
        Path(name).chmod(0o755)
        layers.link_into(Path(name))
        yield Path(name)


@pytest.fixture
def hub(
    live_server: LiveServer,
    alice: User,
    runner_home: Path,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A hub with one listed version, where alice is signed in."""
    settings.HUB_URL = live_server.url
    make_version(alice, wheel=WHEEL)
    monkeypatch.setenv("HUB_URL", live_server.url)
    monkeypatch.setenv("HUB_TOKEN", tokens.mint(user=alice, name="cli", scope="publish")[1])
    monkeypatch.setenv("RUNNER_HOME", str(runner_home))


def stored_run(alice: User, rate: float) -> None:
    """The hub's own result of the model, which solved that share of 40 tasks."""
    version = Evaluation.objects.get().version
    assert version is not None
    run = make_run(
        version, status="succeeded", purpose="evaluation", suite=suites.built_in("full"),
        model="stub", policies=["model"], tasks=40, attempts=1,
        facts={"tasks": [{"index": n, "hash": f"{n:064x}"} for n in range(40)]},
    )  # fmt: skip
    Rollout.objects.bulk_create(
        Rollout(run=run, policy="model", task=n, attempt=1, ok=True, reward=float(n < 40 * rate))
        for n in range(40)
    )


def test_a_pushed_evaluation_is_self_reported_until_the_hub_repeats_it(
    hub: None, alice: User, model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "samples.jsonl"
    command = [*EVAL, "alice/demo-env", "-b", model, "--save", str(saved)]
    assert main([*command, "--push", "--json"]) == 0
    shown: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (shown["score"]["mean"], shown["score"]["n"]) == (0.5, 32)
    assert (shown["results"]["learnability"], shown["results"]["tasks"]) == (0.0, 8)
    assert shown["suite"]["digest"] == suites.built_in("full").digest

    row = Evaluation.objects.get()
    assert row.version is not None
    assert (str(row.version), row.model_name) == ("alice/demo-env==0.1.0", "stub")
    assert shown["seed"] == suites.seed_for(suites.built_in("full").frozen, row.version)
    assert (row.sample_mean, row.stated_mean, row.disagrees) == (0.5, 0.5, False)
    assert shown["pushed"]["row"]["evidence"] == "self_reported"
    samples = [json.loads(line) for line in saved.read_text().splitlines()]
    assert len(samples) == row.rewarded == 32
    assert samples[0]["completion"] == [{"role": "assistant", "content": "ok"}]
    assert "the word amber" in str(samples[0]["prompt"])

    stored_run(alice, 0.5)
    assert main([*command, "--push"]) == 0
    output = capsys.readouterr()
    assert "stub mean 0.5 [" in output.out
    assert "Useful groups of 4" in output.out
    assert "pass@1" in output.out
    assert "0\t4\t4\t100 %\t1" in output.out
    assert "7\t0\t4\t0 %\t0" in output.out
    assert "Not reproduced: the hub's own result is 0.5 [" in output.err
    assert "8 of its tasks are others than the hub's with the same index." in output.err


def test_another_wheel_of_the_same_version_is_not_pushed(
    hub: None, model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = wheels.write_wheel(tmp_path)
    assert main([*EVAL, str(other), "-b", model, "--push"]) == 1
    assert "is another wheel than the one at hand" in capsys.readouterr().err
    assert not Evaluation.objects.exists()


@pytest.mark.extended
def test_a_local_wheel_needs_no_hub(
    runner_home: Path, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setenv("HUB_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("RUNNER_HOME", str(runner_home))
    path = tmp_path / wheels.filename()
    path.write_bytes(WHEEL)
    assert main(["eval", "--local", str(path), "-m", "stub", "-b", model, "--suite", "smoke"]) == 0
    output = capsys.readouterr()
    assert "stub mean 0.8 [" in output.out
    assert "suite smoke" in output.err


def test_a_model_that_the_server_does_not_list_is_refused_at_once(
    hub: None, model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", "--local", "alice/demo-env", "-m", "huge", "-b", model]) == 1
    assert "lists no model 'huge'; it lists stub" in capsys.readouterr().err
