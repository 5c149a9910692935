"""A gateway on a socket, a model server behind it, and a client that calls as environments do."""

from __future__ import annotations

import asyncio
import io
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import quote

import aiohttp
from aiohttp import web

from envyard.contract.facts import TaskResult
from envyard.contract.job import JobSpec, RunLimits, WheelRef
from envyard_runner.gateway import Gateway, Model
from tests.ports import free_port
from tests.worker.stub_judge import KEY as JUDGE_KEY
from tests.worker.stub_judge import NAME as JUDGE
from tests.worker.stub_judge import StubJudge, serving_judge
from tests.worker.stub_model import StubModel

USER = {"role": "user", "content": "Say <reversed_text> please.\n\nText:\nabc def"}
TOOL = {
    "type": "function",
    "function": {"name": "add", "parameters": {"properties": {"a": {"type": "integer"}}}},
}


def job(**changes: Any) -> JobSpec:
    limits = RunLimits(rollout_seconds=5.0, max_tokens=64, **changes.pop("limits", {}))
    values: dict[str, Any] = {
        "run": "r1", "attempt": 1, "run_token": "hubrun_x", "environment": "alice/reverse",
        "version": "0.1.0", "wheel": WheelRef("/files/x", "x.whl", "0" * 64, 1),
        "framework": "verifiers", "api": "v1", "module": "reverse", "entry": "",
        "policies": ("silent", "parrot", "babble", "oracle", "swapped", "model"),
        "tasks": 3, "attempts": 2, "seed": 7, "lease_seconds": 60.0, "model": "stub",
    }  # fmt: skip
    return JobSpec(**(values | changes), limits=limits)


class ServedGateway:
    """A gateway, the model server that it calls, and a client that calls the gateway."""

    def __init__(
        self, gateway: Gateway, model: StubModel, client: aiohttp.ClientSession, port: int
    ) -> None:
        self.gateway, self.model, self.client, self.port = gateway, model, client, port

    def url(self, rollout: str, path: str = "v1/chat/completions") -> str:
        """The address of a planned rollout; any other name is used unchanged."""
        try:
            rollout = self.gateway.plan.alias(rollout)
        except KeyError:
            rollout = quote(rollout, safe="")
        return f"http://127.0.0.1:{self.port}/rollouts/{rollout}/{path}"

    async def chat(self, rollout: str, *messages: Any, **fields: Any) -> tuple[int, dict[str, Any]]:
        body = {"model": "x", "messages": list(messages) or [USER], **fields}
        data = io.BytesIO(json.dumps(body).encode())
        async with self.client.post(self.url(rollout), data=data) as response:
            return response.status, await response.json()

    async def judge(
        self, path: str, body: Any, *, rollout: str = "", data: bytes | None = None
    ) -> tuple[int, Any]:
        """A call that the environment sends by itself, for a planned rollout where one is named."""
        headers = {"X-Rollout": self.gateway.plan.alias(rollout)} if rollout else {}
        raw = json.dumps(body).encode() if data is None else data
        url = f"http://127.0.0.1:{self.port}{path}"
        async with self.client.post(url, data=io.BytesIO(raw), headers=headers) as response:
            text = await response.text()
            return response.status, text if "event-stream" in response.content_type else (
                json.loads(text)
            )

    async def stream(self, rollout: str, **fields: Any) -> list[Any]:
        body = {"model": "x", "messages": [USER], "stream": True, **fields}
        async with self.client.post(self.url(rollout), json=body) as response:
            assert response.headers["Content-Type"] == "text/event-stream"
            lines = (await response.text()).split("\n\n")
        events = [line.removeprefix("data: ") for line in lines if line]
        assert events.pop() == "[DONE]"
        return [json.loads(event) for event in events]


def plan_all(gateway: Gateway, spec: JobSpec) -> None:
    """Plan every rollout that the job allows, as if its tasks had just been loaded."""
    tasks = [TaskResult(i, str(i), "p", reference=True) for i in range(spec.tasks)]
    gateway.plan.make(tasks, swapped=range(spec.tasks), compares=False)


@asynccontextmanager
async def serve_gateway(
    spec: JobSpec | None = None,
    *,
    model_up: bool = True,
    key: str = "secret",
    judge: StubJudge | None = None,
) -> AsyncIterator[ServedGateway]:
    spec, stub = spec or job(), StubModel()
    runner = web.AppRunner(stub.application(), shutdown_timeout=0.1)
    await runner.setup()
    model_port = free_port()
    if model_up:
        await web.TCPSite(runner, "127.0.0.1", model_port).start()
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    async with (
        aiohttp.ClientSession() as outward,
        aiohttp.ClientSession() as client,
        serving_judge(judge or StubJudge()) as judge_server,
    ):
        url = f"http://127.0.0.1:{model_port}/v1"
        gateway = Gateway(
            spec,
            Model(outward, url=url, name="stub", key=key, timeout=2.0),
            judge_model=Model(outward, url=judge_server.url, name=JUDGE, key=JUDGE_KEY, timeout=2.0)
            if judge
            else None,
        )
        plan_all(gateway, spec)
        await gateway.open(listening)
        try:
            yield ServedGateway(gateway, stub, client, listening.getsockname()[1])
        finally:
            await gateway.close()
            await runner.cleanup()


def run_scenario(
    scenario: Callable[[ServedGateway], Awaitable[None]], *args: Any, **more: Any
) -> None:
    async def acting() -> None:
        async with serve_gateway(*args, **more) as served:
            await scenario(served)

    asyncio.run(acting())
