"""Frameworks in folders of their own, and drivers started on small environments."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from uv import find_uv_bin

from envyard.contract.frameworks.adapter import override_lines
from envyard.contract.frameworks.adapters import ADAPTERS
from envyard_runner import guest
from envyard_runner.execution.collector import EventCollector
from envyard_runner.execution.driver import Driver
from envyard_runner.execution.guest_programs import host_config
from envyard_runner.gateway.judge.records import JudgeRecords
from envyard_runner.gateway.plan import Plan
from envyard_runner.gateway.rollout_records import RolloutRecords
from envyard_runner.guest.job import GuestJob
from envyard_runner.sandbox import Exit
from tests.layers import CACHE, one_installs
from tests.worker import stub_hub
from tests.worker.guest.adapters.stub_gateway import DriverJob, StubGateway

HERE = Path(__file__).parent
GUEST = Path(guest.__file__).parent
FIRST_IMPORT = {"v0": "vf.SingleTurnEnv", "v1": "import verifiers.v1"}
PYTHON = sys._base_executable  # type: ignore[attr-defined]


@dataclass
class DriverEvents:
    """The events of one job, by kind."""

    plan: Plan
    events: list[dict[str, Any]] = field(default_factory=list)

    def only(self, kind: str) -> dict[str, Any]:
        (event,) = (event for event in self.events if event["event"] == kind)
        return event

    @property
    def tasks(self) -> list[dict[str, Any]]:
        return self.only("loaded")["tasks"]

    @property
    def rollouts(self) -> dict[str, dict[str, Any]]:
        """By `policy/task/attempt`, which is hidden from the driver."""
        ended = [event for event in self.events if event["event"] == "rollout"]
        return {self.plan.name(event["rollout"]) or "": event for event in ended}

    def rewards(self) -> dict[str, float | None]:
        return {name: event["reward"] for name, event in self.rollouts.items()}

    def errors(self) -> dict[str, tuple[str, str]]:
        return {
            name: (event["error"]["type"], event["error"]["fault"])
            for name, event in self.rollouts.items()
            if event["error"]
        }


@pytest.fixture(scope="session")
def gateway() -> Iterator[StubGateway]:
    server = StubGateway()
    yield server
    server.stop()


def site(api: str, *pins: str) -> Path:
    """The folder with the framework of an API, installed once and kept between test runs.

    `pins` are further requirements, such as another release of a dependency. The folder is named
    site-packages because dill pickles modules elsewhere by value, and fails on some.
    """
    adapter = ADAPTERS["verifiers", api]
    requirements = [*adapter.requirements, *adapter.preferred, *pins]
    key = hashlib.sha256(" ".join(requirements).encode()).hexdigest()[:8]
    folder = CACHE / f"verifiers-{api}-{key}" / "site-packages"
    with one_installs(f"verifiers-{api}-{key}"):
        if not folder.exists():
            building = folder.with_name("building")
            shutil.rmtree(building, ignore_errors=True)
            install = [find_uv_bin(), "pip", "install", "--only-binary", ":all:", "--no-config"]
            where = ["--python", PYTHON, "--target", str(building)]
            overrides = folder.parent.with_suffix(".overrides")
            left_out = (name for name, _ in adapter.left_out)
            overrides.write_text(override_lines(left_out))
            options = [*where, "--overrides", str(overrides)]
            subprocess.run([*install, *options, *requirements], check=True)
            building.rename(folder)
        if not (folder / "verifiers" / "__pycache__").exists():
            # This writes the .pyc files of all that it imports; sandboxes cannot, and each of their
            # imports would take twice as long without them.
            importing = [PYTHON, "-c", f"import verifiers as vf; {FIRST_IMPORT[api]}"]
            subprocess.run(importing, env={"PYTHONPATH": str(folder)}, check=True)
    return folder


def job(
    api: str,
    module: str,
    gateway: StubGateway,
    policies: tuple[str, ...] = ("silent", "oracle", "swapped", "model"),
    attempts: int = 1,
    **options: Any,
) -> DriverJob:
    guest_job = GuestJob(
        framework="verifiers",
        adapter=ADAPTERS["verifiers", api].guest_program,
        module=module,
        tasks=12,
        seed=3,
        gateway=f"{gateway.url}/{module}",
        rollout_timeout=20.0,
    )
    spec = stub_hub.job(policies=policies, attempts=attempts, tasks=12)
    gateway.jobs[module] = DriverJob(
        replace(guest_job, **options), spec, Plan(spec, JudgeRecords(0)), api=api
    )
    return gateway.jobs[module]


def environment(api: str, home: Path, *pins: str) -> dict[str, str]:
    """The driver's environment variables; bytecode is kept: only the first start is slow."""
    path = os.pathsep.join([str(site(api, *pins)), str(HERE / "environments" / api)])
    return {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": path}


class ProcessChannel:
    """A worker without a sandbox, as a driver sees one: its end of a socket, and its process."""

    def __init__(self, end: socket.socket, ended: Callable[[], int]) -> None:
        self._end, self._ended = end, ended

    async def lines(self) -> AsyncIterator[bytes]:
        reader, self._writer = await asyncio.open_connection(sock=self._end, limit=1 << 22)
        with contextlib.suppress(ConnectionError):
            async for line in reader:
                yield line.rstrip(b"\n")
        self._writer.close()

    async def send(self, line: bytes) -> None:
        self._writer.write(line + b"\n")

    def finish(self) -> None:
        self._writer.write_eof()

    async def wait(self) -> Exit:
        status = await asyncio.to_thread(self._ended)
        return Exit(
            code=None if status < 0 else status,
            signal=-status if status < 0 else None,
            reason="exited",
            seconds=1.0,
            peak_memory_bytes=0,
            limited_by="cgroup2",
        )


async def _drive(driver_job: DriverJob, channel: ProcessChannel) -> DriverEvents:
    """Drive one worker to its end; the plan is made of the tasks that it reports."""
    collector = EventCollector(driver_job.spec, RolloutRecords(driver_job.spec), driver_job.plan)
    processes: list[asyncio.subprocess.Process] = []

    async def groups() -> list[list[dict[str, Any]]]:
        references = driver_job.plan.references
        if references.needs_process:
            command = driver_job.reference_command
            process = await asyncio.create_subprocess_exec(*command, env=driver_job.variables)
            processes.append(process)
            while not references.process.ready.is_set():  # noqa: ASYNC110 - set in a thread
                await asyncio.sleep(0.02)
            collector.make_plan()
        return await driver_job.plan.groups()

    driver = Driver(channel, groups, concurrency=driver_job.guest_job.concurrency)
    events = []
    try:
        async for line in driver.lines():
            collector.add_line(line)
            events.append(json.loads(line))
    finally:
        for process in processes:
            process.kill()
            await process.wait()
    return DriverEvents(driver_job.plan, events)


def drive_many(
    api: str, jobs: list[DriverJob], folder: Path, *pins: str
) -> dict[str, DriverEvents]:
    """Play jobs in one process, with a site that has `pins`; their events by module."""
    paths, ends = [], []
    with contextlib.ExitStack() as stack:
        for driver_job in jobs:
            paths.append(folder / f"{driver_job.guest_job.module}.json")
            paths[-1].write_text(json.dumps(driver_job.guest_job.to_dict()))
            compute_references(driver_job, folder, *pins)
            ends.append(socket.socketpair())
            stack.callback(ends[-1][0].close)
        program = [PYTHON, str(HERE / "drive_many.py"), GUEST.name]
        arguments = [
            f"{path}={theirs.fileno()}" for path, (_, theirs) in zip(paths, ends, strict=True)
        ]
        variables = environment(api, folder, *pins)
        variables["PYTHONPATH"] += os.pathsep + str(GUEST.parent)
        process = stack.enter_context(subprocess.Popen(
            [*program, *arguments],
            env=variables, cwd=folder, pass_fds=[theirs.fileno() for _, theirs in ends],
        ))  # fmt: skip
        stack.callback(process.kill)
        for _, theirs in ends:
            theirs.close()
        return {
            each.guest_job.module: asyncio.run(_drive(each, ProcessChannel(own, lambda: 0)))
            for each, (own, _) in zip(jobs, ends, strict=True)
        }


def compute_references(driver_job: DriverJob, folder: Path, *pins: str) -> None:
    """Set the command that computes the job's references where it needs a process for that."""
    guest_job = driver_job.guest_job
    config = folder / f"{guest_job.module}.config.json"
    references = driver_job.plan.references
    config.write_bytes(
        host_config(
            guest_job, reference_seconds=references.seconds, pairs=references.pairs
        ).to_json()
    )
    program = [PYTHON, "-m", f"{GUEST.name}.reference_main", str(config), "2"]
    driver_job.reference_command = [*program, guest_job.gateway]
    driver_job.variables = environment(driver_job.api, folder, *pins)
    driver_job.variables["PYTHONPATH"] += os.pathsep + str(GUEST.parent)


def drive_one(driver_job: DriverJob, folder: Path) -> tuple[int, DriverEvents]:
    """Start a worker on one job as the sandbox does, and drive it to its end."""
    path = folder / "config.json"
    path.write_text(json.dumps(driver_job.guest_job.to_dict()))
    compute_references(driver_job, folder)
    own, theirs = socket.socketpair()
    variables = environment(driver_job.api, folder)
    variables["PYTHONPATH"] += os.pathsep + str(GUEST.parent)
    process = subprocess.Popen(
        [PYTHON, "-m", f"{GUEST.name}.env_worker", str(path), str(theirs.fileno())],
        env=variables,
        cwd=folder,
        pass_fds=[theirs.fileno()],
        stdout=subprocess.DEVNULL,
    )
    theirs.close()
    with contextlib.ExitStack() as stack:
        stack.callback(process.wait)
        stack.callback(process.kill)
        events = asyncio.run(_drive(driver_job, ProcessChannel(own, lambda: process.wait(30))))
        return process.wait(30), events
