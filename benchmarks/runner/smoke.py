"""The seconds of a warm smoke run of each example: probes, replays, mutants, checks and survey.

    python -m benchmarks.runner.smoke [NAME...] [--rounds N]

Each run is a process of its own, as `hub-runner try` starts it, with the venv of an earlier run.
Prints one JSON document: per example the medians of the elapsed and the processor seconds, and when
each sandbox was started, had loaded its tasks and ended.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.runner.sandbox import adopt_orphans, reap
from envyard import builder
from envyard.contract.examine import examine
from envyard.contract.local_access import LocalAccess
from envyard_runner import try_wheel
from envyard_runner.config import Config
from envyard_runner.execution.run import RunnerContext
from envyard_runner.sandbox import Sandbox
from envyard_runner.sandbox.endpoints import Listening

ROOT = Path(__file__).parents[2]
HOME = Path("/var/lib/envyard-try")  # below no closed home, for root's sandboxes
TARGET_SECONDS = 20.0
TASKS = 5  # of a hub's smoke run
began = time.perf_counter()
phases: list[dict[str, Any]] = []


class Timed(Sandbox):
    """A sandbox that notes the seconds since the run began of its start, its load and its end."""

    phase: dict[str, Any]

    @classmethod
    def prepare(cls, **options: Any) -> Timed:
        """Prepare it, and name what it is for."""
        sandbox = super().prepare(**options)
        assert isinstance(sandbox, Timed)
        sandbox.phase = {"sandbox": _purpose(options)}
        phases.append(sandbox.phase)
        return sandbox

    async def start(self, program: list[str]) -> Listening:
        """Start the program."""
        self.phase["started"] = _now()
        return await super().start(program)

    async def lines(self) -> AsyncIterator[bytes]:
        """The same lines."""
        async for line in super().lines():
            if b'"event":"loaded"' in line[:40]:
                self.phase["loaded"] = _now()
            yield line

    async def close(self) -> None:
        """End it."""
        self.phase.setdefault("ended", _now())
        await super().close()


def _purpose(options: dict[str, Any]) -> str:
    files = options["files"]
    if "env_worker.py" not in files:
        return "references" if "reference_main.py" in files else "trainer"
    if json.loads(files["config.json"])["listed_tasks"]:
        return "survey"
    played = {phase["sandbox"] for phase in phases}
    return next(
        each for each in ("play", "replay", "judge") if each not in played or each == "judge"
    )


def _now() -> float:
    return round(time.perf_counter() - began, 2)


async def run(wheel: Path) -> dict[str, Any]:
    """Perform one smoke run and return its times."""
    global began
    config = Config.from_environment({"RUNNER_HOME": str(HOME), **os.environ})
    _, detected = examine(wheel)
    access = LocalAccess()
    job = try_wheel.local_job(wheel, detected, TASKS, access, config)
    machine = RunnerContext(config, prepare=Timed.prepare)
    began, used = time.perf_counter(), _processor_seconds()
    document = await try_wheel.run(machine, wheel, job, access)
    seconds = _now()
    reap()
    return {
        "outcome": document["outcome"],
        "seconds": seconds,
        "processor_seconds": round(_processor_seconds() - used, 2),
        "phases": phases,
    }


def _processor_seconds() -> float:
    used = [resource.getrusage(scope) for scope in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def measure(names: Sequence[str], *, rounds: int) -> dict[str, dict[str, Any]]:
    """The medians of each example; the first run of each builds its venv and is not counted."""
    results = {}
    with tempfile.TemporaryDirectory(prefix="bench-smoke-", dir="/var/tmp") as folder:
        for name in names:
            Path(folder, name).mkdir()
            wheel = builder.build(ROOT / "examples" / name, Path(folder, name))
            runs = [_one(wheel) for _ in range(rounds + 1)][1:]
            row = {"outcome": runs[-1]["outcome"], "phases": runs[-1]["phases"]}
            for key in ("seconds", "processor_seconds"):
                row[key] = statistics.median(one[key] for one in runs)
            results[name] = row
    return results


def _one(wheel: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.runner.smoke", "--wheel", str(wheel)]
    completed = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    result: dict[str, Any] = json.loads(completed.stdout.splitlines()[-1])
    return result


def main() -> None:
    """Print the figures of the named examples, of all without a name."""
    examples = sorted(path.parent.name for path in (ROOT / "examples").glob("*/pyproject.toml"))
    parser = argparse.ArgumentParser(prog="python -m benchmarks.runner.smoke", description=__doc__)
    parser.add_argument("names", nargs="*", default=[])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--wheel", type=Path, help="measure one run of this wheel")
    options = parser.parse_args()
    if options.wheel:
        adopt_orphans()
        os.umask(0o022)
        figures: dict[str, Any] = asyncio.run(run(options.wheel))
    else:
        figures = measure(options.names or examples, rounds=options.rounds)
    sys.stdout.write(json.dumps(figures) + "\n")


if __name__ == "__main__":
    main()
