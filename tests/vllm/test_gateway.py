"""What an environment gets from a real vLLM through the gateway."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from envyard.contract.job import JobSpec
from envyard_runner.config import Config
from envyard_runner.execution.model_access import open_model
from envyard_runner.gateway import Gateway
from envyard_runner.gateway.model import Model
from envyard_runner.model.available import AvailableModels, NoModel
from tests.vllm.conftest import NAME, Server
from tests.worker.gateway.served_gateway import job, plan_all

pytestmark = [pytest.mark.vllm, pytest.mark.timeout(1200)]

SPEC = replace(job(tasks=8, attempts=8), model=NAME)
SPEC = replace(SPEC, limits=replace(SPEC.limits, rollout_seconds=60.0))
LONG_REPLY_SPEC = replace(SPEC, limits=replace(SPEC.limits, max_tokens=500))
USER = {"role": "user", "content": "Hello, how are you today?"}
SHAPE = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}, "why": {"enum": ["a", "b"]}},
    "required": ["ok", "why"],
    "additionalProperties": False,
}
TOOL = {"type": "function", "function": {"name": "add", "parameters": SHAPE, "strict": True}}


class GatewayClient:
    """The gateway of one run, called as an environment calls it."""

    def __init__(
        self, gateway: Gateway, model: Model, client: aiohttp.ClientSession, port: int
    ) -> None:
        self.gateway, self.model = gateway, model
        self._client, self._port = client, port

    async def post(self, rollout: str, path: str = "chat/completions", **body: Any) -> Any:
        """Status and the answer's JSON."""
        word = self.gateway.plan.alias(rollout)
        url = f"http://127.0.0.1:{self._port}/rollouts/{word}/v1/{path}"
        async with self._client.post(url, json={"messages": [USER]} | body) as answer:
            return answer.status, json.loads(await answer.read())

    async def text(self, rollout: str, **body: Any) -> str:
        """The model's reply."""
        status, answer = await self.post(rollout, **body)
        assert status == 200, answer
        return str(answer["choices"][0]["message"]["content"])

    async def events(self, rollout: str, **body: Any) -> list[Any]:
        """The chunks of a streamed answer."""
        word = self.gateway.plan.alias(rollout)
        url = f"http://127.0.0.1:{self._port}/rollouts/{word}/v1/chat/completions"
        async with self._client.post(
            url, json={"messages": [USER], "stream": True} | body
        ) as answer:
            lines = [line for line in (await answer.text()).split("\n\n") if line]
        assert lines.pop() == "data: [DONE]"
        return [json.loads(line.removeprefix("data: ")) for line in lines]


@asynccontextmanager
async def serve_gateway(server: Server, spec: JobSpec = SPEC) -> AsyncIterator[GatewayClient]:
    config = replace(Config.from_environment(), home=server.models.parent)
    log_lines: list[str] = []
    async with open_model(spec, config, log_line=log_lines.append) as (spec, model):
        assert model is not None
        gateway = Gateway(spec, model)
        plan_all(gateway, spec)
        listening = socket.create_server(("127.0.0.1", 0))
        await gateway.open(listening)
        async with aiohttp.ClientSession() as client:
            try:
                yield GatewayClient(gateway, model, client, listening.getsockname()[1])
            finally:
                await gateway.close()


def run_scenario(
    scenario: Callable[[GatewayClient], Awaitable[None]], server: Server, spec: JobSpec = SPEC
) -> None:
    async def acting() -> None:
        async with serve_gateway(server, spec) as client:
            await scenario(client)

    asyncio.run(acting())


def test_a_reply_is_recorded_with_the_servers_own_counts(server: Server) -> None:
    async def scenario(client: GatewayClient) -> None:
        status, answer = await client.post("model/0/0")
        assert status == 200
        assert 0 < answer["usage"]["completion_tokens"] <= SPEC.limits.max_tokens
        record = client.gateway.records.take("model/0/0")
        assert record.completion_tokens == answer["usage"]["completion_tokens"]
        assert record.prompt_tokens == answer["usage"]["prompt_tokens"] > 0
        assert record.model_seconds > 0

    run_scenario(scenario, server)


def test_a_stream_adds_up_to_the_whole_reply_and_its_usage(server: Server) -> None:
    async def scenario(client: GatewayClient) -> None:
        complete_text = await client.text("model/0/0")
        events = await client.events("model/0/0", stream_options={"include_usage": True})
        deltas = [e["choices"][0]["delta"] for e in events if e["choices"]]
        assert len(deltas) > 3
        assert "".join(delta.get("content") or "" for delta in deltas) == complete_text
        assert events[-1]["usage"]["completion_tokens"] > 0
        assert [e["choices"][0].get("finish_reason") for e in events if e["choices"]][-1]

    run_scenario(scenario, server)


def test_the_seed_is_the_runs_own_and_repeats_the_reply(server: Server) -> None:
    async def scenario(client: GatewayClient) -> None:
        first = await client.text("model/0/0", seed=1)
        assert await client.text("model/0/0", seed=2, temperature=0) == first
        others = [await client.text(f"model/0/{n}") for n in (1, 2)]
        assert len({first, *others}) == 3

    run_scenario(scenario, server)

    async def again(client: GatewayClient) -> None:
        assert await client.text("model/0/0") == replies[0]
        assert await client.text("model/0/1") == replies[1]

    replies: list[str] = []

    async def before(client: GatewayClient) -> None:
        replies.extend([await client.text("model/0/0"), await client.text("model/0/1")])

    run_scenario(before, server)
    run_scenario(again, server)


def test_logprobs_are_passed_on(server: Server) -> None:
    async def scenario(client: GatewayClient) -> None:
        _, answer = await client.post("model/0/0", logprobs=True, top_logprobs=2)
        tokens = answer["choices"][0]["logprobs"]["content"]
        assert len(tokens) == answer["usage"]["completion_tokens"]
        assert all(token["logprob"] <= 0 and token["top_logprobs"] for token in tokens)

    run_scenario(scenario, server)


@pytest.mark.parametrize("choice", ["required", {"type": "function", "function": {"name": "add"}}])
def test_a_tool_is_called_with_arguments_of_its_schema(server: Server, choice: Any) -> None:
    async def scenario(client: GatewayClient) -> None:
        status, answer = await client.post("model/0/0", tools=[TOOL], tool_choice=choice)
        assert status == 200, answer
        call = answer["choices"][0]["message"]["tool_calls"][0]
        assert call["function"]["name"] == "add"
        assert_of_shape(json.loads(call["function"]["arguments"]))
        lines = [
            USER,
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call["id"], "content": "3"},
        ]
        assert (await client.post("model/0/1", messages=lines, tools=[TOOL]))[0] == 200

    run_scenario(scenario, server, LONG_REPLY_SPEC)


def test_a_structured_reply_keeps_its_schema(server: Server) -> None:
    wanted = {"type": "json_schema", "json_schema": {"name": "s", "schema": SHAPE, "strict": True}}

    async def scenario(client: GatewayClient) -> None:
        assert_of_shape(json.loads(await client.text("model/0/0", response_format=wanted)))

    run_scenario(scenario, server)


def assert_of_shape(value: Any) -> None:
    assert value["ok"] in (True, False)
    assert value["why"] in ("a", "b")
    assert set(value) == {"ok", "why"}


def test_a_prompt_that_is_too_long_is_refused_as_openai_refuses_it(server: Server) -> None:
    async def scenario(client: GatewayClient) -> None:
        for size in (3000, 60_000):  # in tokens above the model's context, and far above
            fields = {"role": "user", "content": "x" * size}
            status, answer = await client.post("model/0/0", messages=[fields])
            assert (status, answer["error"]["code"]) == (400, "context_length_exceeded")
            assert "2048" in answer["error"]["message"]
        record = client.gateway.records.take("model/0/0")
        assert not record.model_fault
        assert not client.gateway.proxy.down.is_set()

    run_scenario(scenario, server)


def test_a_model_that_is_not_served_is_never_the_environments_fault(server: Server) -> None:
    async def through_the_gateway(client: GatewayClient) -> None:
        client.model.name = "other"
        status, answer = await client.post("model/0/0")
        assert (status, answer["error"]["code"]) == (502, "model_error")
        assert "`other` does not exist" in answer["error"]["message"]
        assert client.gateway.records.take("model/0/0").model_fault

    run_scenario(through_the_gateway, server)

    with pytest.raises(NoModel, match="no model 'other'"):
        asyncio.run(AvailableModels(server.models).find("other", seconds=1))


def test_plain_completions_are_answered(server: Server) -> None:
    async def scenario(client: GatewayClient) -> None:
        status, answer = await client.post("model/0/0", "completions", prompt="one two three")
        assert status == 200
        assert isinstance(answer["choices"][0]["text"], str)

    run_scenario(scenario, server)


def test_calls_at_once_follow_what_the_server_can_take(server: Server) -> None:
    """More rollouts than the hub's four want to talk: an idle server is given more."""

    async def scenario(client: GatewayClient) -> None:
        began, tokens = time.monotonic(), 0
        rollouts = [f"model/{task}/{attempt}" for task in range(8) for attempt in range(8)]

        async def rollout(name: str) -> int:
            spent = 0
            for _ in range(3):
                _, answer = await client.post(name)
                spent += answer["usage"]["completion_tokens"]
            client.gateway.records.take(name)
            return spent

        places = asyncio.Semaphore(16)

        async def placed(name: str) -> int:
            async with places:
                return await rollout(name)

        tokens = sum(await asyncio.gather(*map(placed, rollouts)))
        seconds = time.monotonic() - began
        rate = f"{tokens / seconds:.0f} tokens/s over {tokens} tokens"
        sys.stderr.write(f"{rate}, up to {client.model.peak} calls at once\n")
        assert SPEC.concurrency < client.model.peak <= 16

    run_scenario(scenario, server)


def test_no_process_of_the_server_listens_to_other_machines(server: Server) -> None:
    """It may have ports of its own on the loopback; its routes are on the unix socket."""
    served = server.state
    assert served is not None
    assert served.endpoint.socket is not None
    pids = server.processes("")
    assert len(pids) > 1
    assert [address for address in listening(pids) if address not in LOOPBACK] == []


LOOPBACK = ("0100007F", "00000000000000000000000001000000")  # as the kernel writes them


def listening(pids: list[int]) -> list[str]:
    """The addresses that these processes have TCP sockets listening at."""
    held = set()
    for pid in pids:
        for path in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):  # closed meanwhile
                held.add(str(path.readlink()))
    tables = [Path("/proc/net") / name for name in ("tcp", "tcp6")]
    rows = [line.split() for path in tables for line in path.read_text().splitlines()[1:]]
    return [
        row[1].partition(":")[0] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in held
    ]


def test_the_server_is_closed_to_everybody_without_its_key(server: Server) -> None:
    async def scenario() -> None:
        served = server.state
        assert served is not None
        endpoint = served.endpoint
        assert endpoint.socket is not None
        assert Path(endpoint.socket).parent.stat().st_mode & 0o077 == 0
        async with replace(endpoint, key=None).session() as session:
            for path in ("v1/models", "v1/chat/completions"):
                async with session.post(f"http://model/{path}", json={}) as answer:
                    assert answer.status == 401

    asyncio.run(scenario())
