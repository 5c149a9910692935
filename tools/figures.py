"""Serve a model as runners use it, play rollouts with it, and print the measurements as a table.

    make figures ARGS="--model Qwen/Qwen3-8B --gpus 0,1 -- --max-model-len 16384"

Everything between an environment and the model is the runner's own: `hub-runner model`, the
gateway, and as many calls at once as the server's figures allow. What follows `--` goes to vLLM.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import aiohttp

from envyard.contract.facts import TaskResult
from envyard.contract.job import MODEL, JobSpec, RunLimits, WheelRef
from envyard_runner.config import Config
from envyard_runner.execution.model_access import open_model
from envyard_runner.gateway import Gateway
from envyard_runner.model.state import State, watched

NAME = "measured"
START_SECONDS = 3600
LOOK_SECONDS = 1.0
SMI = ("nvidia-smi", "--format=csv,noheader,nounits", "--query-gpu")
PROMPT = "Write a story about the number {number}, as long as you are let."
MORE = "Go on."


@dataclass
class Figures:
    """The measurements: seconds, counts, and samples of the GPUs as (busy per cent, MiB in use)."""

    start_seconds: float = 0.0
    seconds: float = 0.0
    rollouts: int = 0
    read: int = 0
    written: int = 0
    peak: int = 0
    failed: int = 0
    gpus: list[list[tuple[float, float]]] = field(default_factory=list)

    def rows(self) -> Iterator[tuple[str, str]]:
        """Each with its name."""
        yield "start until ready", f"{self.start_seconds:.0f} s"
        yield "rollouts", f"{self.rollouts} in {self.seconds:.1f} s, {self.failed} failed"
        yield "rollouts/s", f"{self.rollouts / self.seconds:.2f}"
        yield "tokens written/s", f"{self.written / self.seconds:.0f}"
        yield "tokens read/s", f"{self.read / self.seconds:.0f}"
        yield "calls at once", f"{self.peak}"
        if not self.gpus:
            yield "GPUs", "none"
            return
        for number, looks in enumerate(zip(*self.gpus, strict=True)):
            busy = sum(look[0] for look in looks) / len(looks)
            peak = max(look[1] for look in looks)
            yield f"GPU {number}", f"{busy:.0f} % busy, {peak:.0f} MiB at most"


def parse_arguments() -> tuple[argparse.Namespace, list[str]]:
    """The options, and the arguments after `--` for vLLM."""
    arguments = sys.argv[1:]
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--model", required=True, help="a folder, or a name on the model hub")
    parser.add_argument("--gpus", default="", help="GPUs to spread it over, such as 0,1 (all)")
    parser.add_argument("--tasks", type=int, default=64, help="tasks, played 4 times each")
    parser.add_argument("--turns", type=int, default=4, help="calls of a rollout")
    parser.add_argument("--tokens", type=int, default=256, help="most tokens of an answer")
    parser.add_argument("--at-once", type=int, default=64, help="rollouts side by side at most")
    return parser.parse_args(arguments[:cut]), arguments[cut + 1 :]


@contextmanager
def serving(home: Path, options: argparse.Namespace, extra: list[str]) -> Iterator[None]:
    """Run `hub-runner model` until it is ready."""
    command = [sys.executable, "-m", "envyard_runner", "model", "--model", options.model]
    command += ["--name", NAME, "--gpus", options.gpus, "--", *extra]
    environ = os.environ | {"RUNNER_HOME": str(home)}
    process = subprocess.Popen(command, env=environ, stdout=sys.stderr)
    try:
        deadline = time.monotonic() + START_SECONDS
        while not any(state.phase == "ready" for state in servers(home)):
            if process.poll() is not None or time.monotonic() > deadline:
                sys.exit("the model is not served; the reason is above")
            time.sleep(0.2)
        yield
    finally:
        process.terminate()
        process.wait()


def servers(home: Path) -> list[State]:
    """The state of the servers of that home."""
    return watched(home / "models")


def job(options: argparse.Namespace) -> JobSpec:
    """A run of the model only, which needs no wheel and no hub."""
    limits = RunLimits(
        rollout_seconds=600.0, max_tokens=options.tokens, max_turns=options.turns,
        calls_per_rollout=options.turns,
    )  # fmt: skip
    return JobSpec(
        run="figures", attempt=1, run_token="", environment="figures/figures", version="1",
        wheel=WheelRef("", "", "", 0), framework="", api="", module="", entry="",
        policies=(MODEL,), tasks=options.tasks, attempts=4, seed=1, lease_seconds=60.0,
        model=NAME, limits=limits,
    )  # fmt: skip


@asynccontextmanager
async def watching_gpus(figures: Figures) -> AsyncIterator[None]:
    """Record the load of the GPUs if nvidia-smi is installed."""

    async def look() -> None:
        while shutil.which(SMI[0]):
            rows = await asyncio.to_thread(smi, "utilization.gpu,memory.used")
            with suppress(ValueError):  # a slice of a GPU (MIG) does not report its load
                figures.gpus.append([(float(a), float(b)) for a, b in rows])
            await asyncio.sleep(LOOK_SECONDS)

    looking = asyncio.create_task(look())
    try:
        yield
    finally:
        looking.cancel()


def smi(fields: str) -> list[list[str]]:
    """These fields of each GPU."""
    completed = subprocess.run([*SMI[:2], f"{SMI[2]}={fields}"], capture_output=True, text=True)
    return [[part.strip() for part in line.split(",")] for line in completed.stdout.splitlines()]


def log_line(text: str) -> None:
    """Print a line to stderr."""
    print(text, file=sys.stderr, flush=True)


async def measure(home: Path, options: argparse.Namespace, figures: Figures) -> None:
    """Run every rollout through the gateway, with the concurrency of the runner."""
    config = replace(Config.from_environment(), home=home, concurrency=options.at_once)
    async with open_model(job(options), config, log_line=log_line) as (spec, model):
        assert model is not None  # noqa: S101  (the job has a model)
        gateway = Gateway(spec, model)
        tasks = [TaskResult(n, str(n), "", reference=False) for n in range(spec.tasks)]
        gateway.plan.make(tasks, swapped=(), compares=False)
        listening = socket.create_server(("127.0.0.1", 0))
        await gateway.open(listening)
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        groups = await gateway.plan.groups()
        places = asyncio.Semaphore(spec.concurrency)
        async with aiohttp.ClientSession() as client, watching_gpus(figures):
            began = time.monotonic()

            async def placed(word: str, number: int) -> None:
                async with places:
                    await rollout(client, f"{url}/rollouts/{word}/v1", number, options, figures)

            await asyncio.gather(
                *(placed(placement["rollout"], placement["task"]) for (placement,) in groups)
            )
            figures.seconds = time.monotonic() - began
        figures.peak = model.peak
        await gateway.close()


async def rollout(
    client: aiohttp.ClientSession,
    url: str,
    number: int,
    options: argparse.Namespace,
    figures: Figures,
) -> None:
    """One conversation, each turn with all earlier messages."""
    messages = [{"role": "user", "content": PROMPT.format(number=number)}]
    for _ in range(options.turns):
        async with client.post(f"{url}/chat/completions", json={"messages": messages}) as answer:
            answer_ = await answer.json()
        if answer.status != 200:
            log_line(answer_["error"]["message"])
            figures.failed += 1
            break
        figures.read += answer_["usage"]["prompt_tokens"]
        figures.written += answer_["usage"]["completion_tokens"]
        messages += [answer_["choices"][0]["message"], {"role": "user", "content": MORE}]
    figures.rollouts += 1


def main() -> None:
    """Print the table; progress and vLLM's trouble go to stderr."""
    options, extra = parse_arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the server must go with this process
    figures = Figures()
    with TemporaryDirectory(prefix="envyard-figures-") as name:
        began = time.monotonic()
        with serving(Path(name), options, extra):
            figures.start_seconds = time.monotonic() - began
            asyncio.run(measure(Path(name), options, figures))
    gpus = smi("name,driver_version") if shutil.which(SMI[0]) else []
    machine = [", ".join(gpu) for gpu in gpus] or [f"{os.cpu_count()} x {platform.machine()}"]
    words = " ".join([options.model, *extra])
    print(f"| {'; '.join(machine)} | {words} |\n|---|---|")
    print("\n".join(f"| {name} | {value} |" for name, value in figures.rows()))


if __name__ == "__main__":
    main()
