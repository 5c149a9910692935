"""The gateway's replies and records, over real sockets, with a model server."""

from __future__ import annotations

import asyncio
import json

from tests.worker.gateway.served_gateway import (
    TOOL,
    USER,
    ServedGateway,
    job,
    run_scenario,
    serve_gateway,
)


def test_a_probe_answers_in_openai_shape_and_is_recorded() -> None:
    async def scenario(served: ServedGateway) -> None:
        status, body = await served.chat("parrot/0/0", {"role": "user", "content": "hello"})
        assert status == 200
        assert body["object"] == "chat.completion"
        assert body["choices"][0]["message"] == {"role": "assistant", "content": "hello"}
        assert body["choices"][0]["finish_reason"] == "stop"
        record = served.gateway.records.take("parrot/0/0")
        assert [m["content"] for m in record.transcript.messages] == ["hello", "hello"]
        assert record.usage.calls == 1
        assert record.usage.completion_tokens == body["usage"]["completion_tokens"] == 2

    run_scenario(scenario)


def test_a_probe_streams_with_usage_only_on_request() -> None:
    async def scenario(served: ServedGateway) -> None:
        plain = await served.stream("parrot/0/0")
        assert all(chunk["choices"] for chunk in plain)
        counted = await served.stream("parrot/1/0", stream_options={"include_usage": True})
        assert counted[-1]["choices"] == []
        assert counted[-1]["usage"]["completion_tokens"] > 0
        response = "".join(c["choices"][0]["delta"].get("content", "") for c in plain)
        assert response == USER["content"]

    run_scenario(scenario)


def test_babble_is_the_same_in_a_repeated_run_and_differs_by_rollout() -> None:
    async def twice() -> None:
        replies = []
        for _ in range(2):
            async with serve_gateway() as served:
                answers = [await served.chat("babble/0/0"), await served.chat("babble/1/0")]
                replies.append([a[1]["choices"][0]["message"]["content"] for a in answers])
        assert replies[0] == replies[1]
        assert replies[0][0] != replies[0][1]
        assert len(replies[0][0]) == 64 * 4

    asyncio.run(twice())


def test_the_model_is_called_with_our_key_model_sampling_and_seed() -> None:
    async def scenario(served: ServedGateway) -> None:
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
        async with served.client.post(
            served.url("model/0/1"), json=body, headers=headers
        ) as response:
            answer = await response.json()
        assert (
            answer["choices"][0]["message"]["content"] == "<reversed_text>fed cba</reversed_text>"
        )
        request, sent = served.model.requests[0], served.model.headers[0]
        seed = request.pop("seed")
        assert request == {
            "messages": [USER],
            "stop": ["#"],
            "model": "stub",
            "temperature": 1.0,
            "max_tokens": 64,
        }
        assert sent["Authorization"] == "Bearer secret"
        assert not {"X-Admin", "X-Session-ID"} & set(sent)
        await served.chat("model/0/1")
        await served.chat("model/1/1")
        assert served.model.requests[1]["seed"] == seed != served.model.requests[2]["seed"]

    run_scenario(scenario)


def test_what_an_environment_sets_itself_is_recorded_once_and_bounded() -> None:
    async def scenario(served: ServedGateway) -> None:
        schema = {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object"}}}
        fields = {"stop": ["#"], "tool_choice": "auto", "response_format": schema, "top_p": 0.1}
        for _ in range(3):
            assert (await served.chat("model/0/0", **fields))[0] == 200
        await served.chat("model/0/0")
        transcript = served.gateway.records.take("model/0/0").transcript
        assert transcript.options == [{name: fields[name] for name in fields if name != "top_p"}]
        assert [call.options for call in transcript.calls] == [0, 0, 0, -1]
        await served.chat("parrot/0/0", stop="x" * 1_000_000)
        assert len(str(served.gateway.records.take("parrot/0/0").transcript.options)) < 5000

    run_scenario(scenario)


def test_a_streamed_reply_is_recorded_with_the_time_of_its_first_piece() -> None:
    async def scenario(served: ServedGateway) -> None:
        served.model.pause = 0.05
        await served.stream("model/0/0")
        await served.chat("model/0/0")
        streamed, unstreamed = served.gateway.records.take("model/0/0").transcript.calls
        assert streamed.first_seconds is not None
        assert 0.05 < streamed.first_seconds < streamed.seconds - 0.1
        assert unstreamed.first_seconds is None

    run_scenario(scenario)


def test_a_probes_answer_differs_from_a_models_in_its_content_only() -> None:
    async def scenario(served: ServedGateway) -> None:
        served.model.extras = {"system_fingerprint": "vllm", "prompt_logprobs": None}
        (_, model), (_, probe) = await served.chat("model/0/0"), await served.chat("babble/0/0")
        streams = [await served.stream(f"{policy}/1/0") for policy in ("model", "babble")]
        for item, other in ((model, probe), *zip(*streams, strict=False)):
            assert set(item) == set(other)
            assert item["model"] == other["model"]
            assert set(item["choices"][0]) - {"logprobs"} == set(other["choices"][0]) - {"logprobs"}
        assert set(model["usage"]) == set(probe["usage"])
        for text in map(json.dumps, (model, probe, *streams[0], *streams[1])):
            assert not any(policy in text for policy in ("babble", "model/", "stub", "vllm"))

    run_scenario(scenario)


def test_a_probe_that_happens_to_give_the_reference_is_marked() -> None:
    """The right answer may be an echo of the prompt, or no answer at all."""
    spec = job(policies=("silent", "parrot", "oracle"), tasks=4)

    async def scenario(served: ServedGateway) -> None:
        answers = ["hello  World", "bye", "", "right"]
        served.gateway.plan.references.add_tasks(
            [{"index": i, "hash": str(i), "answer": text} for i, text in enumerate(answers)]
        )
        played = [f"{policy}/{task}/0" for policy in ("parrot", "silent") for task in range(3)]
        for name in (*played, "oracle/0/0"):
            await served.chat(name, {"role": "user", "content": "Hello world"})
        records = served.gateway.records
        marked = [name for name in (*played, "oracle/0/0") if records.take(name).gave_right_reply]
        assert marked == ["parrot/0/0", "silent/2/0"]
        for text in ("wrong", "right"):  # one right move of several is luck
            await served.chat("parrot/3/0", {"role": "user", "content": text})
        assert not records.take("parrot/3/0").gave_right_reply

    run_scenario(scenario, spec)


def test_what_a_careless_model_server_leaves_out_is_added() -> None:
    """Clients refuse an answer without `object` and `created`; the environment had the blame."""

    async def scenario(served: ServedGateway) -> None:
        served.model.failure = "bare"
        _, answer = await served.chat("model/0/0")
        assert answer["object"] == "chat.completion"
        assert answer["created"] > 1
        assert answer["model"] == "policy"

    run_scenario(scenario)


def test_the_models_stream_is_passed_through_and_folded_into_the_record() -> None:
    async def scenario(served: ServedGateway) -> None:
        chunks = await served.stream("model/0/0", tools=[TOOL])
        assert all(chunk["choices"] for chunk in chunks)  # only the gateway requested the usage
        record = served.gateway.records.take("model/0/0")
        call = record.transcript.messages[-1]["tool_calls"][0]["function"]
        assert call == {"name": "add", "arguments": '{"a": 1}'}
        assert record.finish_reason == "tool_calls"
        assert record.usage.prompt_tokens == 7
        assert record.usage.model_seconds > 0

    run_scenario(scenario)


def test_a_conversation_of_several_turns_is_kept_once_and_counted_in_full() -> None:
    async def scenario(served: ServedGateway) -> None:
        _, first = await served.chat("model/0/0", tools=[TOOL])
        requests = [
            USER,
            first["choices"][0]["message"],
            {"role": "tool", "tool_call_id": "call_1", "content": "5"},
        ]
        _, second = await served.chat("model/0/0", *requests, tools=[TOOL])
        assert second["choices"][0]["message"]["content"] == "Answer: 5"
        record = served.gateway.records.take("model/0/0")
        roles = [m["role"] for m in record.transcript.messages]
        assert roles == ["user", "assistant", "tool", "assistant"]
        assert record.usage.calls == 2
        assert record.usage.prompt_tokens == 14

    run_scenario(scenario)


def test_plain_completions_and_the_list_of_models_are_answered() -> None:
    async def scenario(served: ServedGateway) -> None:
        for rollout, text in (("parrot/0/0", "hi"), ("model/0/0", "hi and so on")):
            url = served.url(rollout, "v1/completions")
            async with served.client.post(url, json={"prompt": "hi", "max_tokens": 1}) as response:
                assert (await response.json())["choices"][0]["text"] == text
            assert served.gateway.records.take(rollout).transcript.messages[-1]["content"] == text
        assert served.model.requests[0]["max_tokens"] == 64
        async with served.client.get(served.url("silent/0/0", "v1/models")) as response:
            assert [m["id"] for m in (await response.json())["data"]] == ["policy"]
            assert response.headers["Server"] == "uvicorn"  # as vLLM: aiohttp would be a mark

    run_scenario(scenario)


def test_odd_but_valid_messages_are_answered_by_every_probe() -> None:
    async def scenario(served: ServedGateway) -> None:
        odd = [
            {"role": "user", "content": None, "tool_calls": [3, {"function": 4}]},
            {"role": "\ud800", "content": "\ud800\0"},
        ]
        for policy in ("silent", "parrot", "babble"):
            assert (await served.chat(f"{policy}/0/0", *odd))[0] == 200
            json.dumps(served.gateway.records.take(f"{policy}/0/0").transcript.messages).encode()

    run_scenario(scenario)
