"""The judge's calls at the gateway: recognised by address, pinned, bounded, recorded, apart."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.worker.gateway.served_gateway import ServedGateway, job, run_scenario
from tests.worker.stub_judge import KEY, NAME, StubJudge

QUESTION = {"role": "user", "content": "Is it right? yes or no"}
BODY = {"model": "gpt-4.1", "messages": [QUESTION], "temperature": 1.5, "max_tokens": 99999}
CHAT = "/v1/chat/completions"


def parts(*contents: Any) -> bytes:
    """A chat completion whose only message has these parts."""
    return json.dumps({"messages": [{"role": "user", "content": list(contents)}]}).encode()


def reply_text(answer: dict[str, Any]) -> str:
    text: str = answer["choices"][0]["message"]["content"]
    return text


@pytest.mark.parametrize("prefix", ["/v1", "", "/api/v1", "/openai/v1"])
def test_a_call_beside_the_rollouts_goes_to_the_judge_with_pinned_sampling(prefix: str) -> None:
    judge = StubJudge()

    async def scenario(served: ServedGateway) -> None:
        status, answer = await served.judge(
            f"{prefix}/chat/completions", BODY, rollout="silent/0/0"
        )
        assert (status, reply_text(answer), answer["model"]) == (200, "yes", "gpt-4.1")
        (body,) = judge.requests
        pinned = {"model": NAME, "temperature": 0, "seed": 0, "max_tokens": 2048}
        assert body == {"messages": [QUESTION]} | pinned
        assert judge.headers[0]["Authorization"] == f"Bearer {KEY}"
        assert served.model.requests == []

    run_scenario(scenario, judge=judge)


def test_a_schema_reaches_the_judge_and_its_record() -> None:
    judge = StubJudge(verdict=lambda _: '{"correct": true}')
    schema = {"name": "verdict", "strict": True, "schema": {"type": "object", "properties": {}}}
    form = {"type": "json_schema", "json_schema": schema}

    async def scenario(served: ServedGateway) -> None:
        await served.judge(CHAT, BODY | {"response_format": form}, rollout="silent/0/0")
        assert judge.requests[0]["response_format"] == form
        await served.chat("silent/0/0")
        record = served.gateway.records.take("silent/0/0")
        (exchange,) = record.transcript.judge
        assert exchange.options == {"response_format": form}
        assert (exchange.role, exchange.asked_model, exchange.shape, exchange.host) == (
            "judge", "gpt-4.1", "chat/completions", "",
        )  # fmt: skip
        assert exchange.messages == [QUESTION]
        assert exchange.verdict == {"role": "assistant", "content": '{"correct": true}'}
        assert (record.usage.judge_calls, record.usage.judge_prompt_tokens) == (1, 10)

    run_scenario(scenario, judge=judge)


def test_chat_completions_are_streamed() -> None:
    async def scenario(served: ServedGateway) -> None:
        _, text = await served.judge(CHAT, BODY | {"stream": True})
        events = [line.removeprefix("data: ") for line in text.split("\n\n") if line]
        assert events.pop() == "[DONE]"
        deltas = [json.loads(event)["choices"][0]["delta"] for event in events]
        assert "".join(delta.get("content", "") for delta in deltas) == "yes"

    run_scenario(scenario, judge=StubJudge())


def test_responses_become_chat_completions_and_back() -> None:
    judge = StubJudge()
    body = {
        "model": "gpt-5", "instructions": "Judge.", "temperature": 1,
        "input": [{"role": "developer", "content": [{"type": "input_text", "text": "right?"}]}],
        "text": {"format": {"type": "json_schema", "name": "v", "schema": {"type": "object"}}},
    }  # fmt: skip

    async def scenario(served: ServedGateway) -> None:
        status, answer = await served.judge("/v1/responses", body)
        assert (status, answer["status"]) == (200, "completed")
        assert answer["output"][0]["content"][0]["text"] == "yes"
        assert [m["role"] for m in judge.requests[0]["messages"]] == ["system", "system"]
        schema = {"name": "v", "schema": {"type": "object"}}
        form = {"type": "json_schema", "json_schema": schema}
        assert judge.requests[0]["response_format"] == form
        _, text = await served.judge("/v1/responses", body | {"stream": True})
        kinds = [line[7:] for line in text.splitlines() if line.startswith("event: ")]
        assert kinds[0] == "response.created"
        assert kinds[-1] == "response.completed"
        assert "response.output_text.delta" in kinds

    run_scenario(scenario, judge=judge)


def test_anthropic_messages_become_chat_completions_and_back() -> None:
    judge = StubJudge()
    body = {
        "model": "claude", "system": "Judge.", "max_tokens": 5,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "right?"}]}],
    }  # fmt: skip

    async def scenario(served: ServedGateway) -> None:
        status, answer = await served.judge("/v1/messages", body)
        assert (status, answer["content"]) == (200, [{"type": "text", "text": "yes"}])
        assert (answer["stop_reason"], answer["usage"]["input_tokens"]) == ("end_turn", 10)
        sent = [(m["role"], m["content"]) for m in judge.requests[0]["messages"]]
        assert sent == [("system", "Judge."), ("user", "right?")]
        _, text = await served.judge("/v1/messages", body | {"stream": True})
        assert '"text_delta","text":"yes"' in text
        assert "event: message_stop" in text

    run_scenario(scenario, judge=judge)


def test_a_tool_call_comes_back_in_each_shape() -> None:
    judge = StubJudge(tool="grade")
    tool = {"name": "grade", "input_schema": {"type": "object"}}
    choice = {"type": "tool", "name": "grade"}

    async def scenario(served: ServedGateway) -> None:
        body = {"messages": [QUESTION], "tools": [tool], "tool_choice": choice}
        _, answer = await served.judge("/v1/messages", body)
        assert answer["content"] == [
            {"type": "tool_use", "id": "c1", "name": "grade", "input": {"score": 1}}
        ]
        assert judge.requests[0]["tool_choice"] == {
            "type": "function", "function": {"name": "grade"},
        }  # fmt: skip
        function = {"type": "function", "name": "grade", "parameters": {}}
        _, answer = await served.judge("/v1/responses", {"input": "a", "tools": [function]})
        assert answer["output"][0]["arguments"] == '{"score": 1}'

    run_scenario(scenario, judge=judge)


def test_models_are_listed_under_any_name() -> None:
    async def scenario(served: ServedGateway) -> None:
        base = served.url("x").split("/rollouts")[0]
        async with served.client.get(f"{base}/v1/models") as response:
            assert len((await response.json())["data"]) == 1
        async with served.client.get(f"{base}/v1/models/gpt-4o") as response:
            assert (await response.json())["id"] == "gpt-4o"

    run_scenario(scenario, judge=StubJudge())


def test_without_a_judge_each_call_is_counted_and_refused() -> None:
    async def scenario(served: ServedGateway) -> None:
        for rollout in ("silent/0/0", ""):
            status, body = await served.judge(CHAT, BODY, rollout=rollout)
            assert (status, body["error"]["code"]) == (403, "no_judge")
        assert served.gateway.judge.usage.refused == 2
        assert served.gateway.judge.usage.calls == {"silent/0/0": 1, "": 1}

    run_scenario(scenario)


def test_a_forged_name_of_a_rollout_books_the_call_to_the_run() -> None:
    async def scenario(served: ServedGateway) -> None:
        base = served.url("x").split("/rollouts")[0]
        for name in ("0" * 16, "model/0/0", "x" * 5000):
            headers = {"X-Rollout": name}
            async with served.client.post(base + CHAT, json=BODY, headers=headers) as response:
                assert response.status == 200
        assert served.gateway.judge.usage.calls == {"": 3}

    run_scenario(scenario, judge=StubJudge())


@pytest.mark.slow
@pytest.mark.parametrize("status", [429, 500, 503, 401, 301])
def test_a_fault_of_the_judges_server_is_the_platforms_and_no_client_repeats_it(
    status: int,
) -> None:
    async def scenario(served: ServedGateway) -> None:
        answer, body = await served.judge(CHAT, BODY)
        assert (answer, body["error"]["code"]) == (400, "judge_unreachable")
        assert KEY not in json.dumps(body)
        usage = served.gateway.judge.usage
        assert usage.failed.is_set()
        assert str(status) in usage.fault
        assert NAME in usage.fault

    run_scenario(scenario, judge=StubJudge(status=status))


@pytest.mark.slow
@pytest.mark.parametrize(
    "judge",
    [
        StubJudge(hanging=True),
        StubJudge(endless=True),
        StubJudge(raw="<html>busy"),
        StubJudge(raw='{"choices": []}'),
        StubJudge(raw='{"choices": [{"message": {"content": "a", "tool_calls": 5}}]}'),
    ],
    ids=["silent", "endless", "no JSON", "no choice", "odd"],
)
def test_a_server_that_answers_wrongly_is_at_fault_itself(judge: StubJudge) -> None:
    async def scenario(served: ServedGateway) -> None:
        assert (await served.judge(CHAT, BODY))[0] == 400
        assert served.gateway.judge.usage.failed.is_set()
        assert served.gateway.judge.failure == ""

    run_scenario(scenario, judge=judge)


@pytest.mark.parametrize("path", [CHAT, "/v1/responses", "/v1/messages"])
def test_odd_fields_of_an_answer_become_plain_ones(path: str) -> None:
    call = {"id": 5, "function": {"name": "score", "arguments": "{}"}}
    message = {"content": "yes", "tool_calls": [call]}
    usage = {"prompt_tokens": -(10**9), "completion_tokens": 10**30}
    odd = {"choices": [{"message": message, "finish_reason": {"a": 1}}], "usage": usage}

    async def scenario(served: ServedGateway) -> None:
        body = {"messages": [QUESTION], "input": "right?"}
        assert (await served.judge(path, body, rollout="silent/0/0"))[0] == 200
        assert served.gateway.judge.failure == ""
        await served.chat("silent/0/0")
        (exchange,) = served.gateway.records.take("silent/0/0").transcript.judge
        assert (exchange.finish_reason, exchange.prompt_tokens) == ("", 0)
        assert 0 < exchange.completion_tokens < 1 << 63
        assert exchange.verdict["tool_calls"][0]["id"] == ""

    run_scenario(scenario, judge=StubJudge(raw=json.dumps(odd)))


def test_a_request_that_the_server_refuses_is_the_environments_affair() -> None:
    async def scenario(served: ServedGateway) -> None:
        status, body = await served.judge(CHAT, BODY)
        assert (status, body["error"]["code"]) == (400, "refused_by_model")
        assert not served.gateway.judge.usage.failed.is_set()

    run_scenario(scenario, judge=StubJudge(status=400))


@pytest.mark.parametrize(
    ("path", "raw"),
    [
        (CHAT, b"{"),
        (CHAT, b"[]"),
        (CHAT, b'{"messages": []}'),
        (CHAT, b'{"messages": [{"role": "user", "content": "' + b"a" * (5 << 20) + b'"}]}'),
        (CHAT, b"[" * 100_000),
        (CHAT, b'{"messages": [{"role": "user", "content": "a"}], "n": 3}'),
        (CHAT, parts({"type": "image_url", "image_url": {"url": "http://169.254.169.254/"}})),
        (CHAT, parts({"type": "image_url", "image_url": {"url": "file:///etc/passwd"}})),
        (CHAT, parts({"type": "text", "text": "a", "image_url": {"url": "http://a"}})),
        (CHAT, parts({"type": "video_url", "video_url": {"url": "http://127.0.0.1/"}})),
        (CHAT, parts("text")),
        ("/v1/responses", b'{"input": 5}'),
        ("/v1/responses", b'{"input": [{"role": "user"}]}'),
        ("/v1/responses", b'{"input": "a", "tools": [{"type": "web_search"}]}'),
        (
            CHAT,
            parts({"type": "image_url", "image_url": {"url": "data:image/x;http://a;base64,A"}}),
        ),
        ("/v1/messages", b'{"messages": [{"role": "tool", "content": "a"}]}'),
        (
            "/v1/messages",
            b'{"messages": [{"role": "user", "content": "a"}], "tools": [{"type": "web_fetch_1"}]}',
        ),
        ("/v1/messages", b'{"messages": [{"role": "user", "content": [{"type": "document"}]}]}'),
    ],
)
def test_a_malformed_call_is_refused_and_reaches_no_judge(path: str, raw: bytes) -> None:
    judge = StubJudge()

    async def scenario(served: ServedGateway) -> None:
        status, body = await served.judge(path, None, data=raw)
        assert status in (400, 413)
        assert body["error"]["message"]
        assert judge.requests == []
        assert served.gateway.judge.failure == ""
        assert (await served.judge(CHAT, BODY))[0] == 200

    run_scenario(scenario, judge=judge)


def test_messages_are_written_anew() -> None:
    judge = StubJudge()

    async def scenario(served: ServedGateway) -> None:
        sent = QUESTION | {"audio": {"id": "x"}, "images": ["http://127.0.0.1/"], "prefix": True}
        await served.judge(CHAT, {"messages": [sent | {"name": "a"}]})
        assert judge.requests[0]["messages"] == [QUESTION | {"name": "a"}]

    run_scenario(scenario, judge=judge)


def test_other_paths_are_refused_and_counted() -> None:
    async def scenario(served: ServedGateway) -> None:
        assert (await served.judge("/v1/embeddings", {"input": "a"}))[0] == 404
        assert served.gateway.judge.usage.unsupported == {"/v1/embeddings": 1}
        for path in ("/rollouts/x/v1/responses", "/rollouts/", "/plan"):
            assert (await served.judge(path, BODY))[0] in (404, 405)
        assert served.gateway.judge.usage.calls == {}

    run_scenario(scenario, judge=StubJudge())


def test_the_budgets_of_a_rollout_and_of_the_run_are_the_judges_own() -> None:
    limits = {"judge_calls_per_rollout": 1, "judge_calls": 3, "calls_per_rollout": 1}

    async def scenario(served: ServedGateway) -> None:
        assert (await served.judge(CHAT, BODY, rollout="silent/0/0"))[0] == 200
        status, body = await served.judge(CHAT, BODY, rollout="silent/0/0")
        assert (status, body["error"]["code"]) == (400, "judge_budget_exhausted")
        assert (await served.chat("silent/0/0"))[0] == 200  # the policy's budget is untouched
        assert (await served.chat("silent/0/0"))[0] == 400
        assert (await served.judge(CHAT, BODY, rollout="silent/1/0"))[0] == 200
        assert (await served.judge(CHAT, BODY))[0] == 200
        _, body = await served.judge(CHAT, BODY, rollout="silent/2/0")
        assert "this run has used its 3 judge calls" in body["error"]["message"]
        record = served.gateway.records.take("silent/0/0")
        assert (record.replies, record.usage.calls, record.usage.judge_calls) == (1, 1, 2)
        assert len(record.transcript.calls) == 2 - 1

    run_scenario(scenario, job(limits=limits), judge=StubJudge())


def test_tokens_are_bounded_too() -> None:
    async def scenario(served: ServedGateway) -> None:
        assert (await served.judge(CHAT, BODY, rollout="silent/0/0"))[0] == 200
        assert (await served.judge(CHAT, BODY, rollout="silent/0/0"))[0] == 400
        assert served.gateway.judge.usage.over_budget == {"silent/0/0": 1}

    run_scenario(scenario, job(limits={"judge_tokens_per_rollout": 12}), judge=StubJudge())


def test_no_secret_is_recorded() -> None:
    judge = StubJudge(verdict=lambda _: f"the key is {KEY} and hubrun_x")

    async def scenario(served: ServedGateway) -> None:
        message = {"role": "user", "content": KEY}
        await served.judge(CHAT, {"messages": [message]}, rollout="silent/0/0")
        record = served.gateway.records.take("silent/0/0")
        assert record.transcript.judge[0].messages[0]["content"] == "[secret]"
        assert KEY not in json.dumps(record.transcript.to_dict())

    run_scenario(scenario, judge=judge)


def test_a_record_is_bounded_and_keeps_its_verdicts_longest() -> None:
    async def scenario(served: ServedGateway) -> None:
        for number in range(20):
            message = {"role": "user", "content": f"{number}" * 90_000}
            await served.judge(CHAT, {"messages": [message]}, rollout="silent/0/0")
        exchanges = served.gateway.records.take("silent/0/0").transcript.judge
        assert len(exchanges) == 20
        assert sum(len(json.dumps(exchange.to_dict())) for exchange in exchanges) < 300_000
        assert {exchange.verdict["content"] for exchange in exchanges} == {"yes"}
        assert exchanges[-1].cut

    run_scenario(scenario, judge=StubJudge())


def test_an_image_in_the_message_itself_reaches_the_judge() -> None:
    judge = StubJudge()
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}

    async def scenario(served: ServedGateway) -> None:
        text = {"type": "text", "text": "right?"}
        assert (await served.judge(CHAT, None, data=parts(text, image)))[0] == 200
        assert judge.requests[0]["messages"][0]["content"] == [text, image]
        source = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
        content = [{"type": "text", "text": "right?"}, {"type": "image", "source": source}]
        body = {"messages": [{"role": "user", "content": content}]}
        assert (await served.judge("/v1/messages", body))[0] == 200
        assert judge.requests[1]["messages"][0]["content"] == [text, image]

    run_scenario(scenario, judge=judge)
