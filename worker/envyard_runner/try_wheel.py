"""`hub-runner try WHEEL`: one run of the probes, or of a model by a suite, with no hub.

The run takes the same path as a leased one: venv, sandbox, gateway, verdict, replays. Only the
hub's side is replaced: the wheel is a local file, events stay in memory, and the options name what
a hub's operator and owners would provide. The model is the one that HUB_MODEL_URL, with the key in
HUB_MODEL_KEY, serves under the name `--model`.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from envyard.contract import local_access
from envyard.contract import wheel as wheels
from envyard.contract.detect import Detection
from envyard.contract.examine import examine
from envyard.contract.job import MODEL, JobSpec, RunLimits, WheelRef
from envyard.contract.local_access import BadOption, LocalAccess
from envyard.contract.probes import PROBE_NAMES
from envyard.contract.suite import BadSuite, SuiteDefinition
from envyard.contract.survey import SURVEY_TASKS
from envyard_runner.config import Config, ConfigError
from envyard_runner.doctor.machine import require_sandbox
from envyard_runner.execution.run import RunnerContext, perform
from envyard_runner.hub_api.local_hub import LocalHub
from envyard_runner.model.endpoint import Endpoint, EndpointError
from envyard_runner.sandbox import SandboxError, reap_orphans

DONE, REFUSED = 0, 1
ROOT_HOME = Path("/var/lib/envyard-try")
TASKS = 5
SHOWN_NAMES = 10


def main(arguments: Sequence[str]) -> int:
    """Play a wheel on this machine; one JSON document on stdout."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        access = local_access.read(options, os.environ)
        findings, detected = examine(options.wheel)
        if not detected.framework:
            codes = ", ".join(error.code for error in findings if error.severity == "error")
            sys.stderr.write(f"{options.wheel} cannot be run: {codes}; see `hub check`\n")
            return REFUSED
        config = _config(access, options.model)
        job = local_job(options.wheel, detected, options.tasks, access, config)
        if options.model:
            asyncio.run(_require_model(config, options.model))
            suite = SuiteDefinition.from_dict(json.loads(options.suite))
            job = evaluation_of(job, options.model, suite, config, before=options.before)
        document = asyncio.run(run(RunnerContext(config), options.wheel, job, access))
    except (BadOption, BadSuite) as error:
        parser.error(str(error))
    except EndpointError as error:
        sys.stderr.write(f"the model cannot be used: {error}\n")
        return REFUSED
    except (ConfigError, SandboxError, OSError) as error:
        sys.stderr.write(f"{error}\n`hub-runner doctor` checks this machine.\n")
        return REFUSED
    sys.stdout.write(json.dumps(document) + "\n")
    return DONE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("hub-runner try", description=__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--tasks", type=int, default=TASKS, help=f"tasks of the probes ({TASKS})")
    parser.add_argument("--model", default="", help="the model to evaluate, instead of the probes")
    parser.add_argument("--suite", metavar="JSON", default="{}", help="the model's suite")
    parser.add_argument(
        "--before", metavar="TIME", default="", help="dependencies as they were then (ISO 8601)"
    )
    local_access.add_options(parser)
    return parser


def _config(access: LocalAccess, model: str) -> Config:
    """The runner's settings and the options', with a folder apart from that of a runner here."""
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    home = ROOT_HOME if os.geteuid() == 0 else Path(cache, "envyard", "try")
    chosen = {**access.settings, **({"HUB_MODEL": model} if model else {})}
    return Config.from_environment({"RUNNER_HOME": str(home), **os.environ, **chosen})


async def _require_model(config: Config, model: str) -> None:
    """Raise EndpointError at once where the server does not list the model: a run would wait for it
    as for one that is starting."""
    if not config.model_url:
        raise EndpointError("HUB_MODEL_URL names no server")
    names = await Endpoint(config.model_url, config.model_key).names()
    if model not in names:
        shown = ", ".join(names[:SHOWN_NAMES]) or "none"
        raise EndpointError(f"{config.model_url} lists no model {model!r}; it lists {shown}")


async def run(
    machine: RunnerContext, wheel: Path, job: JobSpec, access: LocalAccess
) -> dict[str, Any]:
    """Perform the job on this machine; its ending and its evidence as a JSON document.

    Raises SandboxError where the machine has no sandbox.
    """
    await require_sandbox(machine.config)
    reap_orphans(machine.config)
    is_evaluation = MODEL in job.policies
    hub = LocalHub(
        await asyncio.to_thread(wheel.read_bytes),
        access.values,
        keeps_transcripts=is_evaluation,
        on_progress=_report_progress if is_evaluation else None,
    )
    ending = await perform(job, hub=hub, machine=machine, stopping=asyncio.Event())
    return {
        "outcome": "errored" if ending is None else ending.outcome,
        "findings": [] if ending is None else [problem.to_dict() for problem in ending.findings],
        "policies": list(job.policies),
        "tasks": job.tasks,
        "attempts": job.attempts,
        "seed": job.seed,
        "facts": hub.facts,
        "rollouts": hub.rollouts,
        "replays": hub.replays,
        "log": hub.log,
    }


def _report_progress(phase: str, done: int, total: int) -> None:
    """One line of JSON on stderr, for the program that started this one."""
    progress = {"phase": phase, "done": done, "total": total}
    sys.stderr.write(json.dumps({"progress": progress}) + "\n")
    sys.stderr.flush()


def evaluation_of(
    job: JobSpec, model: str, suite: SuiteDefinition, config: Config, *, before: str = ""
) -> JobSpec:
    """The job of the model on the same wheel by the suite, as long as this machine allows."""
    limits = RunLimits(
        wall_seconds=config.limits.wall_seconds, cpu_seconds=config.limits.cpu_seconds
    )
    return replace(
        job,
        policies=(MODEL,),
        model=model,
        tasks=suite.tasks,
        indexes=suite.indexes,
        attempts=suite.attempts,
        seed=suite.seed_of(job.wheel.sha256),
        temperature=suite.temperature,
        limits=replace(limits, **asdict(suite.limits)),
        survey_tasks=0,
        uploaded_at=before,
    )


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
