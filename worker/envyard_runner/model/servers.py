"""The model servers for `hub-runner status`."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

from envyard_runner.model.available import AvailableModels
from envyard_runner.model.endpoint import Endpoint, EndpointError
from envyard_runner.model.metrics import Load
from envyard_runner.model.state import watched

REQUEST_SECONDS = 2.0
BETWEEN_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Server:
    """One model's server: its watcher's word on how far it is and how often it had to be started
    again, and its own on its load. `speed` is in tokens written a second, over one second."""

    name: str
    phase: str
    restarts: int = 0
    load: Load | None = None
    speed: float | None = None

    def to_dict(self) -> dict[str, object]:
        """As JSON; null where the server does not say."""
        load = self.load
        return {
            "name": self.name,
            "phase": self.phase,
            "restarts": self.restarts,
            "running": load and int(load.running),
            "waiting": load and int(load.waiting),
            "cache": load and load.cache,
            "tokens_per_second": self.speed,
        }


async def servers(folder: Path, models: AvailableModels) -> list[Server]:
    """Those of the watchers in `folder`, ready or not, and all others that are ready, by name."""
    own = {state.name: state for state in watched(folder)}
    ready = await models.ready()
    names = sorted({*own, *ready})
    loads = await asyncio.gather(*(_load(ready.get(name)) for name in names))
    rows = [
        Server(name, own[name].phase, own[name].restarts, load)
        if name in own
        else Server(name, "ready", load=load)
        for name, load in zip(names, loads, strict=True)
    ]
    return await _with_speed(rows, ready)


async def _with_speed(rows: list[Server], ready: dict[str, Endpoint]) -> list[Server]:
    """The same with their speed; only who is answering anybody is looked at twice."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    if any(server.load and server.load.running for server in rows):
        await asyncio.sleep(BETWEEN_SECONDS)

    async def timed(server: Server) -> Server:
        if server.load is None or not server.load.running:
            return replace(server, speed=0.0) if server.load else server
        later = await _load(ready[server.name])
        if later is None:
            return server
        return replace(server, speed=(later.written - server.load.written) / (loop.time() - began))

    return await asyncio.gather(*map(timed, rows))


async def _load(endpoint: Endpoint | None) -> Load | None:
    if endpoint is None:
        return None
    try:
        return await replace(endpoint, patience=REQUEST_SECONDS).load()
    except EndpointError:
        return None
