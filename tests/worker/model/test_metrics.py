"""Metrics of a model server, and the number of concurrent calls that follows from them."""

from __future__ import annotations

import asyncio

import pytest
from aiohttp import web

from envyard_runner.gateway import AdaptiveLimiter
from envyard_runner.model.endpoint import Endpoint
from envyard_runner.model.health import STALLED_SECONDS, Health
from envyard_runner.model.metrics import Load, read_metrics
from tests.ports import free_port
from tests.worker.model.stub_vllm import METRICS
from tests.worker.stub_hub import serving

PORT = free_port()
IDLE = Load(running=1, waiting=0, cache=0.1, tokens=5)
QUEUE = Load(running=8, waiting=2, cache=0.1, tokens=5)
FULL = Load(running=8, waiting=0, cache=0.95, tokens=5)


def test_the_figures_of_all_engines_are_read_from_a_page() -> None:
    page = METRICS % (3, 2, 0.5) + 'vllm:num_requests_running{engine="1"} 4.0\n'
    assert read_metrics(page.encode()) == Load(
        running=7, waiting=2, cache=0.5, tokens=19, written=12
    )


@pytest.mark.parametrize("page", [b"", b"<html>", b"up 1\n", b"vllm:num_requests_running x\n"])
def test_a_page_that_is_not_vllms_has_no_load(page: bytes) -> None:
    assert read_metrics(page) is None


async def wanting(limiter: AdaptiveLimiter, looks: list[Load | None]) -> list[int]:
    """The limits after each load, while more calls wait than there are slots."""

    async def call() -> None:
        async with limiter.slot():
            await asyncio.sleep(3600)

    tasks = [asyncio.create_task(call()) for _ in range(40)]
    limits = []
    for load in looks:
        await asyncio.sleep(0.01)
        await limiter.adapt(load)
        limits.append(limiter.limit)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert limiter.busy == 0
    return limits


@pytest.mark.parametrize(
    ("looks", "limits"),
    [
        ([IDLE] * 9, [5, 6, 7, 8, 10, 12, 15, 16, 16]),
        ([IDLE, IDLE, QUEUE, FULL, QUEUE, IDLE], [5, 6, 5, 4, 4, 5]),
        ([None, None], [4, 4]),
    ],
)
def test_places_follow_the_servers_load_between_their_bounds(
    looks: list[Load | None], limits: list[int]
) -> None:
    assert asyncio.run(wanting(AdaptiveLimiter(minimum=4, maximum=16), looks)) == limits


def test_unused_slots_are_not_added() -> None:
    async def scenario() -> None:
        limiter = AdaptiveLimiter(minimum=4, maximum=16)
        async with limiter.slot():
            await limiter.adapt(IDLE)
        assert (limiter.limit, limiter.peak) == (4, 1)

    asyncio.run(scenario())


def test_never_more_calls_are_under_way_than_there_are_places() -> None:
    async def scenario() -> None:
        limiter = AdaptiveLimiter(minimum=2, maximum=2)
        under_way = maximum = 0

        async def call() -> None:
            nonlocal under_way, maximum
            async with limiter.slot():
                under_way += 1
                maximum = max(maximum, under_way)
                await asyncio.sleep(0.001)
                under_way -= 1

        await asyncio.gather(*(call() for _ in range(20)))
        assert (maximum, limiter.peak, limiter.busy) == (2, 2, 0)

    asyncio.run(scenario())


def test_an_engine_that_makes_no_token_behind_a_healthy_front_end_hangs() -> None:
    now, running = 0.0, 2
    application = web.Application()

    async def metrics(_: web.Request) -> web.Response:
        return web.Response(text=METRICS % (running, 0, 0.0))

    async def health(_: web.Request) -> web.Response:
        return web.Response()

    application.add_routes([web.get("/health", health), web.get("/metrics", metrics)])

    async def scenario() -> None:
        nonlocal now, running
        async with serving(application, PORT) as url:
            engine = Health(Endpoint(f"{url}/v1"), clock=lambda: now)
            assert await engine.look() == ""
            now += STALLED_SECONDS + 1
            assert "2 requests have made no token" in await engine.look()
            running = 0  # an idle server makes none either
            assert await engine.look() == ""

    asyncio.run(scenario())
