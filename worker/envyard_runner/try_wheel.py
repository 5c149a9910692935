"""`hub-runner try WHEEL`: one run of the probes on this machine, with no hub.

The run takes the same path as a leased one: venv, sandbox, gateway, verdict, replays. Only the
hub's side is replaced: the wheel is a local file, events stay in memory, and the options name what
a hub's operator and owners would provide.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from envyard.contract import local_access
from envyard.contract import wheel as wheels
from envyard.contract.detect import Detection
from envyard.contract.examine import examine
from envyard.contract.job import JobSpec, WheelRef
from envyard.contract.local_access import BadOption, LocalAccess
from envyard.contract.probes import PROBE_NAMES
from envyard.contract.survey import SURVEY_TASKS
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
    local_access.add_options(parser)
    options = parser.parse_args(arguments)
    try:
        access = local_access.read(options, os.environ)
        findings, detected = examine(options.wheel)
        if not detected.framework:
            codes = ", ".join(error.code for error in findings if error.severity == "error")
            sys.stderr.write(f"{options.wheel} cannot be run: {codes}; see `hub check`\n")
            return REFUSED
        config = _config(access)
        job = local_job(options.wheel, detected, options.tasks, access, config)
        document = asyncio.run(run(RunnerContext(config), options.wheel, job, access))
    except BadOption as error:
        parser.error(str(error))
    except (ConfigError, SandboxError, OSError) as error:
        sys.stderr.write(f"{error}\n`hub-runner doctor` checks this machine.\n")
        return REFUSED
    sys.stdout.write(json.dumps(document) + "\n")
    return DONE


def _config(access: LocalAccess) -> Config:
    """The runner's settings and the options', with a folder apart from that of a runner here."""
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    home = ROOT_HOME if os.geteuid() == 0 else Path(cache, "envyard", "try")
    return Config.from_environment({"RUNNER_HOME": str(home), **os.environ, **access.settings})


async def run(
    machine: RunnerContext, wheel: Path, job: JobSpec, access: LocalAccess
) -> dict[str, Any]:
    """Perform the job on this machine; its ending and its evidence as a JSON document.

    Raises SandboxError where the machine has no sandbox.
    """
    await require_sandbox(machine.config)
    reap_orphans(machine.config)
    hub = LocalHub(await asyncio.to_thread(wheel.read_bytes), access.values)
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


def local_job(
    wheel: Path, detected: Detection, tasks: int, access: LocalAccess, config: Config
) -> JobSpec:
    """The job of all probes at the first tasks of a local wheel."""
    parsed, data = wheels.read(wheel), wheel.read_bytes()
    declared = {need.kind: need.names for need in detected.needs if need.declared}
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
        survey_tasks=SURVEY_TASKS,
        judge_model=(config.judge_model or "") if config.judge_url else "",
        declares_judge="judge" in declared,
        variables=detected.variables | access.variables,
        hosts=access.hosts,
        declared_hosts=tuple(declared.get("host", ())),
        secrets=access.secrets,
    )
