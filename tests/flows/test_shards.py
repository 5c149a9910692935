"""Shards performed by runners of their own processes, over HTTP: equal results, and one lost."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from registry.accounts import runners
from registry.models import Run, User, Version
from registry.runs import evaluations, shards, suites, transcripts
from registry.runs.sweep import sweep
from tests.factories import make_version
from tests.flows.hub import ROOT, clean_environ
from tests.ports import free_port
from tests.registry.run_factories import skip_pause
from tests.wheels import make_wheel

pytestmark = [
    pytest.mark.flow,
    pytest.mark.timeout(900),
    pytest.mark.django_db(transaction=True),
]

MODEL, TASKS, ATTEMPTS = "stub", 7, 2
ENDED = ("succeeded", "failed", "errored", "cancelled")


@pytest.fixture
def started(live_server: LiveServer) -> Iterator[Callable[[str], subprocess.Popen[bytes]]]:
    """Starts a runner of that name, with a model server beside it."""
    with ExitStack() as stack:
        port = free_port()
        name = stack.enter_context(TemporaryDirectory(prefix="envyard-shards-"))
        home = Path(name)
        home.chmod(0o711)
        model = subprocess.Popen(
            [sys.executable, "-m", "tests.worker.stub_model", str(port)], cwd=ROOT
        )
        stack.callback(model.wait)
        stack.callback(model.kill)

        def start(name: str) -> subprocess.Popen[bytes]:
            folder = home / name
            folder.mkdir(mode=0o711)
            environ = clean_environ() | {
                "HUB_URL": live_server.url,
                "HUB_RUNNER_TOKEN": runners.create(name=name)[1],
                "HUB_MODEL": MODEL,
                "HUB_MODEL_URL": f"http://127.0.0.1:{port}/v1",
                "RUNNER_HOME": str(folder),
            }
            with (folder / "log").open("wb") as log:
                process = subprocess.Popen(
                    [sys.executable, "-m", "tests.flows.shard_runner"],
                    cwd=ROOT, env=environ, stdout=log, stderr=log,
                )  # fmt: skip
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process

        yield start


@pytest.fixture
def version(alice: User) -> Version:
    return make_version(alice, wheel=make_wheel("demo-env", "0.1.0"))


def requested(version: Version, by: User, settings: Settings, *, tasks: int) -> Run:
    """An evaluation in shards of that many tasks; the data set has fewer than the suite."""
    settings.HUB_SHARD_ROLLOUTS = tasks * ATTEMPTS
    suite = suites.create(
        environment=version.environment, name="all", tasks=TASKS, attempts=ATTEMPTS, by=by
    )
    return evaluations.request(version=version, model=MODEL, suite=suite, by=by)


def waited(run: Run, until: Callable[[], Any], seconds: float = 400) -> Any:
    """The first true result, while the hub's clock does what it does."""
    deadline = time.monotonic() + seconds
    while not (result := until()):
        sweep(now=timezone.now())
        skip_pause()
        logs = "".join(
            chunk.text for row in [run, *shards.of(run)] for chunk in row.log.order_by("pk")
        )
        assert time.monotonic() < deadline, logs
        time.sleep(0.3)
    return result


def ended(run: Run) -> bool:
    run.refresh_from_db()
    return run.status in ENDED


def result(run: Run) -> list[tuple[Any, ...]]:
    """Of each rollout: task, attempt, reward, the prompt of its first call and its seed."""
    rows = []
    for row in run.rollouts.select_related("pack").order_by("task", "attempt"):
        transcript = transcripts.read(row)
        assert transcript is not None
        (call,) = transcript.calls
        prompt = transcript.nodes[0].message["content"]
        rows.append((row.task, row.attempt, row.reward, prompt, call.sampling["seed"]))
    return rows


def test_a_run_in_one_three_and_seven_shards_has_the_same_rollouts(
    started: Callable[[str], subprocess.Popen[bytes]],
    version: Version,
    alice: User,
    settings: Settings,
) -> None:
    started("gpu-1")
    started("gpu-2")
    results, tasks = [], []
    for size, count in ((TASKS, 0), (3, 3), (1, 7)):
        run = requested(version, alice, settings, tasks=size)
        assert shards.of(run).count() == count
        waited(run, lambda run=run: ended(run))
        assert run.status == "succeeded", [row.message for row in run.findings.all()]
        results.append(result(run))
        tasks.append(run.facts["tasks"])
    assert len(results[0]) == TASKS * ATTEMPTS
    assert len({row[4] for row in results[0]}) == TASKS * ATTEMPTS
    assert results[0] == results[1] == results[2]
    assert tasks[0] == tasks[1] == tasks[2]


def test_a_killed_runner_loses_its_shard_alone(
    started: Callable[[str], subprocess.Popen[bytes]],
    version: Version,
    alice: User,
    settings: Settings,
) -> None:
    run = requested(version, alice, settings, tasks=3)
    first = started("gpu-1")
    lost = waited(run, lambda: shards.of(run).filter(status="running", done__gte=1).first())
    first.kill()
    first.wait()
    started("gpu-2")
    waited(run, lambda: shards.of(run).filter(status="succeeded", attempt=1).exists())
    Run.with_shards.filter(runner__name="gpu-1", ended_at=None).update(
        lease_expires_at=timezone.now() - timedelta(hours=1)
    )
    waited(run, lambda: ended(run))
    assert run.status == "succeeded", [row.message for row in run.findings.all()]
    attempts = {row.pk: row.attempt for row in shards.of(run)}
    assert attempts.pop(lost.pk) == 2
    assert set(attempts.values()) == {1}
    assert len(result(run)) == TASKS * ATTEMPTS
