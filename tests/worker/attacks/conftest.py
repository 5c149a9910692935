"""A runner's home and real wheels: each attack is an environment that the complete runner runs."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from envyard.contract.job import WheelRef
from envyard_runner.config import Config
from envyard_runner.proxy.outside import Outside
from envyard_runner.sandbox import Sandbox
from envyard_runner.sandbox.command import ENVIRONMENT
from envyard_runner.venvs import Venv
from envyard_runner.venvs.build import PATH_FILE
from tests.wheels import TASKSET, filename, make_wheel
from tests.worker.guest.adapters.conftest import site
from tests.worker.scripted_sandbox import SPEC, Outcome, perform_run
from tests.worker.stub_hub import StubHub
from tests.worker.stub_judge import StubJudge

PAYLOADS = Path(__file__).with_name("payloads")
MIB = 1 << 20
LIMITS = {
    "wall_seconds": 120.0,
    "rollout_seconds": 60.0,
    "cpu_seconds": 100,
    "memory_bytes": 1024 * MIB,
    "pids": 80,
    "tmp_bytes": 16 * MIB,
    "log_bytes": 256 << 10,
    "calls_per_rollout": 40,
}
POLICIES = ("silent", "parrot", "oracle")
# A wheel may bring a framework of its own: its code then runs before anything else is imported.
SHADOW = "verifiers/__init__.py"


@dataclass
class Attack:
    """One attack: what the hub received, the uids that it ran under, and the names of the variables
    of its sandboxes' first programs."""

    outcome: Outcome
    uids: list[int]
    variables: set[str]

    @property
    def codes(self) -> dict[str, dict[str, Any]]:
        """The findings by code."""
        return {finding["code"]: finding for finding in self.outcome.hub.endings[0]["findings"]}

    @property
    def attempts(self) -> dict[str, str]:
        """The printed result of each attempt: `refused: ...` or `REACHED: ...`."""
        fields = {}
        for line in self.outcome.hub.log.splitlines():
            if line.startswith("TRIED "):
                name, _, how = line.removeprefix("TRIED ").partition(" = ")
                fields[name] = how
        return fields


@dataclass
class Runner:
    """One machine; it runs wheels one after the other without being set up again."""

    home: Path

    def config(self) -> Config:
        """Its settings."""
        small = {"RUNNER_HOME": str(self.home), "RUNNER_EVENTS_MB": "8"}
        return Config.from_environment({**os.environ, **small})

    def perform(
        self,
        name: str,
        files: dict[str, str],
        *,
        framework: bool = False,
        layer: dict[str, str] | None = None,
        hub: StubHub | None = None,
        job: dict[str, Any] | None = None,
        settings: dict[str, str] | None = None,
        judge: StubJudge | None = None,
        outside: Callable[[], Outside] = Outside,
        seconds: float = 200,
        **limits: Any,
    ) -> Attack:
        """Run one wheel from its job to its ending; with `framework`, beside the real framework.

        `layer` are files of other distributions that the version depends on, `job` other fields of
        the job, `settings` variables of the runner, `judge` its judge, `outside` the network that
        its proxy uses; the run is given up after `seconds`.
        """
        wheel = make_wheel(name, files=files)
        reference = WheelRef(
            f"/files/{filename(name)}", filename(name), hashlib.sha256(wheel).hexdigest(),
            len(wheel),
        )  # fmt: skip
        spec = replace(
            SPEC,
            wheel=reference,
            module=name.replace("-", "_"),
            limits=replace(SPEC.limits, **(LIMITS | limits)),
            **({"policies": POLICIES, "tasks": 2} | (job or {})),
        )
        config, uids, variables = self.config(), list[int](), set[str]()

        async def build(_config: Config, path: Path, _extra: Any, **_: Any) -> Venv:
            return await asyncio.to_thread(self._unpacked, path, framework, layer or {})

        def prepare(**options: Any) -> Sandbox:
            sandbox = Sandbox.prepare(**options | {"config": config})
            uids.append(sandbox.uid)
            variables.update(options["variables"])
            return sandbox

        if framework:
            site("v1")  # installed now: the run's own time does not suffice
        hub = hub or StubHub()
        hub.wheel = wheel
        outcome = perform_run(
            spec=spec, hub=hub, build=build, prepare=prepare, outside=outside, settings=settings,
            seconds=seconds, judge=judge,
        )  # fmt: skip
        return Attack(outcome, uids, variables)

    def _unpacked(self, wheel: Path, framework: bool, layer: dict[str, str]) -> Venv:
        folder = self.home / "environments" / wheel.stem
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
        dependencies = self._dependencies(framework, layer)
        for path in (folder.parent, folder, dependencies.parent, dependencies):
            path.chmod(0o755)
        return Venv(dependencies, folder, packages=1, seconds=0.0)

    def _dependencies(self, framework: bool, layer: dict[str, str]) -> Path:
        """Site-packages with the path file of the environment, with or without the framework."""
        kind = "framework" if framework else "bare"
        named = hashlib.sha256(json.dumps(layer).encode()).hexdigest()[:8] if layer else ""
        folder = self.home / f"{kind}{named}" / "site-packages"
        if not folder.exists():
            if framework:
                shutil.copytree(site("v1"), folder, copy_function=os.link, symlinks=True)
            else:
                folder.mkdir(parents=True)
            (folder / PATH_FILE).write_text(f"{ENVIRONMENT}\n")
            for member, text in layer.items():
                (folder / member).write_text(text)
        return folder


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    """A machine whose home every uid can read."""
    home = Path(tempfile.mkdtemp(prefix="envyard-attacks-", dir="/var/tmp"))
    home.chmod(0o755)
    yield Runner(home)
    shutil.rmtree(home)


def payload(name: str, host: dict[str, Any] | None = None) -> str:
    """The source of a payload, with the facts of the host that it would otherwise guess."""
    return (PAYLOADS / f"{name}.py").read_text().replace("@HOST@", json.dumps(host or {}))


def taskset_files(name: str, source: str) -> dict[str, str]:
    """The files of a taskset that works and runs its payload while a rollout is scored."""
    module = name.replace("-", "_")
    taskset = TASKSET.replace("WORDS = ", "from . import payload\n\nWORDS = ").replace(
        "        return float(", "        payload.once()\n        return float("
    )
    return {f"{module}/__init__.py": taskset, f"{module}/payload.py": source}


def import_time_files(name: str, source: str) -> dict[str, str]:
    """The files of a wheel that shadows the framework: its code runs at the first import."""
    return {f"{name.replace('-', '_')}/__init__.py": "", SHADOW: source}
