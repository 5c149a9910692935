"""Compute the references of a run beside it, in a sandbox whose process plays no rollout.

There the environment is loaded once more and its oracle() is called. Nothing of that is in the
sandbox that plays: a module that notes the call, or leaves a file, changes no reward of the run.
The same process loads the tasks of the survey afterwards: to import a framework takes seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from aiohttp import web

from envyard.contract.values import text
from envyard_runner.data.endpoint import DataEndpoint
from envyard_runner.execution.event_lines import parse_event
from envyard_runner.execution.guest_programs import host_config, reference_process
from envyard_runner.execution.host_effects import killed_for_memory, runner_stalled
from envyard_runner.execution.sandboxes import RunAccess, SandboxFactory
from envyard_runner.gateway import Gateway
from envyard_runner.gateway.references import ReferenceProcess, References, process_routes
from envyard_runner.guest.host_config import HostConfig
from envyard_runner.guest.job import GuestJob
from envyard_runner.hub_api.event_outbox import EventOutbox
from envyard_runner.sandbox import Exit, Sandbox
from envyard_runner.sandbox.command import GATEWAY
from envyard_runner.socket_server import SocketServer

log = logging.getLogger(__name__)

MAX_BODY = 16 << 20
CONNECTIONS = 64
MIN_LOAD_SECONDS, LOAD_FACTOR = 60.0, 3.0  # of the time that the first load took
LOG_TAIL = 8000
STOP_SECONDS = 10.0
OPENING_SECONDS = 5.0  # for the replies of a survey to what its tasks begin with


@dataclass(slots=True)
class Served:
    """One gateway whose references are computed, until it is `over`.

    `planned` is called once it is known which tasks have references. `left` is set when nothing is
    computed for it any more.
    """

    gateway: Gateway
    job: GuestJob
    planned: Callable[[], None]
    began: float = field(default_factory=time.monotonic)
    over: asyncio.Event = field(default_factory=asyncio.Event)
    left: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def references(self) -> References:
        """Its references."""
        return self.gateway.plan.references

    @property
    def process(self) -> ReferenceProcess:
        """What its requests go to."""
        return self.references.process

    @property
    def config(self) -> HostConfig:
        """The configuration of a process that loads its tasks."""
        lists = self.job.listed_tasks > self.job.tasks
        return host_config(
            self.job,
            reference_seconds=self.references.seconds,
            pairs=self.references.pairs,
            opening_seconds=OPENING_SECONDS if lists else 0.0,
        )

    async def needed(self) -> bool:
        """Wait for the first load; whether a process is needed for its references."""
        await first_of(self.references.loaded, self.over)
        return self.references.needs_process and not self.over.is_set()


class ReferenceRun:
    """The sandbox that computes the references of one gateway's rollouts after the other's.

    Leave its block before what it has access to is closed. `exit` is how the last sandbox ended, or
    what it had taken when its first gateway was over; None where none was started.
    """

    def __init__(self, access: RunAccess, outbox: EventOutbox) -> None:
        self.exit: Exit | None = None
        self._access, self._outbox = access, outbox
        self._served: Served | None = None
        self._queued: Served | None = None
        self._wakes = asyncio.Event()  # something is queued, or nothing will be
        self._idle = self._keep = False  # idle: the process waits for what is queued
        self._running: asyncio.Task[None] | None = None
        self._output, self._error = b"", ""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.end()

    async def end(self) -> None:
        """End the sandbox, if there is one."""
        running, self._running = self._running, None
        if running is None:
            return
        self._wakes.set()
        await asyncio.wait({running}, timeout=STOP_SECONDS)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    @asynccontextmanager
    async def computing(
        self,
        gateway: Gateway,
        planned: Callable[[], None],
        factory: SandboxFactory,
        keys: Mapping[str, str],
        *,
        keep: bool = False,
    ) -> AsyncIterator[None]:
        """Compute references for the time of the block, if the gateway needs any from a process.

        That is the one `keep`t by an earlier block, else one in the factory's next sandbox.
        """
        served = Served(gateway, factory.guest_job, planned)
        self._keep = keep
        if self._idle:
            self._queued = served
            self._wakes.set()
        else:
            await self.end()
            self.exit = None
            self._wakes.clear()
            self._running = asyncio.create_task(self._run(served, factory, keys))
        try:
            yield
        finally:
            served.over.set()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(served.left.wait(), STOP_SECONDS)
            if not self._idle:
                await self.end()

    async def _run(self, served: Served, factory: SandboxFactory, keys: Mapping[str, str]) -> None:
        self._served = served
        try:
            if self._starts_early(served, factory) or await served.needed():
                await self._compute(served, factory, keys)
        except Exception as error:
            log.exception("the references could not be computed")
            served = self._served
            served.gateway.failure = f"its references: {type(error).__name__}: {error}"
            served.process.end("the runner failed")
        finally:
            self._idle = False
            self._leave(self._served)

    def _leave(self, served: Served) -> None:
        """Plan its rollouts without what the process has not computed."""
        if served.references.needs_process and not served.process.ready.is_set():
            served.planned()
        served.left.set()

    def _starts_early(self, served: Served, factory: SandboxFactory) -> bool:
        """Whether it starts beside the first load: not where that one reads data sets first."""
        return factory.names_oracle and served.references.wanted and not self._access.data.opens

    async def _compute(
        self, served: Served, factory: SandboxFactory, keys: Mapping[str, str]
    ) -> None:
        data = self._access.data.replay_endpoint()
        proxy = self._access.hosts.endpoint(served.gateway.judge)
        server = SocketServer(self._application(), connections=CONNECTIONS, name=__name__)
        program = reference_process(factory.guest_job, served.config, GATEWAY)
        async with factory.make(program, keys) as sandbox:
            sandbox.on_log = self._add_output
            listening = await sandbox.start(program.command)
            try:
                await server.open(listening.gateway)
                await data.open(listening.data)
                await proxy.open(listening.proxy)
                end = await self._watch(sandbox, data)
                self.exit = self.exit or end
            finally:
                for endpoint in (server, data, proxy):
                    await endpoint.close()
                listening.close()
        if data.usage.fault and self._served is not None:
            self._served.gateway.failure = f"its references: {data.usage.fault}"

    async def _watch(self, sandbox: Sandbox, data: DataEndpoint) -> Exit:
        """Serve one gateway after the other, until the process has ended or there are no more."""
        ended = asyncio.create_task(self._read(sandbox))
        served = self._current()
        try:
            while True:
                await self._serve(served, ended)
                loaded = served.process.ready.is_set() and not self._error and not data.usage.fault
                if not (self._keep and served.over.is_set() and loaded) or ended.done():
                    break
                self.exit = self.exit or sandbox.so_far()
                following = await self._following(served, ended)
                if following is None:
                    break
                served = self._served = following
            unexpected = not served.over.is_set() and served.references.needs_process
            sandbox.kill()
            end = await sandbox.wait()
            if unexpected:
                self._explain(served, end)
            return end
        finally:
            ended.cancel()

    async def _following(self, served: Served, ended: asyncio.Task[None]) -> Served | None:
        """The next gateway, once the process has been requested to load its tasks; None where there
        is none or the process ended."""
        self._idle = True
        self._leave(served)
        waking = asyncio.create_task(self._wakes.wait())
        await asyncio.wait({waking, ended}, return_when=asyncio.FIRST_COMPLETED)
        waking.cancel()
        self._idle, following = False, self._queued
        if following is not None:
            config = following.config
            loading = served.process.load_others(
                tasks=config.tasks,
                seed=config.seed,
                reference_seconds=config.reference_seconds,
                pairs=config.pairs,
                opening_seconds=config.opening_seconds,
            )
            fetching = asyncio.create_task(loading)
            await asyncio.wait({fetching, ended}, return_when=asyncio.FIRST_COMPLETED)
            fetching.cancel()
        return following

    async def _serve(self, served: Served, ended: asyncio.Task[None]) -> None:
        """Wait for the tasks, then for the end of the process or of the gateway's rollouts."""
        ending = asyncio.create_task(served.over.wait())
        try:
            if not await served.needed():
                return
            limit = max(MIN_LOAD_SECONDS, LOAD_FACTOR * (time.monotonic() - served.began))
            ready = asyncio.create_task(served.process.ready.wait())
            done = {ended, ending, ready}
            await asyncio.wait(done, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
            if ready.done():
                served.planned()
                await asyncio.wait({ended, ending}, return_when=asyncio.FIRST_COMPLETED)
            elif not ended.done() and not ending.done():
                self._error = f"it did not load the tasks within {limit:.0f} seconds"
            ready.cancel()
        finally:
            ending.cancel()

    async def _read(self, sandbox: Sandbox) -> None:
        async for line in sandbox.lines():
            self._error = self._error or text(parse_event(line).get("error"), 2000)
        await sandbox.wait()

    def _explain(self, served: Served, end: Exit) -> None:
        """Fail the references by the process's end, which is the machine's fault in some cases."""
        process = served.process
        loading = "" if process.ready.is_set() else " while it loaded the tasks once more"
        why = self._error or f"it ended with status {end.code}"
        process.end(f"the process that calls oracle() failed{loading}: {why}")
        self._outbox.log_line(f"{process.error}. It printed last:")
        self._outbox.add_output(self._output + b"\n")
        stalled = runner_stalled(end, time.monotonic() - served.began)
        if killed_for_memory(end, None) or (stalled and not process.ready.is_set()):
            served.gateway.failure = stalled or "its references: the machine was short of memory"

    def _add_output(self, chunk: bytes) -> None:
        self._output = (self._output + chunk)[-LOG_TAIL:]

    def _current(self) -> Served:
        assert self._served is not None  # noqa: S101 - set before the sandbox is started
        return self._served

    def _application(self) -> web.Application:
        """The process's own addresses; every other one is the judge's, as in the run."""

        async def judge(request: web.Request) -> web.StreamResponse:
            return await self._current().gateway.judge.handle(request)

        application = web.Application(client_max_size=MAX_BODY)
        application.add_routes(process_routes(lambda: self._current().process))
        application.add_routes([web.route("*", "/{judge:.*}", judge)])
        return application


async def first_of(*events: asyncio.Event) -> None:
    """Wait until one of the events is set."""
    waiting = [asyncio.create_task(event.wait()) for event in events]
    try:
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in waiting:
            task.cancel()
