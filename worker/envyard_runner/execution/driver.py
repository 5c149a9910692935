"""Drive the process that holds an environment, from outside its sandbox.

The process loads the environment, reports its tasks and plays what it is requested to play. All
else is decided here: when its code may begin, which rollout is played when, how many at once, and
when the run is over. So whatever the environment does to its own process, it can only make claims
about rollouts that were requested.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Protocol

from envyard.contract.values import text
from envyard_runner.execution.event_lines import parse_event
from envyard_runner.sandbox import Exit

Group = list[dict[str, Any]]
STAGES = ("start", "framework", "import", "load", "run")
# The events that begin a stage, in their order.
STAGE_OF_EVENT = dict(
    zip(("started", "environment_began", "imported", "loaded"), STAGES[1:], strict=True)
)
OWN_EVENTS = ("started", "imported")  # for the driver alone
DRIVERS_EVENTS = ("rollout_started", "done")  # refused from inside


class Driven(Protocol):
    """A sandbox whose program is driven over its channel."""

    def lines(self) -> AsyncIterator[bytes]:
        """The lines of the program."""
        ...

    async def send(self, line: bytes) -> None:
        """Send the program a line."""
        ...

    def finish(self) -> None:
        """End the program, whose work is done."""
        ...

    async def wait(self) -> Exit:
        """Wait for the end of all its processes."""
        ...


class Driver:
    """Drives one process; `groups` returns the rollouts to be played once its tasks are known, and
    `then` those that are played once all of these have ended.

    `concurrency` groups are played at once. The next one is requested when all rollouts of an
    earlier one have ended.
    """

    def __init__(
        self,
        sandbox: Driven,
        groups: Callable[[], Awaitable[list[Group]]],
        *,
        concurrency: int,
        then: Callable[[], Awaitable[list[Group]]] | None = None,
    ) -> None:
        self._sandbox = sandbox
        self._rounds = (groups,) if then is None else (groups, then)
        self._concurrency = max(1, concurrency)
        self._free = asyncio.Semaphore(self._concurrency)
        self._events = asyncio.Queue[bytes | None]()  # the sandbox's limit of events bounds it
        self._stage = "start"
        self._ended = False
        self._requested: set[str] = set()
        self._running: dict[str, set[str]] = {}  # by rollout: those of its group without an end
        self._requesting: asyncio.Task[None] | None = None

    async def lines(self) -> AsyncIterator[bytes]:
        """The events of the process and of this driver, until the process has ended."""
        reading = asyncio.create_task(self._read())
        try:
            while (line := await self._events.get()) is not None:
                yield line
            for task in self._tasks(reading):
                if task.done():
                    task.result()
        finally:
            for task in self._tasks(reading):
                task.cancel()
            await asyncio.gather(*self._tasks(reading), return_exceptions=True)

    def _tasks(self, reading: asyncio.Task[None]) -> list[asyncio.Task[None]]:
        return [reading] if self._requesting is None else [reading, self._requesting]

    async def _read(self) -> None:
        try:
            async for line in self._sandbox.lines():
                if not self._ended:
                    await self._take(line)
            end = await self._sandbox.wait()
            if not self._ended and end.reason == "exited":
                self._emit("fatal", stage=self._stage, error=self._early_end(end))
        finally:
            self._events.put_nowait(None)

    async def _take(self, line: bytes) -> None:
        """Process one line of the process."""
        event = parse_event(line)
        kind = event.get("event")
        if not isinstance(kind, str):
            self._events.put_nowait(line)  # refused where it is read
        elif kind in STAGE_OF_EVENT:
            await self._enter(kind, line)
        elif kind == "rollout":
            self._end_rollout(text(event.get("rollout"), 100), line)
        elif kind == "fatal":
            self._events.put_nowait(line)
            self._end()
        elif kind in DRIVERS_EVENTS:
            self._emit(f"{kind} from inside")
        else:
            self._events.put_nowait(line)

    async def _enter(self, kind: str, line: bytes) -> None:
        """Begin a stage; the environment's code begins once its report is taken."""
        if kind not in OWN_EVENTS:
            self._events.put_nowait(line)
        stage = STAGE_OF_EVENT[kind]
        if STAGES.index(stage) <= STAGES.index(self._stage):
            return
        self._stage = stage
        if kind == "environment_began":
            await self._sandbox.send(b"")
        elif kind == "loaded":
            self._requesting = asyncio.create_task(self._request_all())
            self._requesting.add_done_callback(self._stop_if_failed)

    async def _request_all(self) -> None:
        """Request every group, and end the process once all have ended."""
        for groups in self._rounds:
            for group in await groups():
                await self._request(group)
            for _ in range(self._concurrency):
                await self._free.acquire()
            for _ in range(self._concurrency):
                self._free.release()
        self._emit("done")
        self._end()

    async def _request(self, group: Group) -> None:
        """Request one group when another may be played."""
        await self._free.acquire()
        names = {row["rollout"] for row in group}
        self._requested |= names
        self._running |= dict.fromkeys(names, names)
        for row in group:
            self._emit("rollout_started", rollout=row["rollout"])
        await self._sandbox.send(json.dumps(group).encode())

    def _stop_if_failed(self, requesting: asyncio.Task[None]) -> None:
        if not requesting.cancelled() and requesting.exception() is not None:
            self._events.put_nowait(None)

    def _end_rollout(self, name: str, line: bytes) -> None:
        """Pass a result on; one of a rollout that was not requested is refused."""
        if name not in self._requested:
            self._emit(f"{name[:16]} was not requested")
            return
        self._events.put_nowait(line)
        if (group := self._running.pop(name, None)) is not None:
            group.discard(name)
            if not group:
                self._free.release()

    def _end(self) -> None:
        self._ended = True
        self._sandbox.finish()

    def _emit(self, kind: str, **fields: Any) -> None:
        self._events.put_nowait(json.dumps({"event": kind, **fields}).encode())

    def _early_end(self, end: Exit) -> dict[str, Any]:
        """The error of a process that ended without a word."""
        how = (
            f"was killed by signal {end.signal}" if end.signal else f"ended with status {end.code}"
        )
        running = [*self._running][:4]
        during = f" while {', '.join(running)} ran" if running else ""
        whose = "environment's" if STAGES.index(self._stage) > 1 else "host's"
        message = f"the {whose} process {how}{during}"
        return {"type": "ProcessEnded", "message": message, "fault": "environment"}
