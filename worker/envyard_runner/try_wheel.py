"""`hub-runner try WHEEL`: one run of the probes on this machine, with no hub.

The run takes the same path as a leased one: venv, sandbox, gateway, verdict, replays. Only the
hub's side is replaced: the wheel is a local file and events stay in memory.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from envyard.contract import wheel as wheels
from envyard.contract.detect import Detection
from envyard.contract.examine import examine
from envyard.contract.job import JobSpec, WheelRef
from envyard.contract.probes import PROBE_NAMES
from envyard_runner.config import Config, ConfigError
from envyard_runner.doctor.machine import require_sandbox
from envyard_runner.execution.run import RunnerContext, perform
from envyard_runner.hub_api.local_hub import LocalHub
from envyard_runner.sandbox import SandboxError, reap_orphans

DONE, REFUSED = 0, 1
ROOT_HOME = Path("/var/lib/envyard-try")
TASKS = 5


def main(arguments: Sequence[str]) -> int:
    """Run the probes against a wheel; one JSON document on stdout."""
    parser = argparse.ArgumentParser("hub-runner try", description=__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--tasks", type=int, default=TASKS, help=f"tasks to take ({TASKS})")
    options = parser.parse_args(arguments)
    try:
        findings, detected = examine(options.wheel)
        if not detected.framework:
            codes = ", ".join(error.code for error in findings if error.severity == "error")
            sys.stderr.write(f"{options.wheel} cannot be run: {codes}; see `hub check`\n")
            return REFUSED
        machine = RunnerContext(_config())
        job = local_job(options.wheel, detected, options.tasks)
        document = asyncio.run(run(machine, options.wheel, job))
    except (ConfigError, SandboxError, OSError) as error:
        sys.stderr.write(f"{error}\n`hub-runner doctor` checks this machine.\n")
        return REFUSED
    sys.stdout.write(json.dumps(document) + "\n")
    return DONE


def _config() -> Config:
    """The runner's settings with a folder of its own, apart from a runner's on this machine."""
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    home = ROOT_HOME if os.geteuid() == 0 else Path(cache, "envyard", "try")
    return Config.from_environment({"RUNNER_HOME": str(home), **os.environ})


async def run(
    machine: RunnerContext, wheel: Path, job: JobSpec, *, secrets: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Perform the job on this machine; its ending and its evidence as a JSON document.

    `secrets` are the values of the job's. Raises SandboxError where the machine has no sandbox.
    """
    await require_sandbox(machine.config)
    reap_orphans(machine.config)
    hub = LocalHub(await asyncio.to_thread(wheel.read_bytes), secrets)
    ending = await perform(job, hub=hub, machine=machine, stopping=asyncio.Event())
    return {
        "outcome": "errored" if ending is None else ending.outcome,
        "findings": [] if ending is None else [problem.to_dict() for problem in ending.findings],
        "policies": list(job.policies),
        "tasks": job.tasks,
        "attempts": job.attempts,
        "facts": hub.facts,
        "rollouts": hub.rollouts,
        "replays": hub.replays,
        "log": hub.log,
    }


def local_job(wheel: Path, detected: Detection, tasks: int) -> JobSpec:
    """The job of all probes at the first tasks of a local wheel."""
    parsed, data = wheels.read(wheel), wheel.read_bytes()
    return JobSpec(
        run=str(uuid4()),
        attempt=1,
        run_token="",
        environment=f"local/{parsed.name}",
        version=parsed.version,
        wheel=WheelRef("", wheel.name, hashlib.sha256(data).hexdigest(), len(data)),
        framework=detected.framework,
        api=detected.api,
        module=detected.module,
        entry=detected.entry,
        policies=PROBE_NAMES,
        tasks=tasks,
        attempts=1,
        seed=0,
        lease_seconds=3600.0,
    )
