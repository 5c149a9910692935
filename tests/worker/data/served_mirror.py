"""A data endpoint on a real socket, before a data set hub of the test's own."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from envyard.contract.data_lock import DataLock, LockedRepository
from envyard_runner.data.endpoint import DataEndpoint
from envyard_runner.data.mirror import RunMirror
from envyard_runner.data.source import DataSource
from envyard_runner.data.store import Store
from envyard_runner.data.upstream import Upstream
from envyard_runner.data.usage import DataUsage
from tests.data_hub import DataHub, serving

MEBIBYTE = 1 << 20


@dataclass
class Reply:
    """What the endpoint answered."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class ServedMirror:
    """One run's endpoint: `get` requests raw targets, as an environment can."""

    hub: DataHub
    mirror: RunMirror
    endpoint: DataEndpoint
    store: Store
    port: int
    agreed: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def usage(self) -> DataUsage:
        return self.mirror.usage

    async def request(
        self, method: str, target: str, *, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> Reply:
        """Send the request line as it is, which no client library would."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        fields = {"Host": "127.0.0.1", "Connection": "close", "Content-Length": str(len(body))}
        head = "".join(f"{k}: {v}\r\n" for k, v in (fields | (headers or {})).items())
        try:
            writer.write(f"{method} {target} HTTP/1.1\r\n{head}\r\n".encode() + body)
            raw = await reader.read()
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()
        top, _, content = raw.partition(b"\r\n\r\n")
        first, *lines = top.decode().split("\r\n")
        named = dict(line.split(": ", 1) for line in lines)
        return Reply(int(first.split()[1]), named, content)

    async def get(self, target: str, **headers: str) -> Reply:
        return await self.request("GET", target, headers=headers)


@asynccontextmanager
async def served(
    folder: Path,
    hub: DataHub,
    *,
    lock: DataLock | None = None,
    token: str | None = None,
    allowed: tuple[str, ...] = ("*",),
    hosts: tuple[str, ...] = (),
    maximum: int = 64 * MEBIBYTE,
    max_bytes: int = 16 * MEBIBYTE,
    commits: dict[str, str] | None = None,
) -> AsyncIterator[ServedMirror]:
    """An endpoint whose store is below `folder`; a `lock` freezes it. `commits` are those that the
    version has by REPOSITORY@REVISION, from another run of it."""
    source = DataSource(hub.url, token, allowed, hosts)
    store, usage = Store(folder / "store", maximum), DataUsage(max_bytes)
    agreed: list[tuple[str, str, str]] = []

    async def agree(entry: LockedRepository, revision: str) -> str:
        agreed.append((entry.name, revision, entry.commit))
        return (commits or {}).get(f"{entry.name}@{revision}", entry.commit)

    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
        mirror = RunMirror(
            Upstream(session, source), store, usage,
            lock=lock or DataLock(), frozen=lock is not None, agree=agree,
        )  # fmt: skip
        endpoint = DataEndpoint(usage, mirror)
        listening = socket.create_server(("127.0.0.1", 0))
        port = listening.getsockname()[1]
        await endpoint.open(listening)
        try:
            yield ServedMirror(hub, mirror, endpoint, store, port, agreed)
        finally:
            await endpoint.close()


def play(folder: Path, scenario: Callable[[DataHub], Awaitable[None]]) -> None:
    """Run the scenario with a data set hub that serves `folder`/hub."""
    with serving(folder / "hub") as hub:
        asyncio.run(_run(scenario, hub))


async def _run(scenario: Callable[[DataHub], Awaitable[None]], hub: DataHub) -> None:
    await scenario(hub)
