"""The framework's own evaluator and the complete runner, alternating, at several latencies."""

from __future__ import annotations

import dataclasses
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.registry import machine
from benchmarks.runner import environment
from envyard.contract.job import JobSpec
from envyard_runner.sandbox import interpreter
from tests.worker.stub_hub import TOKEN, job

ROOT = Path(__file__).parents[2]
TARGET = 0.95
BARE_CPU = ("environment_cpu", "environment_phase_cpu", "stub_cpu")
Side = dict[str, float]


@dataclass(frozen=True, slots=True)
class Setup:
    """The processes and folders of both sides: the model stub, the hub, the runner's home."""

    home: Path
    scratch: Path
    stub: machine.Program
    model_url: str
    hub: machine.Program
    hub_url: str
    wheel: bytes

    def environ(self, model: str) -> dict[str, str]:
        """A runner's settings."""
        environment_variables = {
            k: v for k, v in os.environ.items() if not k.startswith(("HUB_", "RUNNER_"))
        }
        return environment_variables | {
            "HUB_URL": self.hub_url,
            "HUB_RUNNER_TOKEN": TOKEN,
            "HUB_MODEL_URL": self.model_url,
            "HUB_MODEL": model,
            "RUNNER_HOME": str(self.home),
        }


@dataclass(frozen=True, slots=True)
class Ratio:
    """The runner's rollouts/s divided by the evaluator's at one latency: medians over rounds.

    A pair of runs gives one ratio; `phase` is that of the rollouts alone, `total` from the start to
    the final result.
    """

    latency_ms: int
    rounds: int
    phase: float
    phase_range: tuple[float, float]
    total: float
    bare: Side
    runner: Side


def measure(
    setup: Setup,
    *,
    latencies: list[int],
    rounds: int,
    concurrency: int,
    progress: Callable[[str], None],
) -> list[Ratio]:
    """One ratio per latency; the first run builds the venv, which both sides then use."""
    progress("installing the framework for both sides")
    spec = _job(setup, 0, concurrency)
    _runner(setup, dataclasses.replace(spec, tasks=2))
    rows = []
    for latency in latencies:
        pairs = []
        for number in range(rounds):
            progress(f"{latency} ms: round {number + 1} of {rounds}")
            spec = _job(setup, latency, concurrency)
            turns = [lambda spec=spec: _bare(setup, spec), lambda spec=spec: _runner(setup, spec)]
            sides = [item() for item in (turns if number % 2 == 0 else turns[::-1])]
            pairs.append(tuple(sides if number % 2 == 0 else sides[::-1]))
        rows.append(_ratio(latency, pairs))
    return rows


def _ratio(latency: int, pairs: list[tuple[Side, Side]]) -> Ratio:
    phases = [bare["rollouts_seconds"] / runner["rollouts_seconds"] for bare, runner in pairs]
    totals = [bare["total_seconds"] / runner["total_seconds"] for bare, runner in pairs]
    return Ratio(
        latency,
        len(pairs),
        statistics.median(phases),
        (min(phases), max(phases)),
        statistics.median(totals),
        *(_middle(side) for side in zip(*pairs, strict=True)),
    )


def _middle(sides: tuple[Side, ...]) -> Side:
    return {name: statistics.median(side[name] for side in sides) for name in sides[0]}


def _job(setup: Setup, latency: int, concurrency: int) -> JobSpec:
    spec = job(setup.wheel, policies=("model",), tasks=environment.TASKS, attempts=1)
    seconds = {"rollout_seconds": 120.0, "wall_seconds": 300.0, "install_seconds": 600.0}
    limits = dataclasses.replace(spec.limits, max_tokens=512, **seconds)
    return dataclasses.replace(
        spec,
        wheel=dataclasses.replace(spec.wheel, filename="eight_turns-0.1.0-py3-none-any.whl"),
        api="v0", module=environment.MODULE, model=f"ms-{latency}", concurrency=concurrency,
        lease_seconds=60.0, limits=limits,
    )  # fmt: skip


def _bare(setup: Setup, spec: JobSpec) -> Side:
    path = ":".join(map(str, _folders(setup)))
    options = {
        "module": spec.module,
        "url": setup.model_url,
        "model": spec.model,
        "tasks": spec.tasks,
        "concurrency": spec.concurrency,
        "results": str(setup.scratch / f"results-{time.monotonic_ns()}"),
    }
    python = str(interpreter.base(interpreter_path()).python)
    script = str(Path(__file__).with_name("bare_evaluator.py"))
    environ = {"PYTHONPATH": path, "PATH": os.environ["PATH"], "HOME": str(setup.scratch)}
    return _timed(setup, [python, "-s", script, json.dumps(options)], environ)


def interpreter_path() -> Path:
    """The base interpreter that sandboxes get, so that both sides have the same one."""
    from envyard_runner.config import Config

    return Config.from_environment().python


def _runner(setup: Setup, spec: JobSpec) -> Side:
    command = [sys.executable, "-m", "benchmarks.runner.full_runner", json.dumps(spec.to_dict())]
    figures = _timed(setup, command, setup.environ(spec.model) | {"PYTHONPATH": str(ROOT)})
    if figures.pop("outcome", "") != "succeeded":
        raise RuntimeError(f"the runner did not succeed: {figures}")
    figures.pop("findings")
    return figures


def _timed(setup: Setup, command: list[str], environ: dict[str, str]) -> Side:
    """The program's figures, with the CPU time of stub and hub during its run."""
    before = machine.cpu_seconds(setup.stub.pid), machine.cpu_seconds(setup.hub.pid)
    began = time.perf_counter()
    options = {"cwd": ROOT, "capture_output": True, "text": True, "check": False}
    completed = subprocess.run(command, env=environ, **options)  # type: ignore[call-overload]
    seconds = time.perf_counter() - began
    if completed.returncode:
        raise RuntimeError(f"{command[:3]} failed:\n{completed.stderr[-3000:]}")
    body: Side = json.loads(completed.stdout.splitlines()[-1])
    body.setdefault("total_seconds", seconds)
    body["stub_cpu"] = machine.cpu_seconds(setup.stub.pid) - before[0]
    body["hub_cpu"] = machine.cpu_seconds(setup.hub.pid) - before[1]
    return body


def _folders(setup: Setup) -> list[Path]:
    """The folders that the runner has just used, the wheel's own and the framework's, named as in a
    venv: dill treats modules elsewhere as a script's and fails on some."""
    rows = []
    for module in (environment.MODULE, "verifiers"):
        sites = [item for item in setup.home.glob("venvs/*/site") if (item / module).exists()]
        site = max(sites, key=lambda site: (site.parent / "venv.json").stat().st_mtime)
        folder = setup.scratch / module / "site-packages"
        folder.parent.mkdir(exist_ok=True)
        folder.unlink(missing_ok=True)
        folder.symlink_to(site)
        rows.append(folder)
    return rows


def table(rows: list[Ratio]) -> str:
    """The figures as a table."""
    heads = (
        "latency", "rollouts/s: evaluator, runner", "ratio (range)",
        "start to final result in s: evaluator, runner (after the last rollout)", "ratio",
        "CPU s of the evaluator; while it plays; stub",
        "CPU s of the sandbox; while it plays", "CPU s of the runner; while it plays",
        "CPU s of stub; hub",
    )  # fmt: skip
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for item in rows:
        bare, runner = item.bare, item.runner
        rate = [environment.TASKS / side["rollouts_seconds"] for side in (bare, runner)]
        total, after = runner["total_seconds"], runner["after_seconds"]
        cells = (
            f"{item.latency_ms} ms",
            f"{rate[0]:.2f}, {rate[1]:.2f}",
            f"**{item.phase:.3f}** ({item.phase_range[0]:.2f} to {item.phase_range[1]:.2f})",
            f"{bare['total_seconds']:.1f}, {total:.1f} ({after:.1f})",
            f"{item.total:.2f}",
            "; ".join(f"{bare[name]:.1f}" for name in BARE_CPU),
            f"{runner['environment_cpu']:.1f}; {runner['environment_phase_cpu']:.1f}",
            f"{runner['runner_cpu']:.1f}; {runner['runner_phase_cpu']:.1f}",
            f"{runner['stub_cpu']:.1f}; {runner['hub_cpu']:.1f}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


__all__ = ["TARGET", "Ratio", "Setup", "asdict", "measure", "table"]
