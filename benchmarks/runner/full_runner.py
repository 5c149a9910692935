"""One run by the complete runner: `python -m benchmarks.runner.full_runner JOB`, a JobSpec as JSON.

The same steps as `hub-runner`: wheel from the hub, venv, sandbox, gateway, record, events, final
result. Reads the runner's own environment variables. Prints seconds as JSON; the phase of the
rollouts starts with the event `loaded` and ends with the last `rollout`.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import ClassVar

import aiohttp

from benchmarks.registry import machine
from benchmarks.runner.sandbox import adopt_orphans, reap
from envyard.contract.job import JobSpec
from envyard_runner.config import Config
from envyard_runner.execution.run import RunnerContext, perform
from envyard_runner.hub_api.client import HubClient
from envyard_runner.sandbox import Sandbox


@dataclass(frozen=True, slots=True)
class Stamp:
    """Elapsed seconds, and CPU seconds so far of the runner and the sandbox."""

    clock: float
    runner: float
    environment: float

    @classmethod
    def now(cls) -> Stamp:
        """The current values."""
        runner = _cpu(resource.RUSAGE_SELF)
        return cls(time.perf_counter(), runner, machine.cpu_seconds(os.getpid()) - runner)


stamps: dict[bytes, Stamp] = {}


class Timed(Sandbox):
    """A sandbox that stores a stamp at the event `loaded` and at the last `rollout`; not in the
    second sandbox of a run, in which a sample is replayed."""

    rollouts: ClassVar[int]

    async def lines(self) -> AsyncIterator[bytes]:
        """The same lines."""
        is_second, remaining = bool(stamps), self.rollouts
        async for line in super().lines():
            if not is_second and b'"event":"loaded"' in line[:40]:
                stamps[b"loaded"] = Stamp.now()
            if not is_second and b'"event":"rollout"' in line[:40]:
                remaining -= 1
                if not remaining:
                    stamps[b"rollout"] = Stamp.now()
            yield line


async def run(job: JobSpec) -> dict[str, object]:
    """Perform the job and return its times."""
    config, Timed.rollouts = Config.from_environment(), job.tasks
    async with aiohttp.ClientSession() as session:
        hub = HubClient(session, url=config.hub_url, token=config.token or "")
        timed = RunnerContext(config, prepare=Timed.prepare)
        began = Stamp.now()
        ending = await perform(job, hub=hub, machine=timed, stopping=asyncio.Event())
        ended = time.perf_counter()
    reap()
    loaded, played = stamps[b"loaded"], stamps[b"rollout"]
    return {
        "outcome": ending.outcome if ending else "given up",
        "findings": [finding.message for finding in ending.findings] if ending else [],
        "total_seconds": ended - began.clock,
        "load_seconds": loaded.clock - began.clock,
        "rollouts_seconds": played.clock - loaded.clock,
        "after_seconds": ended - played.clock,
        "runner_phase_cpu": played.runner - loaded.runner,
        "environment_phase_cpu": played.environment - loaded.environment,
        "runner_cpu": _cpu(resource.RUSAGE_SELF) - began.runner,
        "environment_cpu": _cpu(resource.RUSAGE_CHILDREN),
    }


def _cpu(scope: int) -> float:
    used = resource.getrusage(scope)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    adopt_orphans()
    os.umask(0o022)
    figures = asyncio.run(run(JobSpec.from_dict(json.loads(sys.argv[1]))))
    sys.stdout.write(json.dumps(figures) + "\n")
