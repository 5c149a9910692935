"""Compute the references of a run beside it, in a sandbox whose process plays no rollout.

There the environment is loaded once more and its oracle() is called. Nothing of that is in the
sandbox that plays: a module that notes the call, or leaves a file, changes no reward of the run.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

from aiohttp import web

from envyard.contract.values import text
from envyard_runner.execution.event_lines import parse_event
from envyard_runner.execution.guest_programs import host_config, reference_process
from envyard_runner.execution.host_effects import killed_for_memory, runner_stalled
from envyard_runner.execution.sandboxes import RunAccess, SandboxFactory
from envyard_runner.gateway import Gateway
from envyard_runner.hub_api.event_outbox import EventOutbox
from envyard_runner.sandbox import Exit, Sandbox
from envyard_runner.sandbox.command import GATEWAY
from envyard_runner.socket_server import SocketServer

log = logging.getLogger(__name__)

MAX_BODY = 16 << 20
CONNECTIONS = 64
MIN_LOAD_SECONDS, LOAD_FACTOR = 60.0, 3.0  # of the time that the first load took
LOG_TAIL = 8000


class ReferenceRun:
    """The sandbox that computes the references of one gateway's rollouts.

    `planned` is called once it is known which tasks have references. `exit` is how the sandbox
    ended, None where none was started.
    """

    def __init__(
        self, gateway: Gateway, access: RunAccess, outbox: EventOutbox, planned: Callable[[], None]
    ) -> None:
        self.exit: Exit | None = None
        self._gateway, self._access, self._outbox, self._planned = gateway, access, outbox, planned
        self._references = gateway.plan.references
        self._process = self._references.process
        self._over = asyncio.Event()
        self._output, self._error = b"", ""

    @asynccontextmanager
    async def computing(
        self, factory: SandboxFactory, keys: Mapping[str, str]
    ) -> AsyncIterator[None]:
        """Compute references for the time of the block, if the run needs any from a process."""
        running = asyncio.create_task(self._run(factory, keys))
        try:
            yield
        finally:
            self._over.set()
            await asyncio.wait({running}, timeout=10)
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    async def _run(self, factory: SandboxFactory, keys: Mapping[str, str]) -> None:
        began = time.monotonic()
        try:
            if not self._starts_early(factory) and not await self._needed():
                return
            await self._compute(factory, keys, began=began)
        except Exception as error:
            log.exception("the references could not be computed")
            self._gateway.failure = f"its references: {type(error).__name__}: {error}"
            self._fail("the runner failed")
        finally:
            if self._references.needs_process and not self._process.ready.is_set():
                self._planned()

    def _starts_early(self, factory: SandboxFactory) -> bool:
        """Whether it starts beside the first load: not where that one reads data sets first."""
        return factory.names_oracle and self._references.wanted and not self._access.data.opens

    async def _needed(self) -> bool:
        """Wait for the first load; whether the run needs a process for its references."""
        await self._first(self._references.loaded, self._over)
        return self._references.needs_process and not self._over.is_set()

    async def _compute(
        self, factory: SandboxFactory, keys: Mapping[str, str], *, began: float
    ) -> None:
        data = self._access.data.replay_endpoint()
        proxy = self._access.hosts.endpoint(self._gateway.judge)
        server = SocketServer(self._application(), connections=CONNECTIONS, name=__name__)
        config = host_config(
            factory.guest_job,
            reference_seconds=self._references.seconds,
            pairs=self._references.pairs,
        )
        program = reference_process(factory.guest_job, config, GATEWAY)
        async with factory.make(program, keys) as sandbox:
            sandbox.on_log = self._add_output
            listening = await sandbox.start(program.command)
            try:
                await server.open(listening.gateway)
                await data.open(listening.data)
                await proxy.open(listening.proxy)
                self.exit = await self._watch(sandbox, began=began)
            finally:
                for endpoint in (server, data, proxy):
                    await endpoint.close()
                listening.close()
        if data.usage.fault:
            self._gateway.failure = f"its references: {data.usage.fault}"

    async def _watch(self, sandbox: Sandbox, *, began: float) -> Exit:
        """Wait for the tasks, then for the end of the process or of the run."""
        ended = asyncio.create_task(self._read(sandbox))
        ending = asyncio.create_task(self._first(self._over))
        try:
            if await self._needed():
                limit = max(MIN_LOAD_SECONDS, LOAD_FACTOR * (time.monotonic() - began))
                ready = asyncio.create_task(self._process.ready.wait())
                done = {ended, ending, ready}
                await asyncio.wait(done, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
                if ready.done():
                    self._planned()
                    await asyncio.wait({ended, ending}, return_when=asyncio.FIRST_COMPLETED)
                elif not ended.done() and not ending.done():
                    self._error = f"it did not load the tasks within {limit:.0f} seconds"
                ready.cancel()
            unexpected = not self._over.is_set() and self._references.needs_process
            sandbox.kill()
            end = await sandbox.wait()
            if unexpected:
                self._explain(end, time.monotonic() - began)
            return end
        finally:
            ended.cancel()
            ending.cancel()

    async def _read(self, sandbox: Sandbox) -> None:
        async for line in sandbox.lines():
            self._error = self._error or text(parse_event(line).get("error"), 2000)
        await sandbox.wait()

    def _explain(self, end: Exit, seconds: float) -> None:
        """Fail the references by the process's end, which is the machine's fault in some cases."""
        loading = "" if self._process.ready.is_set() else " while it loaded the tasks once more"
        why = self._error or f"it ended with status {end.code}"
        self._fail(f"the process that calls oracle() failed{loading}: {why}")
        self._outbox.log_line(f"{self._process.error}. It printed last:")
        self._outbox.add_output(self._output + b"\n")
        stalled = runner_stalled(end, seconds)
        if killed_for_memory(end, None) or (stalled and not self._process.ready.is_set()):
            self._gateway.failure = stalled or "its references: the machine was short of memory"

    def _fail(self, error: str) -> None:
        self._process.end(error)

    def _add_output(self, chunk: bytes) -> None:
        self._output = (self._output + chunk)[-LOG_TAIL:]

    def _application(self) -> web.Application:
        """The process's own addresses; every other one is the judge's, as in the run."""
        application = web.Application(client_max_size=MAX_BODY)
        application.add_routes(self._process.routes())
        application.add_routes([web.route("*", "/{judge:.*}", self._gateway.judge.handle)])
        return application

    @staticmethod
    async def _first(*events: asyncio.Event) -> None:
        """Wait until one of the events is set."""
        waiting = [asyncio.create_task(event.wait()) for event in events]
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waiting:
                task.cancel()
