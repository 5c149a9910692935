"""Two examples by two runners on a real broker: each is listed once, by one run of one attempt."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import requests

from tests import postgresql
from tests.faults import parts
from tests.faults.conftest import NEEDS
from tests.flows.hub import BIN, ROOT, Hub, clean_environ, serving

pytestmark = [pytest.mark.flow, pytest.mark.extended, pytest.mark.timeout(900)]

EXAMPLES = ("double-check", "reverse-text")
ACCEPT = {"Accept": "application/vnd.pypi.simple.v1+json"}
# Of each run: what became of it, and how often its version was listed.
RUN_SUMMARY = """
from registry.models import Run
for run in Run.objects.order_by("version__environment__name"):
    listed = run.version.events.filter(verb="version.listed").count()
    print(run.version.environment.name, run.status, run.attempt, listed, run.runner.name)
"""


@pytest.fixture(params=[pytest.param("redis", marks=pytest.mark.extended), "rabbitmq"])
def hub(request: pytest.FixtureRequest, home: Path) -> Iterator[Hub]:
    """A hub whose queues that broker carries, with one runner of its own."""
    if not NEEDS[request.param].exists():
        pytest.skip(f"{NEEDS[request.param]} is not installed: `make setup-tests` installs it")
    folder = home / request.param
    folder.mkdir()
    with ExitStack() as stack:
        broker = getattr(parts, request.param)(folder, folder / "broker.log")
        broker.part.start()
        stack.callback(broker.part.kill)
        server = os.environ.get("DATABASE_URL", "")
        database = stack.enter_context(postgresql.database(server)) if server else ""
        settings = {
            "HUB_BROKER_URL": broker.at(broker.target[1]),
            "RUNNER_HOME": str(home / "runner"),  # every flow's: dependencies are installed once
            "HUB_RUN_SECONDS": "300",  # two smoke runs, other tests and two processors
            "HUB_NEW_NAMES_PER_HOUR": "1000",
            "HUB_UPLOADS_PER_HOUR": "1000000",
            "HUB_QUEUED_VERSIONS": "1000000",
        }
        yield stack.enter_context(serving(folder / "hub", database, **settings))


@pytest.fixture
def second(hub: Hub) -> Iterator[str]:
    """A second runner on that broker; its name."""
    token = hub.manage("create_runner", "second").split()[-1]
    environ = clean_environ() | {
        name: hub.environ[name] for name in ("HUB_BROKER_URL", "RUNNER_HOME")
    }
    with (hub.home / "second.log").open("wb") as log:
        runner = subprocess.Popen(
            [BIN / "hub-runner", "start"],
            env=environ | {"HUB_URL": hub.url, "HUB_RUNNER_TOKEN": token},
            cwd=hub.home,
            stdout=log,
            stderr=log,
        )
    try:
        hub.wait(lambda: b" ready." in (hub.home / "second.log").read_bytes(), "the second runner")
        yield "second"
    finally:
        runner.terminate()
        runner.wait(timeout=60)


def test_two_examples_are_listed_once_each_by_two_runners(hub: Hub, second: str) -> None:
    pushing = [
        subprocess.Popen(
            [BIN / "hub", "push", ROOT / "examples" / name],
            env=clean_environ()
            | {"HUB_URL": hub.url, "HUB_TOKEN": hub.token("alice")}
            | {"XDG_CONFIG_HOME": str(hub.home / f"config-{name}")},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for name in EXAMPLES
    ]
    for name, push in zip(EXAMPLES, pushing, strict=True):
        output, _ = push.communicate(timeout=600)
        assert push.returncode == 0, f"{name}: {output}\n{hub.logs()}"
    rows = [
        line.split() for line in hub.manage("shell", "--no-imports", "-c", RUN_SUMMARY).splitlines()
    ]
    assert [line[:4] for line in rows] == [[name, "succeeded", "1", "1"] for name in EXAMPLES]
    assert len({line[4] for line in rows}) == 2
    for name in EXAMPLES:
        assert hub.version(f"alice/{name}==0.1.0")["status"] == "listed"
        index = f"{hub.url}/alice/simple/{name}/"
        hub.wait(lambda at=index: requests.get(at, headers=ACCEPT, timeout=30).ok, "its index")
        assert len(requests.get(index, headers=ACCEPT, timeout=30).json()["files"]) == 1
