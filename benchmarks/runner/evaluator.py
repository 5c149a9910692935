"""The framework's own evaluator against the full runner, by turns, at several latencies."""

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
class Place:
    """What runs meanwhile: the model stub, the hub, and the runner's home."""

    home: Path
    scratch: Path
    stub: machine.Program
    model_url: str
    hub: machine.Program
    hub_url: str
    wheel: bytes

    def environ(self, model: str) -> dict[str, str]:
        """A runner's settings."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("HUB_", "RUNNER_"))}
        return kept | {
            "HUB_URL": self.hub_url,
            "HUB_RUNNER_TOKEN": TOKEN,
            "HUB_MODEL_URL": self.model_url,
            "HUB_MODEL": model,
            "RUNNER_HOME": str(self.home),
        }


@dataclass(frozen=True, slots=True)
class Ratio:
    """The runner's rollouts/s beside the evaluator's at one latency: medians over rounds.

    A pair of runs side by side gives one ratio; `phase` is of the rollouts alone, `whole` from the
    start to the report.
    """

    latency_ms: int
    rounds: int
    phase: float
    phase_range: tuple[float, float]
    whole: float
    bare: Side
    ours: Side


def measure(
    place: Place, *, latencies: list[int], rounds: int, concurrency: int, say: Callable[[str], None]
) -> list[Ratio]:
    """One ratio a latency; the first run builds the venv, which both sides then use."""
    say("installing the framework for both sides")
    spec = _job(place, 0, concurrency)
    _ours(place, dataclasses.replace(spec, tasks=2))
    rows = []
    for latency in latencies:
        pairs = []
        for number in range(rounds):
            say(f"{latency} ms: round {number + 1} of {rounds}")
            spec = _job(place, latency, concurrency)
            turns = [lambda spec=spec: _bare(place, spec), lambda spec=spec: _ours(place, spec)]
            sides = [item() for item in (turns if number % 2 == 0 else turns[::-1])]
            pairs.append(tuple(sides if number % 2 == 0 else sides[::-1]))
        rows.append(_ratio(latency, pairs))
    return rows


def _ratio(latency: int, pairs: list[tuple[Side, Side]]) -> Ratio:
    phases = [bare["rollouts_seconds"] / ours["rollouts_seconds"] for bare, ours in pairs]
    wholes = [bare["whole_seconds"] / ours["whole_seconds"] for bare, ours in pairs]
    return Ratio(
        latency,
        len(pairs),
        statistics.median(phases),
        (min(phases), max(phases)),
        statistics.median(wholes),
        *(_middle(side) for side in zip(*pairs, strict=True)),
    )


def _middle(sides: tuple[Side, ...]) -> Side:
    return {name: statistics.median(side[name] for side in sides) for name in sides[0]}


def _job(place: Place, latency: int, concurrency: int) -> JobSpec:
    spec = job(place.wheel, policies=("model",), tasks=environment.TASKS, attempts=1)
    seconds = {"rollout_seconds": 120.0, "wall_seconds": 300.0, "install_seconds": 600.0}
    limits = dataclasses.replace(spec.limits, max_tokens=512, **seconds)
    return dataclasses.replace(
        spec,
        wheel=dataclasses.replace(spec.wheel, filename="eight_turns-0.1.0-py3-none-any.whl"),
        api="v0", module=environment.MODULE, model=f"ms-{latency}", concurrency=concurrency,
        lease_seconds=60.0, limits=limits,
    )  # fmt: skip


def _bare(place: Place, spec: JobSpec) -> Side:
    path = ":".join(map(str, _folders(place)))
    options = {
        "module": spec.module,
        "url": place.model_url,
        "model": spec.model,
        "tasks": spec.tasks,
        "concurrency": spec.concurrency,
        "results": str(place.scratch / f"results-{time.monotonic_ns()}"),
    }
    python = str(interpreter.base(interpreter_path()).python)
    script = str(Path(__file__).with_name("bare.py"))
    environ = {"PYTHONPATH": path, "PATH": os.environ["PATH"], "HOME": str(place.scratch)}
    return _timed(place, [python, "-s", script, json.dumps(options)], environ)


def interpreter_path() -> Path:
    """The base interpreter that sandboxes get, so that both sides have the same one."""
    from envyard_runner.config import Config

    return Config.from_environment().python


def _ours(place: Place, spec: JobSpec) -> Side:
    command = [sys.executable, "-m", "benchmarks.runner.ours", json.dumps(spec.to_dict())]
    told = _timed(place, command, place.environ(spec.model) | {"PYTHONPATH": str(ROOT)})
    if told.pop("outcome", "") != "succeeded":
        raise RuntimeError(f"the runner did not succeed: {told}")
    told.pop("findings")
    return told


def _timed(place: Place, command: list[str], environ: dict[str, str]) -> Side:
    """What the program says, with the processor time of stub and hub meanwhile."""
    before = machine.cpu_seconds(place.stub.pid), machine.cpu_seconds(place.hub.pid)
    began = time.perf_counter()
    how = {"cwd": ROOT, "capture_output": True, "text": True, "check": False}
    done = subprocess.run(command, env=environ, **how)  # type: ignore[call-overload]
    seconds = time.perf_counter() - began
    if done.returncode:
        raise RuntimeError(f"{command[:3]} failed:\n{done.stderr[-3000:]}")
    body: Side = json.loads(done.stdout.splitlines()[-1])
    body.setdefault("whole_seconds", seconds)
    body["stub_cpu"] = machine.cpu_seconds(place.stub.pid) - before[0]
    body["hub_cpu"] = machine.cpu_seconds(place.hub.pid) - before[1]
    return body


def _folders(place: Place) -> list[Path]:
    """The folders that the runner has just used, the wheel's own and the framework's, named as in a
    venv: dill takes modules anywhere else for a script's and fails on some."""
    rows = []
    for module in (environment.MODULE, "verifiers"):
        sites = [item for item in place.home.glob("venvs/*/site") if (item / module).exists()]
        site = max(sites, key=lambda one: (one.parent / "venv.json").stat().st_mtime)
        folder = place.scratch / module / "site-packages"
        folder.parent.mkdir(exist_ok=True)
        folder.unlink(missing_ok=True)
        folder.symlink_to(site)
        rows.append(folder)
    return rows


def tell(found: list[Ratio]) -> str:
    """The figures as a table."""
    heads = (
        "latency", "rollouts/s: evaluator, runner", "ratio (range)",
        "start to report in s: evaluator, runner (after the last rollout)", "ratio",
        "CPU s of the evaluator; while it plays; stub",
        "CPU s of the sandbox; while it plays", "CPU s of the runner; while it plays",
        "CPU s of stub; hub",
    )  # fmt: skip
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for item in found:
        bare, ours = item.bare, item.ours
        rate = [environment.TASKS / side["rollouts_seconds"] for side in (bare, ours)]
        whole, after = ours["whole_seconds"], ours["after_seconds"]
        cells = (
            f"{item.latency_ms} ms",
            f"{rate[0]:.2f}, {rate[1]:.2f}",
            f"**{item.phase:.3f}** ({item.phase_range[0]:.2f} to {item.phase_range[1]:.2f})",
            f"{bare['whole_seconds']:.1f}, {whole:.1f} ({after:.1f})",
            f"{item.whole:.2f}",
            "; ".join(f"{bare[name]:.1f}" for name in BARE_CPU),
            f"{ours['environment_cpu']:.1f}; {ours['environment_phase_cpu']:.1f}",
            f"{ours['runner_cpu']:.1f}; {ours['runner_phase_cpu']:.1f}",
            f"{ours['stub_cpu']:.1f}; {ours['hub_cpu']:.1f}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


__all__ = ["TARGET", "Place", "Ratio", "asdict", "measure", "tell"]
