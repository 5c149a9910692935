"""The sandboxes of a run: how each is made, what it may reach, and what serves its sockets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from envyard.contract.code_checks.scoring_constants import NO_CONSTANTS, ScoringConstants
from envyard_runner.data.endpoint import DataEndpoint
from envyard_runner.execution.data_access import DataAccess
from envyard_runner.execution.driver import Driver, Group
from envyard_runner.execution.guest_programs import GuestProgram, env_worker
from envyard_runner.execution.host_access import HostAccess
from envyard_runner.execution.verdict import Ending, platform_ending
from envyard_runner.gateway import Gateway, Model
from envyard_runner.guest.job import GuestJob
from envyard_runner.limits import Limits
from envyard_runner.proxy.endpoint import ProxyEndpoint
from envyard_runner.sandbox import Sandbox


@dataclass(frozen=True, slots=True)
class SandboxFactory:
    """Makes each sandbox of a run, which has the runner's own `variables`; `guest_job` configures
    the programs in them.

    `names_oracle`: the environment's files contain that word, so that references are likely to be
    computed by its own code.
    """

    prepare: Callable[..., Sandbox]
    limits: Limits
    variables: Mapping[str, str]
    guest_job: GuestJob
    names_oracle: bool = False

    def surveying(self, *, tasks: int, seconds: float) -> SandboxFactory:
        """The same for sandboxes that list up to `tasks` tasks within `seconds`.

        The seeds are those that the environment has where a trainer names none.
        """
        job = replace(self.guest_job, listed_tasks=tasks, listing_seconds=seconds, seed=None)
        return replace(self, guest_job=job)

    def lasting(self, wall_seconds: float) -> SandboxFactory:
        """The same for sandboxes that are killed after `wall_seconds`."""
        return replace(self, limits=replace(self.limits, wall_seconds=wall_seconds))

    def half(self, *, peak_bytes: int) -> SandboxFactory | None:
        """The same for two sandboxes at once, whose limits of memory add up to those of one.

        None where one that needs twice `peak_bytes` would not fit. Each keeps the file systems of
        one, which the limit of its control group includes.
        """
        memory = self.limits.memory_bytes // 2 - self.limits.tmp_bytes
        if memory < 2 * peak_bytes:
            return None
        return replace(self, limits=replace(self.limits, memory_bytes=memory))

    @property
    def worker(self) -> GuestProgram:
        """The program that plays the environment."""
        return env_worker(self.guest_job)

    def make(self, program: GuestProgram, keys: Mapping[str, str]) -> Sandbox:
        """Prepare a sandbox for a program, with the variables of `keys` too."""
        variables = {**self.variables, **keys}
        return self.prepare(
            limits=self.limits, variables=variables, files=program.files, user=program.user
        )

    def drive(
        self,
        sandbox: Sandbox,
        gateway: Gateway,
        *,
        then: Callable[[], Awaitable[list[Group]]] | None = None,
    ) -> Driver:
        """A driver that has the sandbox's `worker` play what the gateway has planned, and `then`
        more."""
        concurrency = self.guest_job.concurrency
        return Driver(sandbox, gateway.groups, concurrency=concurrency, then=then)


@dataclass(frozen=True, slots=True)
class RunAccess:
    """What a run may reach from its sandboxes: its models, None where there are none, data sets and
    hosts; and, outside them, the folder of `benchmarks` that its tasks are compared with, and the
    `constants` of its scoring code."""

    model: Model | None
    judge_model: Model | None
    data: DataAccess
    hosts: HostAccess
    benchmarks: Path | None = None
    constants: ScoringConstants = NO_CONSTANTS


@dataclass(frozen=True, slots=True)
class Endpoints:
    """What serves the sockets of one sandbox."""

    gateway: Gateway
    data: DataEndpoint
    proxy: ProxyEndpoint


@asynccontextmanager
async def serving(
    sandbox: Sandbox, program: GuestProgram, endpoints: Endpoints
) -> AsyncIterator[None]:
    """Start the program with each endpoint listening on its socket."""
    listening = await sandbox.start(program.command)
    try:
        await endpoints.gateway.open(listening.gateway)
        await endpoints.data.open(listening.data)
        await endpoints.proxy.open(listening.proxy)
        yield
    finally:
        await endpoints.gateway.close()
        await endpoints.data.close()
        await endpoints.proxy.close()
        listening.close()


@asynccontextmanager
async def beside(work: Coroutine[Any, Any, None]) -> AsyncIterator[asyncio.Task[None]]:
    """Do the work beside the block, which may await it; otherwise it is cancelled at the end."""
    task = asyncio.create_task(work)
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # the block's own outcome decides the run


def own_failure(endpoints: Endpoints) -> Ending | None:
    """The platform's ending if an endpoint itself failed, else None."""
    for name, failure in (
        ("gateway", endpoints.gateway.failure or endpoints.gateway.judge.failure),
        ("data endpoint", endpoints.data.failure),
        ("proxy", endpoints.proxy.failure),
    ):
        if failure:
            return platform_ending("run.runner_error", f"the {name} failed: {failure}")
    return None


async def kill_on(event: asyncio.Event, sandbox: Sandbox) -> None:
    """Kill the sandbox once the event is set."""
    await event.wait()
    sandbox.kill()
