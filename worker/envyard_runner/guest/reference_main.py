"""Answer the gateway's requests for reference replies: `python -m PACKAGE.reference_main CONFIG
EVENTS_FD GATEWAY`.

The environment is loaded here once more, and nothing is played. Where the gateway requests it, the
tasks are loaded again with other fields of the configuration. What fails before the first reply is
one JSON line on EVENTS_FD.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import json
import os
import sys
import time
from dataclasses import replace
from typing import Any

import httpx

from . import aiohttp_sessions
from .host_config import HostConfig
from .loop_alarm import LoopAlarm, run_to_end
from .reference import OracleFailed, ReferenceTask, find_other, reference_reply, tasks_of

OPENING_CHARACTERS = 400


class ReferenceServer:
    """Computes the replies that the gateway at `url` requests; each may take so many seconds.

    `pairs`: for each task, another is looked up whose reference is wrong in it. For
    `opening_seconds` the replies of oracle() to what the tasks begin with are computed. `others`
    are the fields of the configuration of the tasks to be loaded next, once it has served.
    """

    def __init__(
        self,
        tasks: list[ReferenceTask],
        url: str,
        *,
        seconds: float,
        pairs: bool,
        opening_seconds: float,
    ):
        self._tasks, self._url, self._seconds, self._pairs = tasks, url, seconds, pairs
        self._openings_end = time.monotonic() + opening_seconds
        self._computing: set[asyncio.Task[None]] = set()
        self.others: dict[str, Any] | None = None

    async def serve(self) -> None:
        """Report the tasks, then answer until other tasks are requested or the gateway closes."""
        async with (
            httpx.AsyncClient(timeout=None, trust_env=False) as http,
            LoopAlarm(self._seconds).interrupting(),
        ):
            rows = [await self._row(task) for task in self._tasks]
            (await http.put(f"{self._url}/references/tasks", json=rows)).raise_for_status()
            while self.others is None:
                response = await http.get(f"{self._url}/references/requests")
                response.raise_for_status()
                for request in response.json():
                    self._start(http, request)
            for task in self._computing:
                task.cancel()

    def _start(self, http: httpx.AsyncClient, request: dict[str, Any]) -> None:
        """Begin to compute one reply, or keep what is to be loaded next."""
        if "load" in request:
            self.others = request["load"]
            return
        task = asyncio.create_task(self._compute(http, request))
        self._computing.add(task)
        task.add_done_callback(self._computing.discard)

    async def _row(self, task: ReferenceTask) -> dict[str, Any]:
        other = await find_other(task, self._tasks, self._seconds) if self._pairs else None
        return {
            "hash": task.hash,
            "reference": task.reference,
            "other": None if other is None else other.index,
            "opening": await self._opening(task),
        }

    async def _opening(self, task: ReferenceTask) -> str | None:
        """What oracle() replies to what the task begins with; None where that is a call of a tool,
        longer than OPENING_CHARACTERS, or late."""
        if task.oracle is None or time.monotonic() > self._openings_end:
            return None
        try:
            reply = await reference_reply(task, list(task.opening), self._seconds) or {}
        except OracleFailed:
            return None
        content = None if reply.get("tool_calls") else reply.get("content")
        known = isinstance(content, str) and len(content) <= OPENING_CHARACTERS
        return content if known else None

    async def _compute(self, http: httpx.AsyncClient, request: dict[str, Any]) -> None:
        task, body = self._tasks[request["task"]], {"id": request["id"]}
        try:
            body["message"] = await reference_reply(task, request["messages"], self._seconds)
            content = json.dumps(body)
        except OracleFailed as error:
            content = json.dumps({"id": request["id"], "error": str(error)})
        except (TypeError, ValueError, RecursionError) as error:
            why = f"oracle() returned what is no JSON: {error}"
            content = json.dumps({"id": request["id"], "error": why})
        await http.put(f"{self._url}/references/replies", content=content)


def load(config: HostConfig, url: str) -> ReferenceServer:
    """Load the environment of the configuration."""
    host = importlib.import_module(f".host_{config.adapter}", __package__)
    tasks = tasks_of(host.load(config), config.adapter)
    return ReferenceServer(
        tasks,
        url,
        seconds=config.reference_seconds,
        pairs=config.pairs,
        opening_seconds=config.opening_seconds,
    )


def import_framework(config: HostConfig) -> None:
    """Import the framework without looking for garbage, which takes a fifth of the time."""
    gc.disable()
    try:
        importlib.import_module(f".host_{config.adapter}", __package__)
    finally:
        gc.freeze()
        gc.enable()


def main(path: str, events_fd: int, url: str) -> None:
    """Load the environment and answer, with one event loop for all its tasks."""
    os.set_inheritable(events_fd, False)
    config, loop = HostConfig.read(path), asyncio.new_event_loop()
    del sys.argv[1:]
    others: dict[str, Any] | None = {}
    try:
        aiohttp_sessions.watch_imports()
        import_framework(config)
        while others is not None:
            server = load(replace(config, **others), url)
            run_to_end(server.serve(), loop)
            others = server.others
    except BaseException as error:
        line = json.dumps({"error": f"{type(error).__name__}: {error}"[:2000]})
        os.write(events_fd, line.encode() + b"\n")
        raise


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
