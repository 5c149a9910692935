"""Frameworks in folders of their own, and drivers started on small environments."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from uv import find_uv_bin

from envyard_runner import inside
from envyard_runner.frameworks.verifiers import ADDED
from envyard_runner.inside.job import InsideJob
from tests.worker.adapter.gateway import Gateway

HERE = Path(__file__).parent
INSIDE = Path(inside.__file__).parent
CACHE = Path(os.environ.get("ENVYARD_TEST_CACHE") or HERE.parents[2] / ".cache")
PYTHON = sys._base_executable  # type: ignore[attr-defined]


@dataclass
class Played:
    """The events of one job, by kind."""

    events: list[dict[str, Any]] = field(default_factory=list)

    def one(self, kind: str) -> dict[str, Any]:
        (event,) = (event for event in self.events if event["event"] == kind)
        return event

    @property
    def tasks(self) -> list[dict[str, Any]]:
        return self.one("loaded")["tasks"]

    @property
    def rollouts(self) -> dict[str, dict[str, Any]]:
        return {event["rollout"]: event for event in self.events if event["event"] == "rollout"}

    def rewards(self) -> dict[str, float | None]:
        return {name: event["reward"] for name, event in self.rollouts.items()}

    def errors(self) -> dict[str, tuple[str, str]]:
        return {
            name: (event["error"]["type"], event["error"]["fault"])
            for name, event in self.rollouts.items()
            if event["error"]
        }


@pytest.fixture(scope="session")
def gateway() -> Iterator[Gateway]:
    server = Gateway()
    yield server
    server.stop()


def site(api: str) -> Path:
    """The folder with the framework of an API, installed once and kept between test runs.

    It is named site-packages because dill pickles modules elsewhere by value, and fails on some.
    """
    folder = CACHE / f"verifiers-{api}" / "site-packages"
    if not folder.exists():
        building = folder.with_name("building")
        install = [find_uv_bin(), "pip", "install", "--only-binary", ":all:", "--no-config"]
        where = ["--python", PYTHON, "--target", str(building)]
        subprocess.run([*install, *where, *ADDED[api]], check=True)
        building.rename(folder)
    return folder


def job(api: str, module: str, gateway: Gateway, **options: Any) -> InsideJob:
    given = InsideJob(
        framework="verifiers",
        api=api,
        module=module,
        policies=("silent", "oracle", "swapped", "model"),
        tasks=12,
        seed=3,
        door=gateway.door,
        rollout_timeout=20.0,
    )
    return replace(given, **options)


def environment(api: str, home: Path) -> dict[str, str]:
    """What the driver's process sees; bytecode is kept, so that only the first start is slow."""
    path = os.pathsep.join([str(site(api)), str(HERE / "environments" / api)])
    return {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": path}


def play_many(api: str, jobs: list[InsideJob], folder: Path) -> dict[str, Played]:
    """Play jobs in one process; the answer is by module."""
    paths = []
    for given in jobs:
        paths.append(folder / f"{given.module}.json")
        paths[-1].write_text(json.dumps(given.to_dict()))
    program = [PYTHON, str(HERE / "many.py"), str(INSIDE), *map(str, paths)]
    subprocess.run(program, env=environment(api, folder), cwd=folder, check=True, timeout=300)
    return {
        given.module: Played([json.loads(line) for line in lines(path.with_suffix(".events"))])
        for given, path in zip(jobs, paths, strict=True)
    }


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def play_one(given: InsideJob, folder: Path) -> tuple[int, Played]:
    """Start main.py on one job as the sandbox does, and read its events to the end."""
    path = folder / "job.json"
    path.write_text(json.dumps(given.to_dict()))
    reading, writing = os.pipe()
    told = {"ENVYARD_JOB": str(path), "ENVYARD_EVENTS_FD": str(writing)}
    process = subprocess.Popen(
        [PYTHON, str(INSIDE / "main.py")],
        env=environment(given.api, folder) | told,
        cwd=folder,
        pass_fds=[writing],
        stdout=subprocess.DEVNULL,
    )
    os.close(writing)
    with contextlib.ExitStack() as stack:
        stack.callback(process.wait)
        stack.callback(process.kill)
        events = [json.loads(line) for line in stack.enter_context(os.fdopen(reading))]
        return process.wait(30), Played(events)
