"""A judge's server for tests: OpenAI-compatible, its verdict a function of the request.

`verdict` makes the text of each answer; `status` is answered instead where it is not 200, and a
`hanging` server never answers. `requests` lists the bodies, `headers` their headers.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

NAME = "arbiter-7b"
KEY = "sk-judge-secret-key"


def always_yes(_: dict[str, Any]) -> str:
    return "yes"


@dataclass
class StubJudge:
    verdict: Callable[[dict[str, Any]], str] = always_yes
    status: int = 200
    hanging: bool = False
    endless: bool = False
    raw: str = ""
    tool: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    url: str = ""

    async def chat(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.requests.append(body)
        self.headers.append(dict(request.headers))
        if self.hanging:
            await asyncio.sleep(3600)
        if self.endless:
            response = web.StreamResponse()
            await response.prepare(request)
            while True:
                await response.write(b"x" * (1 << 20))
        if self.status != 200:
            return web.json_response({"error": {"message": "no capacity"}}, status=self.status)
        if self.raw:
            return web.Response(text=self.raw)
        message: dict[str, Any] = {"role": "assistant", "content": self.verdict(body)}
        if self.tool:
            function = {"name": self.tool, "arguments": '{"score": 1}'}
            message = {"role": "assistant", "content": None}
            message["tool_calls"] = [{"id": "c1", "type": "function", "function": function}]
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
        answer = {"id": "c", "object": "chat.completion", "created": 1, "model": NAME}
        return web.json_response(answer | {"choices": [choice], "usage": usage})

    async def models(self, _: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": NAME, "object": "model"}]})


@asynccontextmanager
async def serving_judge(judge: StubJudge) -> AsyncIterator[StubJudge]:
    """The stub on a free port; `judge.url` is its base URL."""
    application = web.Application()
    application.router.add_post("/v1/chat/completions", judge.chat)
    application.router.add_get("/v1/models", judge.models)
    runner = web.AppRunner(application, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    server = site._server
    assert isinstance(server, asyncio.Server)
    judge.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield judge
    finally:
        await runner.cleanup()
