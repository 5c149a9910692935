"""Real wheels with the real framework, run by the complete runner.

`runner` starts real sandboxes. `forking_runner` forks processes from one that has imported the
framework, which takes most of a run's time: for tests of what no sandbox changes.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from envyard.contract.data_lock import DataLock
from envyard_runner.config import Config
from envyard_runner.proxy.outside import Outside
from envyard_runner.sandbox import Sandbox
from envyard_runner.sandbox.command import ENVIRONMENT
from envyard_runner.venvs import Venv
from envyard_runner.venvs.build import PATH_FILE
from tests.forked.sandbox import ForkedSandbox
from tests.wheels import make_wheel
from tests.worker.guest.adapters.conftest import site
from tests.worker.scripted_sandbox import SPEC, WHEEL, Outcome, perform_run
from tests.worker.stub_hub import StubHub
from tests.worker.stub_hub import job as spec_of
from tests.worker.stub_judge import StubJudge
from tests.worker.stub_model import StubModel

EMPTY = DataLock()
WHEELS = Path(__file__).with_name("wheels")
# Of a classic wheel the runner reads the releases of the framework that it admits.
CLASSIC = make_wheel(
    files={"reverse_words/__init__.py": "def load_environment():\n    ...\n"},
    metadata={"Requires-Dist": ["verifiers>=0.2"]},
)


@dataclass
class ReplayedRun:
    """One run: its rollouts and their replays, by `policy/task/attempt`."""

    outcome: Outcome

    @property
    def first(self) -> dict[str, float | None]:
        """The rewards of the run."""
        return {name_of(rollout): rollout["reward"] for rollout in self.outcome.hub.rollouts}

    @property
    def replays(self) -> dict[str, dict[str, Any]]:
        """The replays that the hub received, after all rollouts."""
        batches = self.outcome.hub.batches
        return {
            name_of(replay): replay["replay"] for batch in batches for replay in batch["replays"]
        }

    @property
    def same(self) -> dict[str, bool]:
        """Of compared rollouts: whether the replay has the first reward."""
        return {
            name: replay["reward"] == self.first[name]
            for name, replay in self.replays.items()
            if not replay["left_out"]
        }


def name_of(rollout: dict[str, Any]) -> str:
    return f"{rollout['policy']}/{rollout['task']}/{rollout['attempt']}"


@dataclass
class Runner:
    """A runner with the framework of both APIs."""

    home: Path
    sandbox: type[Sandbox] = Sandbox
    references: int = 0  # sandboxes of the last run that computed some

    def perform(
        self,
        api: str,
        files: dict[str, str],
        *,
        model: StubModel | None = None,
        judge: StubJudge | None = None,
        pins: tuple[str, ...] = (),
        settings: dict[str, str] | None = None,
        outside: Callable[[], Outside] = Outside,
        data_lock: DataLock = EMPTY,
        **spec: Any,
    ) -> ReplayedRun:
        """Run `files` of WHEELS, by their names in the module, with a model stub and a judge.

        `pins` are releases of the framework's dependencies, `settings` variables of the runner,
        `outside` is its network, and `data_lock` what the hub has. A file `sandbox` beside the
        module counts the sandboxes that play or list tasks; nothing else reveals which one it is.
        """
        folder = Path(tempfile.mkdtemp(prefix=f"{spec['module']}-", dir=self.home))
        folder.chmod(0o755)
        self.references = 0
        (folder / spec["module"]).mkdir()
        for name, source in files.items():
            shutil.copy(WHEELS / source, folder / spec["module"] / name)
        (counter := folder / "sandbox").write_text("0")
        limits = {"memory_bytes": 2 << 30, "wall_seconds": 240.0, "rollout_seconds": 60.0}
        limits |= {"cpu_seconds": 200} | spec.pop("limits", {})
        limits_of_job = replace(SPEC.limits, **limits)
        job = replace(SPEC, api=api, limits=limits_of_job, data_lock=data_lock, **spec)
        config = Config.from_environment({**os.environ, "RUNNER_HOME": str(self.home)})

        framework = self._framework(api, *pins)  # now: to install it would block the run's loop

        async def build(*_: Any, **__: Any) -> Venv:
            return Venv(framework, folder, packages=1, seconds=0.0)

        def prepare(**options: Any) -> Sandbox:
            if "env_worker.py" in options["files"]:  # references are computed while others play
                counter.write_text(str(int(counter.read_text()) + 1))
            self.references += "reference_main.py" in options["files"]
            return self.sandbox.prepare(**options | {"config": config})

        wheel = WHEEL if api == "v1" else CLASSIC
        job = replace(job, wheel=spec_of(wheel).wheel)
        hub = StubHub(wheel=wheel, data_lock=data_lock)
        server = model or StubModel()
        machine = {"build": build, "prepare": prepare, "settings": settings, "outside": outside}
        bounds = {"seconds": 280, "patience": 60.0}  # a machine under load starts processes slowly
        return ReplayedRun(
            perform_run(spec=job, hub=hub, model=server, judge=judge, **bounds, **machine)
        )

    def _framework(self, api: str, *pins: str) -> Path:
        folder = self.home / "-".join([api, *pins]) / "site-packages"
        if not folder.exists():
            shutil.copytree(site(api, *pins), folder, copy_function=os.link, symlinks=True)
            (folder / PATH_FILE).write_text(f"{ENVIRONMENT}\n")
            for path in (folder.parent, folder):
                path.chmod(0o755)
        return folder


@pytest.fixture(scope="session")
def home() -> Iterator[Path]:
    """A runner's home that every uid can reach; one, so that forking runners import once."""
    home = Path(tempfile.mkdtemp(prefix="envyard-replays-", dir="/var/tmp"))
    home.chmod(0o755)
    yield home
    shutil.rmtree(home)


@pytest.fixture(scope="module")
def runner(home: Path) -> Runner:
    """It starts real sandboxes."""
    return Runner(home)


@pytest.fixture(scope="module")
def forking_runner(home: Path) -> Runner:
    """It forks processes."""
    return Runner(home, ForkedSandbox)
