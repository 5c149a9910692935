"""The proxy connects a sandbox to approved hosts, and to nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from envyard_runner.proxy.limits import ProxyLimits
from tests.worker.proxy.hosts import PUBLIC
from tests.worker.proxy.served_proxy import ENDED, ServedProxy, closed, served


def play(
    folder: Path, scenario: Callable[[ServedProxy], Awaitable[None]], *hosts: str, **options: Any
) -> None:
    async def run() -> None:
        async with asyncio.timeout(60), served(folder, *hosts, **options) as proxy:
            await scenario(proxy)

    asyncio.run(run())


def test_an_approved_host_is_reached_and_its_bytes_are_counted(tmp_path: Path) -> None:
    async def scenario(proxy: ServedProxy) -> None:
        reader, writer = await proxy.tls("api.exa.ai")
        writer.write(b"x" * 100_000)
        assert await reader.readexactly(100_000) == b"x" * 100_000
        await closed(writer)
        (row,) = await proxy.recorded()
        assert (row.host, row.port, row.route, row.reason) == ("api.exa.ai", 443, "tunnel", "")
        assert 100_000 < row.sent < 120_000
        assert 100_000 < row.received < 120_000
        assert proxy.usage.bytes == row.sent + row.received
        assert proxy.usage.last_sent > 0
        assert proxy.resolver.connected == [f"{PUBLIC}:443"]

    play(tmp_path, scenario, "api.exa.ai")


def test_a_pattern_approves_names_one_level_below(tmp_path: Path) -> None:
    async def scenario(proxy: ServedProxy) -> None:
        assert await proxy.status("a.example.org:443") == 200
        assert await proxy.status("b.a.example.org:443") == 403
        assert await proxy.status("example.org:443") == 403
        assert proxy.usage.refused == {"b.a.example.org": 1, "example.org": 1}

    play(tmp_path, scenario, "*.example.org")


def test_without_approved_hosts_no_name_is_looked_up(tmp_path: Path) -> None:
    async def scenario(proxy: ServedProxy) -> None:
        for _ in range(3):
            assert await proxy.status("api.exa.ai:443") == 403
        assert proxy.resolver.looked_up == []
        assert proxy.usage.refused == {"api.exa.ai": 3}
        (row,) = proxy.usage.connections
        assert (row.host, row.count, row.sent) == ("api.exa.ai", 3, 0)
        assert "not approved" in row.reason
        assert (proxy.usage.targets, proxy.usage.attempts) == (["api.exa.ai:443"], 3)

    play(tmp_path, scenario)


def test_a_name_is_written_in_any_case(tmp_path: Path) -> None:
    async def scenario(proxy: ServedProxy) -> None:
        assert await proxy.status("API.exa.AI:443") == 200

    play(tmp_path, scenario, "api.EXA.ai")


def test_a_host_that_does_not_answer_is_named(tmp_path: Path) -> None:
    async def scenario(proxy: ServedProxy) -> None:
        assert await proxy.status("api.exa.ai:443") == 502
        assert await proxy.status("other.exa.ai:443") == 502
        assert proxy.usage.unreachable == {"api.exa.ai": "unreachable", "other.exa.ai": "not_found"}
        assert proxy.usage.refused == {}

    answers: dict[str, list[list[str]]] = {"api.exa.ai": [["93.184.216.35"]], "other.exa.ai": [[]]}
    play(tmp_path, scenario, "*.exa.ai", answers=answers)


def test_the_next_address_is_tried(tmp_path: Path) -> None:
    async def scenario(proxy: ServedProxy) -> None:
        assert await proxy.status("api.exa.ai:443") == 200
        assert proxy.resolver.connected == ["93.184.216.35:443", f"{PUBLIC}:443"]

    answers = {"api.exa.ai": [["93.184.216.35", PUBLIC]]}
    play(tmp_path, scenario, "api.exa.ai", answers=answers)


@pytest.mark.slow
def test_a_connection_ends_after_its_idle_time(tmp_path: Path) -> None:
    async def scenario(proxy: ServedProxy) -> None:
        reader, writer = await proxy.tls("api.exa.ai")
        assert await reader.read() == b""
        (row,) = await proxy.recorded()
        assert "no byte came" in row.reason
        await closed(writer)

    play(tmp_path, scenario, "api.exa.ai", limits=ProxyLimits(idle_seconds=0.5))


@pytest.mark.slow
def test_a_connection_ends_after_its_whole_time(tmp_path: Path) -> None:
    async def scenario(proxy: ServedProxy) -> None:
        reader, writer = await proxy.tls("api.exa.ai")
        with suppress(*ENDED):
            while True:
                writer.write(b"x")
                await reader.readexactly(1)
                await asyncio.sleep(0.02)
        (row,) = await proxy.recorded()
        assert "open for too long" in row.reason
        await closed(writer)

    play(tmp_path, scenario, "api.exa.ai", limits=ProxyLimits(connection_seconds=0.5))


def test_a_closed_endpoint_ends_its_connections(tmp_path: Path) -> None:
    async def scenario(proxy: ServedProxy) -> None:
        reader, writer = await proxy.tls("api.exa.ai")
        await proxy.endpoint.close()
        assert await reader.read() == b""
        assert (await proxy.recorded())[0].route == "tunnel"
        await closed(writer)

    play(tmp_path, scenario, "api.exa.ai")


@pytest.mark.slow
def test_equal_connections_beyond_the_first_hundred_are_summed(tmp_path: Path) -> None:
    async def scenario(proxy: ServedProxy) -> None:
        for number in range(130):
            _, _, writer = await proxy.connect("api.exa.ai:443")
            await closed(writer)
            await proxy.recorded(number + 1)
        rows = proxy.usage.connections
        assert len(rows) < 110
        assert sum(row.count for row in rows) == 130

    play(tmp_path, scenario, "api.exa.ai")
