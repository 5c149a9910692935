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
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from envyard.contract import wheel as wheels
from envyard.contract.detect import Detection
from envyard.contract.examine import examine
from envyard.contract.job import PROBES, JobSpec, WheelRef
from envyard_runner.config import Config, ConfigError
from envyard_runner.doctor import require_sandbox
from envyard_runner.run import Machine, perform
from envyard_runner.sandbox import SandboxError, reap_orphans

DONE, REFUSED = 0, 1
ROOT_HOME = Path("/var/lib/envyard-try")
LOG_TAIL = 20_000  # characters
TASKS = 5


class LocalHub:
    """Takes the place of the hub for one run: serves one local wheel and keeps every event."""

    def __init__(self, wheel: Path) -> None:
        self._wheel = wheel
        self.log = ""
        self.facts: dict[str, Any] = {}
        self.rollouts: list[dict[str, Any]] = []
        self.replays: list[dict[str, Any]] = []

    async def download(self, wheel: WheelRef, token: str, target: Path) -> None:
        """Copy the local wheel."""
        await asyncio.to_thread(shutil.copyfile, self._wheel, target)

    async def lock(self, job: JobSpec, platform: str, offered: str | None) -> str | None:
        """Whatever was resolved here is the lock."""
        return offered

    async def call(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None = None,
        *,
        token: str = "",
        patience: float | None = None,
    ) -> dict[str, Any]:
        """Keep an event batch; the ending is what `perform` returns."""
        if path.endswith("/events/") and body is not None:
            self.log = (self.log + body["log"])[-LOG_TAIL:]
            self.facts |= body["facts"]
            self.rollouts += [_plain(rollout) for rollout in body["rollouts"]]
            self.replays += body["replays"]
        return {}


def _plain(rollout: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in rollout.items() if key != "transcript"}


def main(arguments: Sequence[str]) -> int:
    """Run the probes against a wheel; one JSON document on stdout."""
    parser = argparse.ArgumentParser("hub-runner try", description=__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--tasks", type=int, default=TASKS, help=f"tasks to take ({TASKS})")
    asked = parser.parse_args(arguments)
    try:
        findings, detected = examine(asked.wheel)
        if not detected.framework:
            codes = ", ".join(found.code for found in findings if found.severity == "error")
            sys.stderr.write(f"{asked.wheel} cannot be run: {codes}; see `hub check`\n")
            return REFUSED
        document = asyncio.run(_play(_config(), asked.wheel, detected, asked.tasks))
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


async def _play(config: Config, wheel: Path, detected: Detection, tasks: int) -> dict[str, Any]:
    await require_sandbox(config)
    reap_orphans(config)
    job = _job(wheel, detected, tasks)
    hub = LocalHub(wheel)
    ending = await perform(job, hub=hub, machine=Machine(config), stopping=asyncio.Event())
    return {
        "outcome": "errored" if ending is None else ending.outcome,
        "findings": [] if ending is None else [one.to_dict() for one in ending.findings],
        "policies": list(job.policies),
        "tasks": job.tasks,
        "attempts": job.attempts,
        "facts": hub.facts,
        "rollouts": hub.rollouts,
        "replays": hub.replays,
        "log": hub.log,
    }


def _job(wheel: Path, detected: Detection, tasks: int) -> JobSpec:
    read, data = wheels.read(wheel), wheel.read_bytes()
    return JobSpec(
        run=str(uuid4()),
        attempt=1,
        run_token="",
        environment=f"local/{read.name}",
        version=read.version,
        wheel=WheelRef("", wheel.name, hashlib.sha256(data).hexdigest(), len(data)),
        framework=detected.framework,
        api=detected.api,
        module=detected.module,
        entry=detected.entry,
        policies=PROBES,
        tasks=tasks,
        attempts=1,
        seed=0,
        lease_seconds=3600.0,
    )
