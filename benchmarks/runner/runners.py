"""Runs per second of four runners and of one on the same hub, with a model of fixed latency."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import requests

from benchmarks.registry import machine

ROOT = Path(__file__).parents[2]
TARGET = 3.5
RUNNERS = 4
TASKS, TURNS = 4, 8
RUNS = "SELECT status, started_at, ended_at FROM registry_run WHERE id IN ({})"
ROLLOUTS = "SELECT count(*) FROM registry_rollout WHERE ok AND run_id IN ({})"
HUB = ("web", "worker", "clock")
WAIT_SECONDS = 240.0


@dataclass(frozen=True, slots=True)
class Scale:
    """Runs per second by one runner and by four; CPU seconds per run of the hub and of a runner."""

    latency_ms: int
    one_rate: float
    four_rate: float
    hub_cpu: float
    runner_cpu: float

    @property
    def ratio(self) -> float:
        """The runs of four runners divided by those of one."""
        return self.four_rate / self.one_rate


def measure(
    scratch: Path, model_url: str, *, cases: dict[int, int], progress: Callable[[str], None]
) -> list[Scale]:
    """One row per latency; `cases` has the number of runs per runner for each."""
    with hub(scratch) as (environ, programs, tokens):
        return [
            _scale(scratch, model_url, environ, programs, tokens, latency, runs, progress)
            for latency, runs in cases.items()
        ]


@contextmanager
def hub(
    scratch: Path, **more: str
) -> Iterator[tuple[dict[str, str], list[machine.Program], list[str]]]:
    """A hub as `make run` starts it, with SQLite and a folder of mail, without a runner; `more` are
    settings of it."""
    port = machine.free_port()
    settings = ("HUB_", "DATABASE_", "RUNNER_")
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(settings)}
    environ = (
        inherited
        | {
            "HUB_HOME": str(scratch / "hub"),
            "HUB_PORT": str(port),
            "HUB_MODEL": "stub",
            "HUB_OWNER_RUNS": "100",
            "HUB_SMOKE_TASKS": str(TASKS),
            "HUB_SMOKE_ATTEMPTS": "1",
            "HUB_LOG_LEVEL": "WARNING",
            "PYTHONPATH": str(ROOT),
            "NO_PROXY": "127.0.0.1",
        }
        | more
    )
    tokens = hub_command(environ, "prepare", str(RUNNERS))
    with ExitStack() as stack:
        programs = []
        for name in HUB:
            command = [sys.executable, "-m", "benchmarks.runner.hub_side", "become", name]
            program = started_program(command, environ, scratch / f"{name}.log")
            stack.callback(machine.stop, program)
            programs.append(program)
        _wait_for(lambda: _responds(f"http://127.0.0.1:{port}/healthz"), "the hub")
        yield environ | {"HUB_URL": f"http://127.0.0.1:{port}"}, programs, tokens


def _scale(
    scratch: Path,
    model_url: str,
    environ: dict[str, str],
    programs: list[machine.Program],
    tokens: list[str],
    latency: int,
    runs: int,
    progress: Callable[[str], None],
) -> Scale:
    rates, hub_cpu, runner_cpu = [], 0.0, 0.0
    model = f"ms-{latency}"
    for number in (1, RUNNERS):
        with ExitStack() as stack:
            started = []
            for index in range(number):
                home = scratch / f"runner-{index}"
                home.mkdir(exist_ok=True)
                home.chmod(0o755)
                settings = {"RUNNER_HOME": str(home), "HUB_RUNNER_TOKEN": tokens[index]}
                settings |= {"HUB_MODEL_URL": model_url, "HUB_MODEL": model}
                command = [sys.executable, "-m", "benchmarks.runner.runner_process"]
                log = scratch / f"runner-{index}.log"
                started.append(started_program(command, environ | settings, log))
                stack.callback(machine.stop, started[-1])
            progress(f"{latency} ms: {number} runner{'s' * (number > 1)}, {runs} runs each")
            _seconds_of(environ, model, number)  # each runner executes one run first
            before = _cpu(programs), _cpu(started)
            seconds = _seconds_of(environ, model, runs * number)
            hub_cpu = (_cpu(programs) - before[0]) / (runs * number)
            runner_cpu = (_cpu(started) - before[1]) / (runs * number)
            rates.append(runs * number / seconds)
    return Scale(latency, rates[0], rates[1], hub_cpu, runner_cpu)


def _seconds_of(environ: dict[str, str], model: str, runs: int) -> float:
    """Queue that many runs and wait for their end; returns the seconds from the first lease to the
    last end. Raises RuntimeError for a run without all its rollouts."""
    ids = hub_command(environ, "queue", str(runs), model)
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        time.sleep(0.5)
        rows = read_rows(environ, RUNS, ids)
        if all(status == "succeeded" for status, _, _ in rows):
            break
        failures = {status for status, _, _ in rows} & {"failed", "errored", "cancelled"}
        if failures or time.monotonic() > deadline:
            raise RuntimeError(f"{runs} runs of {model} came to {rows}")
    ((rollouts,),) = read_rows(environ, ROLLOUTS, ids)
    if rollouts != runs * TASKS:
        raise RuntimeError(f"{runs} runs of {TASKS} rollouts came to {rollouts} rollouts")
    first, last = min(row[1] for row in rows), max(row[2] for row in rows)
    return (datetime.fromisoformat(last) - datetime.fromisoformat(first)).total_seconds()


def read_rows(environ: dict[str, str], query: str, ids: list[str]) -> list[Any]:
    """Rows of these runs, read from the hub's database without Django."""
    file = f"file:{environ['HUB_HOME']}/hub.sqlite3?mode=ro"
    with closing(sqlite3.connect(file, uri=True, timeout=30)) as database:
        return database.execute(query.format(",".join("?" * len(ids))), ids).fetchall()


def hub_command(environ: dict[str, str], *arguments: str) -> Any:
    """What a command of `hub_side` prints, read as JSON; raises RuntimeError where it fails."""
    command = [sys.executable, "-m", "benchmarks.runner.hub_side", *arguments]
    options = {"cwd": ROOT, "capture_output": True, "text": True, "check": False}
    completed = subprocess.run(command, env=environ, **options)  # type: ignore[call-overload]
    if completed.returncode:
        raise RuntimeError(f"{arguments} failed:\n{completed.stderr[-2000:]}")
    return json.loads(completed.stdout.splitlines()[-1]) if completed.stdout else None


def started_program(command: list[str], environ: dict[str, str], log: Path) -> machine.Program:
    """The program, started in a session of its own, with its output in the log."""
    with log.open("ab") as output:
        return subprocess.Popen(
            command, stdout=output, stderr=output, env=environ, cwd=ROOT, start_new_session=True
        )


def _wait_for(is_ready: Callable[[], bool], name: str, seconds: float = 120.0) -> None:
    deadline = time.monotonic() + seconds
    while not is_ready():
        if time.monotonic() > deadline:
            raise RuntimeError(f"waited {seconds:.0f} s for {name}")
        time.sleep(0.2)


def _responds(url: str) -> bool:
    try:
        return requests.get(url, timeout=5).status_code == 200
    except requests.RequestException:
        return False


def _cpu(programs: list[machine.Program]) -> float:
    return sum(machine.cpu_seconds(program.pid) for program in programs)


def table(rows: list[Scale]) -> str:
    """The figures as a table."""
    lines = [
        "| latency | runs/s: 1 runner, 4 runners | ratio | CPU s per run: hub, runner (sandbox) |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {item.latency_ms} ms | {item.one_rate:.3f}, {item.four_rate:.3f} "
        f"| **{item.ratio:.2f}** | {item.hub_cpu:.2f}, {item.runner_cpu:.2f} |"
        for item in rows
    ]
    return "\n".join(lines)


__all__ = ["TARGET", "Scale", "asdict", "measure", "table"]
