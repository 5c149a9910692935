"""Perform one run, from its job to its ending."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from envyard.contract import wheel as wheels
from envyard.contract.findings import finding
from envyard.contract.frameworks.adapter import Adapter
from envyard.contract.frameworks.adapters import ADAPTERS
from envyard.contract.job import JobSpec
from envyard.contract.needs import declarations
from envyard_runner.config import Config
from envyard_runner.execution import environment_code
from envyard_runner.execution.data_access import open_data
from envyard_runner.execution.host_access import HostAccess, open_hosts
from envyard_runner.execution.judge_access import open_judge
from envyard_runner.execution.machine_faults import machine_fault
from envyard_runner.execution.model_access import open_model
from envyard_runner.execution.play import play
from envyard_runner.execution.run_state import keep_state
from envyard_runner.execution.sandboxes import RunAccess, SandboxFactory
from envyard_runner.execution.verdict import Ending, platform_ending
from envyard_runner.frameworks.requirements import framework_requirements, is_known_release
from envyard_runner.guest.job import GuestJob
from envyard_runner.hub_api.client import (
    HubRefused,
    HubUnreachable,
    RunHub,
    Superseded,
    WheelChanged,
)
from envyard_runner.hub_api.event_outbox import Cancelled, EventOutbox
from envyard_runner.model.available import NoModel
from envyard_runner.proxy.outside import Outside
from envyard_runner.proxy.secrets import SecretUnusable
from envyard_runner.sandbox import Sandbox, SandboxError
from envyard_runner.sandbox.rundir import OwnedDir
from envyard_runner.state.process_state import state_file
from envyard_runner.state.service import SelfCheck, record_ending, run_doctor
from envyard_runner.venvs import Venv, VenvError, build_venv, uv
from envyard_runner.venvs.git_builds import Downloaded
from envyard_runner.venvs.script_wheels import VARIABLES as SCRIPT_VARIABLES

log = logging.getLogger(__name__)

START_UV = {"openenv", "openenv-core"}  # distributions that expect uv on the machine
NLTK, NLTK_DATA = "nltk", "nltk_data"  # a distribution, and its folder below sys.prefix
UNKNOWN_RELEASE = " is not in this runner's table of releases: its names were not compared"
CLEANUP_SECONDS = 30.0
PROGRESS_SECONDS, MAX_PROGRESS_SECONDS = 3.0, 60.0
SLACK_SECONDS = 90.0  # for download, start and last reports, beyond install and wall clock


@dataclass(frozen=True, slots=True)
class RunnerContext:
    """What a run uses of this machine: its settings, the builder of venvs, the maker of sandboxes,
    the self-check of the machine after failed runs, and the network outside."""

    config: Config
    build: Callable[..., Awaitable[Venv]] = build_venv
    prepare: Callable[..., Sandbox] = Sandbox.prepare
    self_check: SelfCheck = run_doctor
    outside: Callable[[], Outside] = Outside


async def perform(
    job: JobSpec, *, hub: RunHub, machine: RunnerContext, stopping: asyncio.Event
) -> Ending | None:
    """Perform one run and send its ending to the hub; None where the run was lost to another
    attempt. Never raises because of the environment's content.

    Must run on the main thread's loop: a sandbox dies with the thread that started it. The sandbox
    is gone on return in every case. `stopping` hands the run back to the queue.
    """
    outbox = EventOutbox(hub, job)
    log.info("run %s attempt %d: %s %s", job.run, job.attempt, job.environment, job.version)
    try:
        try:
            with state_file(machine.config.home, "run") as write_state:
                ending = await _first_ending(
                    run_attempt(job, hub, machine, outbox), outbox.keep_sending(),
                    _ending_when_stopped(stopping), keep_state(job, outbox, write_state),
                    seconds=job.limits.install_seconds + job.limits.wall_seconds + SLACK_SECONDS,
                )  # fmt: skip
        except OSError as error:
            log.exception("run %s: the runner failed", job.run)
            ending = platform_ending("run.runner_error", f"the runner failed: {error}")
        outbox.phase = "scoring"
        ending = replace(ending, findings=outbox.redacted_findings(ending.findings))
        for each in ending.findings:
            outbox.log_line(f"{each.code}: {each.message}")
        record_ending(machine.config.home, job, ending.outcome, ending.findings, began=outbox.began)
        await outbox.finish(ending.outcome, ending.findings)
    except (Superseded, HubUnreachable, HubRefused) as error:
        log.warning("gave up run %s attempt %d: %s", job.run, job.attempt, error)
        return None
    codes = ", ".join(each.code for each in ending.findings)
    log.info("run %s attempt %d: %s %s", job.run, job.attempt, ending.outcome, codes)
    return ending


async def _first_ending(*coroutines: Coroutine[Any, Any, Ending | None], seconds: float) -> Ending:
    """The ending of the coroutine that ends first; the others are cancelled and have cleaned up by
    then."""
    tasks = [asyncio.ensure_future(coroutine) for coroutine in coroutines]
    try:
        done, _ = await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        _, stuck = await asyncio.wait(tasks, timeout=CLEANUP_SECONDS)
        for task in stuck:
            log.error("%s does not end; the next start of the runner clears up after it", task)
    if not done:
        return platform_ending("run.runner_error", f"the runner gave up after {seconds:.0f} s")
    try:
        ending = done.pop().result()  # the others' exceptions add nothing to the first
    except Cancelled:
        return Ending("cancelled")
    assert ending is not None  # noqa: S101  (keep_sending ends only by raising)
    return ending


async def _ending_when_stopped(stopping: asyncio.Event) -> Ending:
    await stopping.wait()
    return platform_ending(
        "run.handed_back", "the runner was stopped; the run goes back to the queue"
    )


async def run_attempt(
    job: JobSpec, hub: RunHub, machine: RunnerContext, outbox: EventOutbox
) -> Ending:
    """Evaluate the job and turn every exception into an ending that names the fault; the ending
    itself is not sent to the hub."""
    try:
        return await _evaluate(job, hub, machine, outbox)
    except VenvError as error:
        blamed = error.fault == "environment"
        return Ending("failed" if blamed else "errored", [error.finding])
    except WheelChanged as error:
        return platform_ending("run.wheel_changed", str(error))
    except SecretUnusable as error:
        return Ending("errored", [finding("needs.secret", str(error), names=[error.name])])
    except NoModel as error:
        return platform_ending("run.model_unreachable", str(error))
    except (Superseded, HubUnreachable, HubRefused):
        raise
    except SandboxError as error:
        log.error("run %s: no sandbox: %s", job.run, error)
        return platform_ending("run.runner_error", f"no sandbox: {error}")
    except Exception as error:
        log.exception("run %s: the runner failed", job.run)
        return platform_ending(
            "run.runner_error", f"the runner failed: {type(error).__name__}: {error}"
        )


async def _evaluate(
    job: JobSpec, hub: RunHub, machine: RunnerContext, outbox: EventOutbox
) -> Ending:
    job = replace(job, limits=machine.config.limits.judge_budgets(job.limits))
    adapter = ADAPTERS.get((job.framework, job.api))
    if adapter is None:
        return platform_ending(
            "run.runner_error",
            f"this runner has no adapter for framework {job.framework!r} with api {job.api!r}",
        )
    async with (
        open_model(job, machine.config, log_line=outbox.log_line) as (job, model),
        open_judge(job, machine.config) as judge_model,
        open_data(job, machine.config, hub) as data,
        open_hosts(job, machine.config, hub, machine.outside()) as hosts,
    ):
        venv = await _build_venv(job, adapter, hub, machine, outbox)
        prepare = partial(
            machine.prepare,
            config=replace(machine.config, python=venv.python or machine.config.python),
            venv=venv.dependencies,
            environment=venv.environment,
            programs=await asyncio.to_thread(_programs, machine.config, venv),
            certificates=hosts.certificates,
            folders=_data_folders(machine.config, venv),
        )
        variables = SCRIPT_VARIABLES if venv.script_wheels else {}
        limits = machine.config.limits.lowered(job.limits)
        factory = SandboxFactory(
            prepare, limits, variables, _guest_job(job, adapter, hosts),
            names_oracle=await asyncio.to_thread(environment_code.names_oracle, venv),
        )  # fmt: skip
        if hosts.secrets:
            outbox.without_secrets = hosts.secrets.without
        access = RunAccess(
            model, judge_model, data, hosts, machine.config.benchmarks,
            constants=await asyncio.to_thread(environment_code.constants_of, venv),
        )  # fmt: skip
        ending = await play(job, access, factory, outbox)
        if data.lock != job.data_lock and not job.data_frozen:
            await hub.data_lock(job, data.lock)
    if ending.outcome != "succeeded" or outbox.failed:
        outbox.log_line("the run or a rollout failed: checking the kept venv and the interpreter")
        fault = await asyncio.to_thread(machine_fault, machine.config, venv)
        return platform_ending("run.runner_error", fault) if fault else ending
    return ending


def _programs(config: Config, venv: Venv) -> dict[str, Path]:
    """uv, for scripts that name their own dependencies and for distributions that start it."""
    wanted = venv.script_wheels or any(pin.name in START_UV for pin in venv.pins)
    return {"uv": uv.shared_program(config)} if wanted else {}


def _data_folders(config: Config, venv: Venv) -> dict[str, Path]:
    """NLTK's data where NLTK looks for it, for a venv that has NLTK."""
    wanted = config.nltk_data is not None and any(pin.name == NLTK for pin in venv.pins)
    return {NLTK_DATA: config.nltk_data} if wanted and config.nltk_data else {}


async def _build_venv(
    job: JobSpec, adapter: Adapter, hub: RunHub, machine: RunnerContext, outbox: EventOutbox
) -> Venv:
    """Download the wheel that the hub checked and build its venv."""
    owned = OwnedDir.create(machine.config.builds)  # cleared up after a runner that was killed
    try:
        owned.path.chmod(0o700)
        wheel = owned.path / job.wheel.filename
        await hub.download(job.wheel, job.run_token, wheel)
        outbox.log_line(f"{job.wheel.filename}: {job.wheel.size} bytes, sha256 {job.wheel.sha256}")
        git = [Downloaded(each, owned.path / each.archive.sha256) for each in job.git_sources]
        for each in git:
            await hub.download(each.source.archive, job.run_token, each.archive)
        needed = framework_requirements(adapter, wheel=wheel, module=job.module)
        outbox.add_facts(scoring=declarations.read(wheels.sources(wheel), job.module).scoring)
        seconds = job.limits.install_seconds
        agree = partial(hub.lock, job)
        progress = asyncio.create_task(_log_install_progress(outbox))
        try:
            venv = await machine.build(
                machine.config, wheel, needed.requirements,
                driven=needed.driven, requires_python=needed.requires_python,
                agree=agree, before=job.uploaded_at, seconds=seconds,
                git=git, left_out=needed.left_out, preferred=needed.preferred,
            )  # fmt: skip
        finally:
            progress.cancel()
    finally:
        owned.remove()
    how = f"built in {venv.seconds:.1f} s" if venv.seconds else "kept from an earlier run"
    outbox.log_line(f"venv of {venv.packages} distributions {how}")
    for pin in venv.pins:
        if pin.name == job.framework:
            note = "" if is_known_release(pin.name, pin.version) else UNKNOWN_RELEASE
            outbox.log_line(f"{pin.name} {pin.version}{note}")
    outbox.add_facts(install_seconds=venv.seconds, packages=venv.packages)
    return venv


async def _log_install_progress(outbox: EventOutbox) -> None:
    """Log at growing intervals that dependencies are being installed; never ends by itself."""
    began, pause = time.monotonic(), PROGRESS_SECONDS
    while True:
        await asyncio.sleep(pause)
        waited = time.monotonic() - began
        outbox.log_line(f"dependencies are being fetched and installed, for {waited:.0f} s by now")
        pause = min(2 * pause, MAX_PROGRESS_SECONDS)


def _guest_job(job: JobSpec, adapter: Adapter, hosts: HostAccess) -> GuestJob:
    """The job for the sandbox: nothing about the hub, no credential, and not which policy answers a
    rollout."""
    return GuestJob(
        framework=job.framework,
        adapter=adapter.guest_program,
        module=job.module,
        tasks=job.task_indexes[-1] + 1,
        first_task=job.first_task,
        indexes=job.indexes,
        seed=job.seed,
        concurrency=job.concurrency,
        max_turns=job.limits.max_turns,
        max_tokens=job.limits.max_tokens,
        temperature=job.temperature,
        rollout_timeout=job.limits.rollout_seconds,
        variables={**job.variables, **hosts.secrets.variables},
    )
