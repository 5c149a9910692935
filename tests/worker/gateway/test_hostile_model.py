"""A model server that means harm: whatever it answers, the runner is neither led nor filled."""

from __future__ import annotations

import asyncio
import gzip
import json
import resource
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from aiohttp import web

from envyard_runner.gateway import Model
from envyard_runner.gateway.reply import ModelFault, Reply
from envyard_runner.model.endpoint import Endpoint, EndpointError

pytestmark = pytest.mark.slow

KEY = "sk-the-models-own-key"
Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def serving(answer: Answer) -> AsyncIterator[str]:
    """Every path of a server on this machine answers so; its address."""
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


async def ask(url: str, *, stream: bool = False) -> Reply:
    """What a call of the gateway's comes to."""
    endpoint, reply = Endpoint(f"{url}/v1", KEY), Reply()
    async with endpoint.session() as session:
        model = Model(session, url=endpoint.url, name="m", key=KEY, timeout=20)
        if stream:
            async with model.stream("chat/completions", {}) as arrivals:
                async for chunks in arrivals:
                    for chunk in chunks:
                        reply.add(chunk)
        else:
            reply.add(await model.ask("chat/completions", {}))
    assert reply.message
    return reply


def play(scenario: Coroutine[Any, Any, None]) -> None:
    """Run it, in bounded memory and processor time."""
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    asyncio.run(scenario)
    assert time.process_time() - began < 4
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300 << 10


def answering(body: bytes, **headers: str) -> Answer:
    """The same bytes for every question."""

    async def answer(_: web.Request) -> web.Response:
        return web.Response(body=body, headers={"Content-Type": "application/json"} | headers)

    return answer


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("stream", [False, True])
def test_a_redirect_leads_nowhere(status: int, stream: bool) -> None:
    requested: list[str] = []

    async def inner(request: web.Request) -> web.Response:
        requested.append(request.path)
        return web.json_response({"choices": [{"message": {"content": "metadata"}}], "data": []})

    async def scenario() -> None:
        async with serving(inner) as internal:

            async def away(_: web.Request) -> web.Response:
                return web.Response(status=status, headers={"Location": f"{internal}/secrets"})

            async with serving(away) as url:
                with pytest.raises(ModelFault):
                    await ask(url, stream=stream)
                for question in (
                    Endpoint(f"{url}/v1").names(), Endpoint(f"{url}/v1").load(),
                    Endpoint(f"{url}/v1").get(f"{url}/health"),
                ):  # fmt: skip
                    with pytest.raises(EndpointError):
                        await question
                with suppress(EndpointError):
                    await Endpoint(f"{url}/v1").answers("m", seconds=5)
        assert requested == []

    play(scenario())


def calls(count: int) -> dict[str, Any]:
    return {"choices": [{"message": {"tool_calls": [{"index": n} for n in range(count)]}}]}


ODD = {
    "no UTF-8": b'{"choices": [{"message": {"content": "\xff\xfe"}}]}',
    "nested": b'{"choices": [{"message": ' + b"[" * 200_000 + b"]" * 200_000 + b"}]}",
    "endless tokens": b'{"choices": [{"message": {}}], "usage": {"prompt_tokens": 1e400}}',
    "no tokens": b'{"choices": [{"message": {}}], "usage": {"completion_tokens": NaN}}',
    "many calls": json.dumps(calls(200_000)).encode(),
    "mixed calls": b'{"choices": [{"message": {"tool_calls": [{"index": 1}, {"index": "a"}]}}]}',
    "too large": b'{"choices": [{"message": {"content": "' + b"x" * (17 << 20) + b'"}}]}',
}


@pytest.mark.parametrize("body", ODD.values(), ids=ODD)
def test_an_odd_answer_is_the_models_fault(body: bytes) -> None:
    async def scenario() -> None:
        async with serving(answering(body)) as url:
            with pytest.raises(ModelFault):
                await ask(url)

    play(scenario())


def test_a_compressed_bomb_is_not_inflated() -> None:
    bomb = gzip.compress(bytes(1 << 20) * 400, compresslevel=1)

    async def scenario() -> None:
        async with serving(answering(bomb, **{"Content-Encoding": "gzip"})) as url:
            with pytest.raises(ModelFault):
                await ask(url)
            with pytest.raises(EndpointError):
                await Endpoint(f"{url}/v1").names()

    play(scenario())


def test_a_line_that_never_ends_costs_no_more_than_its_bytes() -> None:
    async def endless(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        with suppress(ConnectionError):
            for _ in range(5 << 10):
                await response.write(b"x" * 4096)
                await asyncio.sleep(0)
        return response

    async def scenario() -> None:
        async with serving(endless) as url:
            with pytest.raises(ModelFault):
                await ask(url, stream=True)

    play(scenario())


def test_a_stream_of_calls_without_end_is_the_models_fault() -> None:
    async def many(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        with suppress(ConnectionError):
            for n in range(5000):
                chunk = {"choices": [{"delta": {"tool_calls": [{"index": n}]}}]}
                await response.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
            await response.write(b"data: [DONE]\n\n")
        return response

    async def scenario() -> None:
        async with serving(many) as url:
            with pytest.raises(ModelFault):
                await ask(url, stream=True)

    play(scenario())
