"""The gateway, called over real sockets as an environment calls it, with a real model server."""

from __future__ import annotations

import asyncio
import io
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from envyard.contract.job import JobSpec, RunLimits, WheelRef
from envyard_runner.gateway import Gateway, Model, server
from tests.worker.stub_model import StubModel

PORT = 18380
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


class World:
    """A gateway, the model behind it, and a client before it."""

    def __init__(self, gateway: Gateway, model: StubModel, client: aiohttp.ClientSession) -> None:
        self.gateway, self.model, self.client = gateway, model, client

    def url(self, rollout: str, path: str = "v1/chat/completions") -> str:
        return f"http://127.0.0.1:{PORT}/rollouts/{rollout}/{path}"

    async def chat(self, rollout: str, *messages: Any, **fields: Any) -> tuple[int, dict[str, Any]]:
        body = {"model": "x", "messages": list(messages) or [USER], **fields}
        data = io.BytesIO(json.dumps(body).encode())
        async with self.client.post(self.url(rollout), data=data) as response:
            return response.status, await response.json()

    async def stream(self, rollout: str, **fields: Any) -> list[Any]:
        body = {"model": "x", "messages": [USER], "stream": True, **fields}
        async with self.client.post(self.url(rollout), json=body) as response:
            assert response.headers["Content-Type"] == "text/event-stream"
            lines = (await response.text()).split("\n\n")
        events = [line.removeprefix("data: ") for line in lines if line]
        assert events.pop() == "[DONE]"
        return [json.loads(event) for event in events]


@asynccontextmanager
async def world(spec: JobSpec | None = None, *, model_up: bool = True) -> AsyncIterator[World]:
    spec, stub = spec or job(), StubModel()
    runner = web.AppRunner(stub.application(), shutdown_timeout=0.1)
    await runner.setup()
    if model_up:
        await web.TCPSite(runner, "127.0.0.1", PORT + 1).start()
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(("127.0.0.1", PORT))
    listening.listen()
    async with aiohttp.ClientSession() as outward, aiohttp.ClientSession() as client:
        url = f"http://127.0.0.1:{PORT + 1}/v1"
        gateway = Gateway(spec, Model(outward, url=url, name="stub", key="secret", timeout=2.0))
        await gateway.open(listening)
        try:
            yield World(gateway, stub, client)
        finally:
            await gateway.close()
            await runner.cleanup()


def test(scenario: Callable[[World], Awaitable[None]], *args: Any, **more: Any) -> None:
    async def play() -> None:
        async with world(*args, **more) as w:
            await scenario(w)

    asyncio.run(play())


test.__test__ = False  # type: ignore[attr-defined]


def test_a_probe_answers_in_openai_shape_and_is_recorded() -> None:
    async def scenario(w: World) -> None:
        status, body = await w.chat("parrot/0/0", {"role": "user", "content": "hello"})
        assert status == 200
        assert body["object"] == "chat.completion"
        assert body["choices"][0]["message"] == {"role": "assistant", "content": "hello"}
        assert body["choices"][0]["finish_reason"] == "stop"
        record = w.gateway.ledger.take("parrot/0/0")
        assert [m["content"] for m in record.messages] == ["hello", "hello"]
        assert record.usage.calls == 1
        assert record.usage.completion_tokens == body["usage"]["completion_tokens"] == 2

    test(scenario)


def test_a_probe_streams_with_usage_only_where_asked() -> None:
    async def scenario(w: World) -> None:
        plain = await w.stream("parrot/0/0")
        assert all(chunk["choices"] for chunk in plain)
        counted = await w.stream("parrot/1/0", stream_options={"include_usage": True})
        assert counted[-1]["choices"] == []
        assert counted[-1]["usage"]["completion_tokens"] > 0
        said = "".join(c["choices"][0]["delta"].get("content", "") for c in plain)
        assert said == USER["content"]

    test(scenario)


def test_babble_is_the_same_in_a_repeated_run_and_differs_by_rollout() -> None:
    async def twice() -> None:
        replies = []
        for _ in range(2):
            async with world() as w:
                answers = [await w.chat("babble/0/0"), await w.chat("babble/1/0")]
                replies.append([a[1]["choices"][0]["message"]["content"] for a in answers])
        assert replies[0] == replies[1]
        assert replies[0][0] != replies[0][1]
        assert len(replies[0][0]) == 64 * 4

    asyncio.run(twice())


def test_oracle_says_the_reference_last_put_and_refuses_without_one() -> None:
    async def scenario(w: World) -> None:
        status, body = await w.chat("oracle/0/0")
        assert (status, body["error"]["code"]) == (409, "no_reference")
        call = {"id": "a", "type": "function", "function": {"name": "add", "arguments": "{}"}}
        for message in ({"content": "old"}, {"content": None, "tool_calls": [call]}):
            url = w.url("oracle/0/0", "reference")
            async with w.client.put(url, json={"message": message}) as response:
                assert response.status == 200
        _, body = await w.chat("oracle/0/0")
        assert body["choices"][0]["message"]["tool_calls"] == [call]
        assert body["choices"][0]["finish_reason"] == "tool_calls"
        assert (await w.chat("oracle/1/0"))[0] == 409  # the reference is one rollout's own

    test(scenario)


def test_the_model_is_asked_with_our_key_model_sampling_and_seed() -> None:
    async def scenario(w: World) -> None:
        body = {
            "messages": [USER],
            "temperature": 0,
            "model": "gpt",
            "seed": 1,
            "max_tokens": 9,
            "user": "me",
            "stop": ["#"],
        }
        headers = {"Authorization": "Bearer stolen", "X-Admin": "1", "X-Session-ID": "s"}
        async with w.client.post(w.url("model/0/1"), json=body, headers=headers) as response:
            answer = await response.json()
        assert (
            answer["choices"][0]["message"]["content"] == "<reversed_text>fed cba</reversed_text>"
        )
        asked, sent = w.model.requests[0], w.model.headers[0]
        seed = asked.pop("seed")
        assert asked == {
            "messages": [USER],
            "stop": ["#"],
            "model": "stub",
            "temperature": 1.0,
            "max_tokens": 64,
        }
        assert sent["Authorization"] == "Bearer secret"
        assert not {"X-Admin", "X-Session-ID"} & set(sent)
        await w.chat("model/0/1")
        await w.chat("model/1/1")
        assert w.model.requests[1]["seed"] == seed != w.model.requests[2]["seed"]

    test(scenario)


def test_what_a_careless_model_server_leaves_out_is_added() -> None:
    """Clients refuse an answer without `object` and `created`; the environment had the blame."""

    async def scenario(w: World) -> None:
        w.model.failure = "bare"
        _, answer = await w.chat("model/0/0")
        assert answer["object"] == "chat.completion"
        assert answer["created"] > 1
        assert answer["model"] == "stub"

    test(scenario)


def test_the_models_stream_is_passed_through_and_folded_into_the_record() -> None:
    async def scenario(w: World) -> None:
        chunks = await w.stream("model/0/0", tools=[TOOL])
        assert all(chunk["choices"] for chunk in chunks)  # usage was asked for by us alone
        record = w.gateway.ledger.take("model/0/0")
        call = record.messages[-1]["tool_calls"][0]["function"]
        assert call == {"name": "add", "arguments": '{"a": 1}'}
        assert record.finish_reason == "tool_calls"
        assert record.usage.prompt_tokens == 7
        assert record.usage.model_seconds > 0

    test(scenario)


def test_a_conversation_of_several_turns_is_kept_once_and_counted_in_full() -> None:
    async def scenario(w: World) -> None:
        _, first = await w.chat("model/0/0", tools=[TOOL])
        asked = [
            USER,
            first["choices"][0]["message"],
            {"role": "tool", "tool_call_id": "call_1", "content": "5"},
        ]
        _, second = await w.chat("model/0/0", *asked, tools=[TOOL])
        assert second["choices"][0]["message"]["content"] == "Answer: 5"
        record = w.gateway.ledger.take("model/0/0")
        assert [m["role"] for m in record.messages] == ["user", "assistant", "tool", "assistant"]
        assert record.usage.calls == 2
        assert record.usage.prompt_tokens == 14

    test(scenario)


def test_plain_completions_and_the_list_of_models_are_answered() -> None:
    async def scenario(w: World) -> None:
        for rollout, said in (("parrot/0/0", "hi"), ("model/0/0", "hi and so on")):
            url = w.url(rollout, "v1/completions")
            async with w.client.post(url, json={"prompt": "hi", "max_tokens": 1}) as response:
                assert (await response.json())["choices"][0]["text"] == said
            assert w.gateway.ledger.take(rollout).messages[-1]["content"] == said
        assert w.model.requests[0]["max_tokens"] == 64
        async with w.client.get(w.url("silent/0/0", "v1/models")) as response:
            assert [m["id"] for m in (await response.json())["data"]] == ["stub"]

    test(scenario)


@pytest.mark.parametrize(
    "rollout",
    [
        "other/0/0",
        "parrot/3/0",
        "parrot/0/1",
        "model/0/2",
        "parrot/-1/0",
        "parrot/00/0",
        "parrot/x/0",
        "parrot/٣/0",
        "parrot/9999999999999999999/0",
    ],
)
def test_a_rollout_that_was_not_planned_is_not_found(rollout: str) -> None:
    async def scenario(w: World) -> None:
        status, body = await w.chat(rollout)
        assert (status, body["error"]["code"]) == (404, "no_such_rollout")
        assert set(body["error"]) == {"message", "type", "code", "param"}

    test(scenario)


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"messages": 1}',
     b'{"messages": []}', b'{"messages": [1]}', b'{"a": NaN}',
     b'{"messages": [{"role": 1}]}', b'{"messages": [{"role": "user", "content": 1}]}',
     b'{"messages": [{"role": "user"}], "n": 2}',
     b'{"messages": [{"role": "user"}], "tools": {"a": 1}}',
     b"[" * 100_000, b'{"n": ' + b"9" * 10_000 + b"}"],
)  # fmt: skip
def test_a_malformed_request_is_a_400_and_never_a_crash(body: bytes) -> None:
    async def scenario(w: World) -> None:
        for rollout in ("parrot/0/0", "model/0/0"):
            async with w.client.post(w.url(rollout), data=body) as response:
                assert response.status == 400
                assert (await response.json())["error"]["code"] == "bad_request"
        assert not w.model.requests

    test(scenario)


def test_odd_but_valid_messages_are_answered_by_every_probe() -> None:
    async def scenario(w: World) -> None:
        odd = [
            {"role": "user", "content": None, "tool_calls": [3, {"function": 4}]},
            {"role": "\ud800", "content": "\ud800\0"},
        ]
        for policy in ("silent", "parrot", "babble"):
            assert (await w.chat(f"{policy}/0/0", *odd))[0] == 200
            json.dumps(w.gateway.ledger.take(f"{policy}/0/0").messages).encode()

    test(scenario)


def test_a_rollout_has_a_budget_of_calls_and_of_tokens() -> None:
    async def calls(w: World) -> None:
        assert [(await w.chat("silent/0/0"))[0] for _ in range(3)] == [200, 200, 400]
        _, body = await w.chat("silent/0/0")
        assert body["error"]["code"] == "rollout_budget_exhausted"
        assert (await w.chat("silent/1/0"))[0] == 200
        assert w.gateway.ledger.take("silent/0/0").usage.calls == 2

    async def tokens(w: World) -> None:
        assert [(await w.chat("babble/0/0"))[0] for _ in range(3)] == [200, 200, 400]

    test(calls, job(limits={"calls_per_rollout": 2}))
    test(tokens, job(limits={"max_turns": 2}))


def test_an_ended_rollout_gets_no_more_replies() -> None:
    async def scenario(w: World) -> None:
        await w.chat("silent/0/0")
        w.gateway.ledger.take("silent/0/0")
        status, body = await w.chat("silent/0/0")
        assert (status, body["error"]["code"]) == (400, "rollout_ended")

    test(scenario)


def test_only_so_many_rollouts_are_open_at_once() -> None:
    async def scenario(w: World) -> None:
        answers = [(await w.chat(f"silent/{task}/0"))[0] for task in range(9)]
        assert answers == [200] * 8 + [429]

    test(scenario, job(tasks=20, concurrency=1, attempts=1))


def test_a_body_over_the_limit_is_refused_and_the_gateway_goes_on() -> None:
    async def scenario(w: World) -> None:
        status, body = await w.chat(
            "silent/0/0", {"role": "user", "content": "x" * server.MAX_BODY}
        )
        assert (status, body["error"]["code"]) == (413, "bad_request")
        assert (await w.chat("silent/0/0"))[0] == 200

    test(scenario)


def test_a_long_conversation_is_kept_whole_with_its_texts_cut() -> None:
    async def scenario(w: World) -> None:
        await w.chat("silent/0/0", *[{"role": "user", "content": "x" * 5000}] * 500)
        messages = w.gateway.ledger.take("silent/0/0").messages
        assert len(messages) == 501
        assert sum(len(m["content"]) for m in messages) < 450_000

    test(scenario)


@pytest.mark.parametrize(("failure", "stream", "status", "code"), [
    ("500", False, 502, "model_error"), ("500", True, 502, "model_error"),
    ("503", False, 503, "model_busy"), ("503", True, 503, "model_busy"),
    ("404", False, 502, "model_error"), ("not_json", False, 502, "model_error"),
    ("odd", False, 502, "model_error"),
    ("hang", False, 503, "model_timeout"), ("hang", True, 503, "model_timeout"),
])  # fmt: skip
def test_a_failing_model_is_its_own_fault(
    failure: Any, stream: bool, status: int, code: str
) -> None:
    async def scenario(w: World) -> None:
        w.model.failure = failure
        got, body = await w.chat("model/0/0", stream=stream)
        assert (got, body["error"]["code"], body["error"]["type"]) == (status, code, "server_error")
        record = w.gateway.ledger.take("model/0/0")
        assert record.model_fault
        assert [m["role"] for m in record.messages] == ["user"]

    test(scenario)


def test_a_request_the_model_refuses_is_the_environments_own() -> None:
    async def scenario(w: World) -> None:
        w.model.failure = "400"
        status, body = await w.chat("model/0/0")
        assert (status, body["error"]["code"]) == (400, "refused_by_model")
        assert "told to fail" in body["error"]["message"]
        record = w.gateway.ledger.take("model/0/0")
        assert (record.model_fault, record.replies) == ("", 0)
        assert [m["role"] for m in record.messages] == ["user"]
        assert not w.gateway.model_down.is_set()

    test(scenario)


def test_a_model_that_restarts_is_asked_again() -> None:
    async def scenario(w: World) -> None:
        w.model.failure, w.model.failing = "503", 2
        assert (await w.chat("model/0/0"))[0] == 200
        assert not w.gateway.ledger.take("model/0/0").model_fault

    test(scenario)


@pytest.mark.parametrize("failure", ["cut_stream", "not_json"])
def test_a_stream_that_breaks_off_ends_with_an_error_event_and_is_a_model_fault(
    failure: Any,
) -> None:
    async def scenario(w: World) -> None:
        w.model.failure = failure
        events = await w.stream("model/0/0")
        assert events[-1]["error"]["code"] == "model_error"
        assert w.gateway.ledger.take("model/0/0").model_fault

    test(scenario)


def test_an_exception_of_the_gateways_own_is_a_500_and_kept_for_the_verdict() -> None:
    class Broken(Model):
        async def ask(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
            raise KeyError("ours")

    async def scenario(w: World) -> None:
        async with aiohttp.ClientSession() as session:
            broken = Broken(session, url="http://127.0.0.1:1", name="stub", key=None, timeout=1.0)
            gateway = Gateway(job(), broken)
            listening = socket.create_server(("127.0.0.1", PORT + 2))
            await gateway.open(listening)
            url = w.url("model/0/0").replace(str(PORT), str(PORT + 2))
            async with w.client.post(url, json={"messages": [USER]}) as response:
                assert response.status == 500
                assert (await response.json())["error"]["code"] == "gateway_error"
            assert gateway.failure == "KeyError: 'ours'"
            assert not gateway.ledger.take("model/0/0").model_fault
            await gateway.close()

    test(scenario)


def test_three_faults_in_a_row_say_that_the_model_is_down() -> None:
    async def scenario(w: World) -> None:
        for task in range(3):
            assert not w.gateway.model_down.is_set()
            status, body = await w.chat(f"model/{task}/0")
            assert (status, body["error"]["code"]) == (502, "model_unreachable")
        assert w.gateway.model_down.is_set()

    test(scenario, model_up=False)


def test_a_client_that_goes_away_frees_its_place() -> None:
    async def scenario(w: World) -> None:
        w.model.failure, w.model.failing = "hang", 2
        calls = [asyncio.create_task(w.chat(f"model/{task}/0")) for task in range(2)]
        await asyncio.sleep(0.3)
        for call in calls:
            call.cancel()
        async with asyncio.timeout(1.5):  # well before the model's own two seconds are over
            assert (await w.chat("silent/0/0"))[0] == 200
        assert w.gateway.ledger.take("model/0/0").replies == 0

    test(scenario, job(concurrency=1))


def test_half_sent_requests_and_garbage_do_not_stop_others() -> None:
    async def scenario(w: World) -> None:
        open_ones = []
        for sent in (
            b"POST /rollouts/silent/0/0/v1/chat/completions HTTP/1.1\r\nHost: x\r\n",
            b"\0" * 999,
            b"GET",
        ):
            _, writer = await asyncio.open_connection("127.0.0.1", PORT)
            writer.write(sent)
            open_ones.append(writer)
        assert (await w.chat("silent/0/0"))[0] == 200
        for writer in open_ones:
            writer.close()

    test(scenario)


def test_connections_over_the_limit_are_closed_and_do_not_use_up_descriptors() -> None:
    async def scenario(w: World) -> None:
        pairs = [
            await asyncio.open_connection("127.0.0.1", PORT)
            for _ in range(server.MAX_CONNECTIONS + 20)
        ]
        await asyncio.sleep(0.2)
        refused = sum(reader.at_eof() or bool(reader.exception()) for reader, _ in pairs)
        assert refused == 20
        for _, writer in pairs:
            writer.close()
        await asyncio.sleep(0.2)
        assert (await w.chat("silent/0/0"))[0] == 200

    test(scenario)


@pytest.mark.parametrize(
    "path", ["", "metrics", "v1/embeddings", "v1/../../../admin", "v1/chat/completions/x"]
)
def test_nothing_else_of_the_model_server_can_be_reached(path: str) -> None:
    async def scenario(w: World) -> None:
        async with w.client.post(w.url("model/0/0", path), json={}) as response:
            assert response.status in (404, 405)
            assert (await response.json())["error"]["type"] == "invalid_request_error"
        assert not w.model.requests

    test(scenario)
