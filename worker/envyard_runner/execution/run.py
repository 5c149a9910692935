"""One run, from its job to its ending: the story of what a runner does."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from envyard.contract.job import JobSpec
from envyard_runner.config import Config
from envyard_runner.execution.machine_faults import machine_fault
from envyard_runner.execution.model_access import answering
from envyard_runner.execution.play import Stage, play
from envyard_runner.execution.verdict import Ending, platform
from envyard_runner.frameworks import FRAMEWORKS
from envyard_runner.guest.job import InsideJob
from envyard_runner.messaging.event_outbox import Cancelled, Reports
from envyard_runner.messaging.hub_client import HubLost, HubRefused, Link, Superseded, WheelChanged
from envyard_runner.model.known import NoModel
from envyard_runner.sandbox import Sandbox, SandboxError
from envyard_runner.sandbox.rundir import OwnedDir
from envyard_runner.state.process_state import Write, noting
from envyard_runner.state.service import Examine, record_ending, run_doctor
from envyard_runner.venvs import Venv, VenvError, build_venv

log = logging.getLogger(__name__)

INSIDE = "/inside"
UNKNOWN_RELEASE = " is not in this runner's table of releases: its names were not compared"
CLEANUP_SECONDS = 30.0
NOTE_SECONDS = 1.0
TELL_SECONDS, LONGEST_TELL_SECONDS = 3.0, 60.0
SLACK_SECONDS = 90.0  # for download, start and last reports, beyond install and wall clock


@dataclass(frozen=True, slots=True)
class Machine:
    """What a run uses of this machine: its settings, how a venv is built, how a sandbox is made;
    and how the machine is examined once runs have failed."""

    config: Config
    build: Callable[..., Awaitable[Venv]] = build_venv
    prepare: Callable[..., Sandbox] = Sandbox.prepare
    examine: Examine = run_doctor


async def perform(
    job: JobSpec, *, hub: Link, machine: Machine, stopping: asyncio.Event
) -> Ending | None:
    """Do one run and tell the hub; None where it is not ours any more. Never raises on content.

    Must run on the main thread's loop: a sandbox dies with the thread that started it. Whatever
    happens the sandbox is gone on return. `stopping` hands the run back to the queue.
    """
    reports = Reports(hub, job)
    log.info("run %s attempt %d: %s %s", job.run, job.attempt, job.environment, job.version)
    try:
        try:
            with noting(machine.config.home, "run") as note:
                ending = await _first_of(
                    attempt(job, hub, machine, reports), reports.keep_sending(),
                    _stopped(stopping), _note(job, reports, note),
                    seconds=job.limits.install_seconds + job.limits.wall_seconds + SLACK_SECONDS,
                )  # fmt: skip
        except OSError as error:
            log.exception("run %s: the runner failed", job.run)
            ending = platform("run.runner_error", f"the runner failed: {error}")
        reports.phase = "scoring"
        for one in ending.findings:
            reports.say(f"{one.code}: {one.message}")
        record_ending(machine.config.home, job, ending, began=reports.began)
        await reports.finish(ending.outcome, ending.findings)
    except (Superseded, HubLost, HubRefused) as error:
        log.warning("run %s attempt %d is given up: %s", job.run, job.attempt, error)
        return None
    codes = ", ".join(one.code for one in ending.findings)
    log.info("run %s attempt %d: %s %s", job.run, job.attempt, ending.outcome, codes)
    return ending


async def _first_of(*stories: Coroutine[Any, Any, Ending | None], seconds: float) -> Ending:
    """The ending of whichever comes first; the others are stopped and have cleaned up by then."""
    tasks = [asyncio.ensure_future(story) for story in stories]
    try:
        done, _ = await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        _, stuck = await asyncio.wait(tasks, timeout=CLEANUP_SECONDS)
        for task in stuck:
            log.error("%s does not end; the next start of the runner clears up after it", task)
    if not done:
        return platform("run.runner_error", f"the runner gave up after {seconds:.0f} s")
    try:
        ending = done.pop().result()  # the others' exceptions add nothing to the first
    except Cancelled:
        return Ending("cancelled")
    assert ending is not None  # noqa: S101  (keep_sending ends only by raising)
    return ending


async def _note(job: JobSpec, reports: Reports, note: Write) -> Ending:
    """Keep what `hub-runner status` shows up to date; never ends by itself.

    A note that cannot be written, as on a full disk, costs the run nothing.
    """
    known = {"run": job.run, "attempt": job.attempt, "since": time.time()}
    known |= {"environment": job.environment, "version": job.version}
    while True:
        said = {"phase": reports.phase, "done": reports.done, "total": reports.total}
        # A disk may take its time, and the gateway's calls must not wait for it.
        writing = asyncio.create_task(asyncio.to_thread(note, known | said))
        try:
            await asyncio.shield(writing)
        except OSError as error:
            log.debug("no status note of run %s: %s", job.run, error)
        finally:  # nothing may be written once the note is withdrawn
            await asyncio.wait([writing])
        await asyncio.sleep(NOTE_SECONDS)


async def _stopped(stopping: asyncio.Event) -> Ending:
    await stopping.wait()
    return platform("run.handed_back", "the runner was stopped; the run goes back to the queue")


async def attempt(job: JobSpec, hub: Link, machine: Machine, reports: Reports) -> Ending:
    """The evaluation, with every exception turned into an ending that says whose fault it was; the
    ending itself is not reported to the hub."""
    try:
        return await _evaluate(job, hub, machine, reports)
    except VenvError as error:
        blamed = error.fault == "environment"
        return Ending("failed" if blamed else "errored", [error.finding])
    except WheelChanged as error:
        return platform("run.wheel_changed", str(error))
    except NoModel as error:
        return platform("run.model_unreachable", str(error))
    except (Superseded, HubLost, HubRefused):
        raise
    except SandboxError as error:
        log.error("run %s: no sandbox: %s", job.run, error)
        return platform("run.runner_error", f"no sandbox: {error}")
    except Exception as error:
        log.exception("run %s: the runner failed", job.run)
        return platform("run.runner_error", f"the runner failed: {type(error).__name__}: {error}")


async def _evaluate(job: JobSpec, hub: Link, machine: Machine, reports: Reports) -> Ending:
    framework = FRAMEWORKS.get(job.framework)
    if framework is None:
        return platform(
            "run.runner_error", f"this runner does not know framework {job.framework!r}"
        )
    async with answering(job, machine.config, say=reports.say) as (job, model):
        venv = await _prepare(job, hub, machine, reports)
        prepare = partial(
            machine.prepare,
            config=replace(machine.config, python=venv.python or machine.config.python),
            venv=venv.dependencies,
            environment=venv.environment,
            job=json.dumps(_inside(job).to_dict()).encode(),
        )
        limits = machine.config.limits.lowered(job.limits)
        stage = Stage(prepare, limits, ["python", *framework.program(INSIDE)])
        ending = await play(job, model, stage, reports)
    if ending.outcome != "succeeded" or reports.failed:
        reports.say("not all went well: the kept venv and the interpreter are checked")
        fault = await asyncio.to_thread(machine_fault, machine.config, venv)
        return platform("run.runner_error", fault) if fault else ending
    return ending


async def _prepare(job: JobSpec, hub: Link, machine: Machine, reports: Reports) -> Venv:
    """The environment's venv, from the wheel that the hub checked."""
    owned = OwnedDir.create(machine.config.builds)  # cleared up after a runner that was killed
    try:
        owned.path.chmod(0o700)
        wheel = owned.path / job.wheel.filename
        await hub.download(job.wheel, job.run_token, wheel)
        reports.say(f"{job.wheel.filename}: {job.wheel.size} bytes, sha256 {job.wheel.sha256}")
        framework = FRAMEWORKS[job.framework]
        needed = framework.needed(job.api, wheel=wheel, module=job.module)
        seconds = job.limits.install_seconds
        agree = partial(hub.lock, job)
        waiting = asyncio.create_task(_tell_of_waiting(reports))
        try:
            venv = await machine.build(
                machine.config, wheel, needed.requirements,
                driven=needed.driven, requires_python=needed.requires_python,
                agree=agree, before=job.uploaded_at, seconds=seconds,
            )  # fmt: skip
        finally:
            waiting.cancel()
    finally:
        owned.remove()
    how = f"built in {venv.seconds:.1f} s" if venv.seconds else "kept from an earlier run"
    reports.say(f"venv of {venv.packages} distributions {how}")
    for pin in venv.pins:
        if pin.name == job.framework:
            unknown = "" if framework.known(pin.version) else UNKNOWN_RELEASE
            reports.say(f"{pin.name} {pin.version}{unknown}")
    reports.fact(install_seconds=venv.seconds, packages=venv.packages)
    return venv


async def _tell_of_waiting(reports: Reports) -> None:
    """Say ever more rarely that dependencies are being fetched; never ends by itself."""
    began, pause = time.monotonic(), TELL_SECONDS
    while True:
        await asyncio.sleep(pause)
        waited = time.monotonic() - began
        reports.say(f"dependencies are being fetched and installed, for {waited:.0f} s by now")
        pause = min(2 * pause, LONGEST_TELL_SECONDS)


def _inside(job: JobSpec) -> InsideJob:
    """What the sandbox is told: nothing of the hub, a credential, or who answers which rollout."""
    return InsideJob(
        framework=job.framework,
        api=job.api,
        module=job.module,
        tasks=job.tasks,
        seed=job.seed,
        concurrency=job.concurrency,
        max_turns=job.limits.max_turns,
        max_tokens=job.limits.max_tokens,
        rollout_timeout=job.limits.rollout_seconds,
    )
