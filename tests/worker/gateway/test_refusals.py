"""What the gateway refuses, limits and lives through, over real sockets."""

from __future__ import annotations

import asyncio
import json

import pytest

from envyard_runner.gateway import server
from tests.worker.gateway.served_gateway import USER, ServedGateway, job, run_scenario
from tests.worker.stub_judge import StubJudge


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
    async def scenario(served: ServedGateway) -> None:
        status, body = await served.chat(rollout)
        assert (status, body["error"]["code"]) == (404, "no_such_rollout")
        assert set(body["error"]) == {"message", "type", "code", "param"}

    run_scenario(scenario)


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
    async def scenario(served: ServedGateway) -> None:
        for rollout in ("parrot/0/0", "model/0/0"):
            async with served.client.post(served.url(rollout), data=body) as response:
                assert response.status == 400
                assert (await response.json())["error"]["code"] == "bad_request"
        assert not served.model.requests

    run_scenario(scenario)


@pytest.mark.parametrize(
    "part",
    [
        {"type": "image_url", "image_url": {"url": "http://169.254.169.254/"}},
        {"type": "image_url", "image_url": "file:///etc/passwd"},
        {"type": "video_url", "video_url": {"url": "https://example.org/a.mp4"}},
        {"type": "text", "text": "a", "audio_url": {"url": ["http://127.0.0.1/"]}},
        {"type": "image", "image": " HTTP://127.0.0.1/"},
        {"type": "file", "file": {"file_data": "https://example.org/a.pdf"}},
        {"type": "image", "source": {"type": "url", "url": "gs://bucket/a.png"}},
        {"type": "input_audio", "input_audio": {"data": ["file:/etc/passwd"]}},
    ],
)
def test_no_address_that_the_models_server_would_fetch_reaches_it(part: dict[str, object]) -> None:
    async def scenario(served: ServedGateway) -> None:
        inline = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
        for content, expected in ([part], 400), ([inline], 200):
            body = {"messages": [{"role": "user", "content": content}]}
            async with served.client.post(served.url("model/0/0"), json=body) as response:
                assert response.status == expected
        (request,) = served.model.requests
        assert request["messages"][0]["content"] == [inline]

    run_scenario(scenario)


@pytest.mark.parametrize(
    "fields",
    [
        {"tools": [{"type": "web_search_preview"}]},
        {"tools": [{"type": "mcp", "function": {}, "server_url": "http://127.0.0.1/"}]},
        {"tools": {"type": "function"}},
        {"response_format": {"type": "structural_tag", "structures": []}},
        {"response_format": {"type": "json_schema", "json_schema": "x"}},
        {"response_format": 5},
        {"stop": ["x"] * 50_000},
        {"stop": ["x" * 501]},
        {"stop": {"x": 1}},
    ],
)
def test_no_tool_of_the_server_and_no_odd_option_reaches_it(fields: dict[str, object]) -> None:
    judge = StubJudge()

    async def scenario(served: ServedGateway) -> None:
        status, body = await served.chat("model/0/0", **fields)
        assert (status, body["error"]["code"]) == (400, "bad_request")
        status, body = await served.judge("/v1/chat/completions", {"messages": [USER]} | fields)
        assert (status, body["error"]["code"]) == (400, "bad_request")
        assert served.model.requests == judge.requests == []

    run_scenario(scenario, judge=judge)


def test_a_rollout_has_a_budget_of_calls_and_of_tokens() -> None:
    async def calls(served: ServedGateway) -> None:
        assert [(await served.chat("silent/0/0"))[0] for _ in range(3)] == [200, 200, 400]
        _, body = await served.chat("silent/0/0")
        assert body["error"]["code"] == "rollout_budget_exhausted"
        assert (await served.chat("silent/1/0"))[0] == 200
        assert served.gateway.records.take("silent/0/0").usage.calls == 2

    async def tokens(served: ServedGateway) -> None:
        assert [(await served.chat("babble/0/0"))[0] for _ in range(3)] == [200, 200, 400]

    run_scenario(calls, job(limits={"calls_per_rollout": 2}))
    run_scenario(tokens, job(limits={"max_turns": 2}))


def test_an_ended_rollout_gets_no_more_replies() -> None:
    async def scenario(served: ServedGateway) -> None:
        await served.chat("silent/0/0")
        served.gateway.records.take("silent/0/0")
        status, body = await served.chat("silent/0/0")
        assert (status, body["error"]["code"]) == (400, "rollout_ended")

    run_scenario(scenario)


def test_only_so_many_rollouts_are_open_at_once() -> None:
    async def scenario(served: ServedGateway) -> None:
        answers = [(await served.chat(f"silent/{task}/0"))[0] for task in range(9)]
        assert answers == [200] * 8 + [429]

    run_scenario(scenario, job(tasks=20, concurrency=1, attempts=1))


def test_a_body_over_the_limit_is_refused_and_the_gateway_goes_on() -> None:
    async def scenario(served: ServedGateway) -> None:
        status, body = await served.chat(
            "silent/0/0", {"role": "user", "content": "x" * server.MAX_BODY}
        )
        assert (status, body["error"]["code"]) == (413, "bad_request")
        assert (await served.chat("silent/0/0"))[0] == 200

    run_scenario(scenario)


def test_a_prompt_beyond_the_record_is_cut_and_its_reply_is_kept() -> None:
    async def scenario(served: ServedGateway) -> None:
        await served.chat("parrot/0/0", *[{"role": "user", "content": "x" * 5000}] * 500)
        transcript = served.gateway.records.take("parrot/0/0").transcript
        assert transcript.truncated
        assert transcript.messages[-1] == {"role": "assistant", "content": "x" * 64 * 4}
        assert transcript.calls[0].left_out == 501 - len(transcript.messages)
        assert transcript.calls[0].left_out > 300
        assert len(json.dumps(transcript.to_dict())) < 1 << 20

    run_scenario(scenario)


def test_a_client_that_goes_away_frees_its_place() -> None:
    async def scenario(served: ServedGateway) -> None:
        served.model.failure, served.model.failing = "hang", 2
        calls = [asyncio.create_task(served.chat(f"model/{task}/0")) for task in range(2)]
        await asyncio.sleep(0.3)
        for call in calls:
            call.cancel()
        async with asyncio.timeout(1.5):  # well before the model's own two seconds are over
            assert (await served.chat("silent/0/0"))[0] == 200
        assert served.gateway.records.take("model/0/0").replies == 0

    run_scenario(scenario, job(concurrency=1))


def test_half_sent_requests_and_garbage_do_not_stop_others() -> None:
    async def scenario(served: ServedGateway) -> None:
        open_ones = []
        for sent in (
            b"POST /rollouts/silent/0/0/v1/chat/completions HTTP/1.1\r\nHost: x\r\n",
            b"\0" * 999,
            b"GET",
        ):
            _, writer = await asyncio.open_connection("127.0.0.1", served.port)
            writer.write(sent)
            open_ones.append(writer)
        assert (await served.chat("silent/0/0"))[0] == 200
        for writer in open_ones:
            writer.close()

    run_scenario(scenario)


def test_connections_over_the_limit_are_closed_and_do_not_use_up_descriptors() -> None:
    async def scenario(served: ServedGateway) -> None:
        pairs = [
            await asyncio.open_connection("127.0.0.1", served.port)
            for _ in range(server.MAX_CONNECTIONS + 20)
        ]
        await asyncio.sleep(0.2)
        refused = sum(reader.at_eof() or bool(reader.exception()) for reader, _ in pairs)
        assert refused == 20
        for _, writer in pairs:
            writer.close()
        await asyncio.sleep(0.2)
        assert (await served.chat("silent/0/0"))[0] == 200

    run_scenario(scenario)


@pytest.mark.parametrize(
    "path", ["", "metrics", "v1/embeddings", "v1/../../../admin", "v1/chat/completions/x"]
)
def test_nothing_else_of_the_model_server_can_be_reached(path: str) -> None:
    async def scenario(served: ServedGateway) -> None:
        async with served.client.post(served.url("model/0/0", path), json={}) as response:
            assert response.status in (404, 405)
            assert (await response.json())["error"]["type"] == "invalid_request_error"
        assert not served.model.requests

    run_scenario(scenario)
