"""A model's reasoning is recorded within bounds, and a replay gives it back in the same field."""

from __future__ import annotations

from typing import Any

import pytest

from envyard.contract.transcript import Exchange, Transcript, clean_message
from envyard_runner.gateway.openai import Call, chunks, completion
from envyard_runner.gateway.recorded_replies import RecordedReplies
from envyard_runner.gateway.recorder import Recorder
from envyard_runner.gateway.replays import why_unrepeatable
from envyard_runner.gateway.reply import Reply
from envyard_runner.gateway.rollout_records import ROLLOUT_BYTES, Record
from tests.worker.gateway.served_gateway import TOOL, ServedGateway, run_scenario

Message = dict[str, Any]
QUESTION = {"role": "user", "content": "6 * 7?"}
FIELDS = ("reasoning", "reasoning_content")


def call(*messages: Message) -> Call:
    return Call([QUESTION, *messages], [], False, False, {})


def reply_of(message: Message, **answer: Any) -> Reply:
    """The reply that a model server's whole answer becomes."""
    reply = Reply()
    choice = {"message": {"role": "assistant"} | message, "finish_reason": "stop"}
    reply.add({"choices": [choice]} | answer)
    return reply


def recorded(*exchanges: tuple[Call, Reply]) -> Record:
    record = Record("model/0/0", "model")
    for request, reply in exchanges:
        record.add(request, reply, 0.1)
    return record


def streamed(reply: Reply) -> Message:
    """What a client makes of the reply's chunks, field by field."""
    message: Message = {}
    for chunk in chunks(reply, model="policy", ident="c"):
        for choice in chunk["choices"]:
            for name, value in choice["delta"].items():
                message[name] = message.get(name, "") + value
    return message


@pytest.mark.parametrize("field", FIELDS)
def test_reasoning_of_a_whole_reply_is_recorded_and_passed_on(field: str) -> None:
    async def scenario(served: ServedGateway) -> None:
        served.model.reasoning, served.model.reasoning_tokens = {field: "six sevens"}, 3
        _, body = await served.chat("model/0/0", QUESTION)
        assert body["choices"][0]["message"] == {
            "role": "assistant", "content": "ok", field: "six sevens",
        }  # fmt: skip
        record = served.gateway.records.take("model/0/0")
        assert record.transcript.messages[-1]["reasoning_content"] == "six sevens"
        (exchange,) = record.transcript.calls
        assert exchange.reasoning_tokens == record.usage.reasoning_tokens == 3
        assert exchange.reply_fields == ["content", field]
        assert why_unrepeatable(record) == ""

    run_scenario(scenario)


@pytest.mark.parametrize("field", FIELDS)
def test_reasoning_of_a_streamed_reply_is_recorded_and_passed_on(field: str) -> None:
    async def scenario(served: ServedGateway) -> None:
        served.model.reasoning, served.model.reasoning_tokens = {field: "six sevens are"}, 3
        parts = await served.stream("model/0/0")
        deltas = [choice["delta"] for part in parts for choice in part["choices"]]
        assert "".join(delta.get(field, "") for delta in deltas) == "six sevens are"
        record = served.gateway.records.take("model/0/0")
        assert record.transcript.messages[-1]["reasoning_content"] == "six sevens are"
        assert record.usage.reasoning_tokens == 3
        assert why_unrepeatable(record) == ""

    run_scenario(scenario)


def test_reasoning_beside_a_tool_call_is_recorded() -> None:
    async def scenario(served: ServedGateway) -> None:
        served.model.reasoning = {"reasoning": "a sum"}
        await served.chat("model/0/0", QUESTION, tools=[TOOL])
        message = served.gateway.records.take("model/0/0").transcript.messages[-1]
        assert message["tool_calls"][0]["function"]["name"] == "add"
        assert message["reasoning_content"] == "a sum"

    run_scenario(scenario)


def test_tokens_of_reasoning_are_unknown_where_one_reply_came_without_the_count() -> None:
    counted = {"usage": {"completion_tokens_details": {"reasoning_tokens": 5}}}
    first, second = reply_of({"content": "a"}, **counted), reply_of({"content": "b"})
    assert recorded((call(), first), (call(), first)).usage.reasoning_tokens == 10
    assert recorded((call(), first), (call(), second)).usage.reasoning_tokens is None
    odd = {"usage": {"completion_tokens_details": {"reasoning_tokens": "many"}}}
    assert reply_of({"content": "a"}, **odd).reasoning_tokens is None


@pytest.mark.parametrize(
    "message",
    [
        {"content": "42", "reasoning": "six sevens"},
        {"content": "42", "reasoning_content": "six sevens"},
        {"content": "42", "reasoning": "both", "reasoning_content": "both"},
        {"content": "42", "reasoning": ""},
        {"content": None, "reasoning": "cut off in the middle of"},
        {"content": ""},
    ],
)
def test_a_replay_gives_the_reply_back_in_the_fields_in_which_it_came(message: Message) -> None:
    record = recorded((call(), reply_of(message)))
    assert why_unrepeatable(record) == ""
    again = RecordedReplies(record.transcript).answer(call())
    completed = completion(again, model="policy", ident="c")["choices"][0]["message"]
    assert completed == {"role": "assistant"} | message
    filled = {name: value for name, value in message.items() if value is not None}
    assert streamed(again) == {"role": "assistant"} | filled


@pytest.mark.parametrize(
    "message",
    [
        {"content": "42", "reasoning": "one", "reasoning_content": "another"},
        {"content": "42", "reasoning": [{"text": "no text"}]},
        {"content": "42", "reasoning_details": [{"text": "elsewhere"}]},
        {"content": "42", "reasoning": "x" * 200_000},
    ],
)
def test_a_reply_whose_reasoning_is_not_recorded_as_it_was_is_left_out_of_replays(
    message: Message,
) -> None:
    record = recorded((call(), reply_of(message)))
    assert why_unrepeatable(record) == "a reply held more than is recorded"


@pytest.mark.parametrize("sent", [{}, {"reasoning": "R1"}, {"reasoning_content": "R1"}])
def test_a_history_without_the_reasoning_goes_on_from_the_reply(sent: Message) -> None:
    first = reply_of({"content": "41?", "reasoning": "R1"})
    history = ({"role": "assistant", "content": "41?"} | sent, {"role": "user", "content": "no"})
    second = reply_of({"content": "42", "reasoning": "R2"})
    record = recorded((call(), first), (call(*history), second), (call(*history), second))
    transcript = record.transcript
    assert len(transcript.nodes) == 4
    assert len(transcript.ends) == 1
    assert [exchange.reasoning_sent for exchange in transcript.calls] == [0, *[bool(sent)] * 2]
    recorded_replies = RecordedReplies(transcript)
    for request in (call(), call(*history), call(*history)):
        recorded_replies.answer(request)
    recorded_replies.end()
    assert recorded_replies.diverged == 0


def test_other_reasoning_for_the_same_text_is_another_reply() -> None:
    replies = [reply_of({"content": "42", "reasoning": f"R{n}"}) for n in (1, 2)]
    replies.append(reply_of({"content": "42"}))
    record = recorded(*((call(), reply) for reply in replies))
    transcript = record.transcript
    messages = [transcript.nodes[exchange.reply].message for exchange in transcript.calls]
    assert [message.get("reasoning_content") for message in messages] == ["R1", "R2", None]
    assert why_unrepeatable(record) == ""


def test_long_reasoning_is_cut_to_the_room_and_secrets_do_not_stand_in_it() -> None:
    secret = "sk-of-the-operator"
    recorder = Recorder(20_000, [secret])
    reply = {"role": "assistant", "content": "42", "reasoning_content": f"{secret} " * 10_000}
    recorder.add([QUESTION], [], reply, Exchange())
    assert recorder.transcript.truncated
    kept = str(recorder.transcript.messages[-1])
    assert "42" in kept
    assert 1_000 < len(kept) < 20_000
    assert secret not in kept


def test_hostile_reasoning_becomes_storable_text_or_nothing() -> None:
    for value in (7, ["a"], {"a": 1}, None, True):
        assert "reasoning_content" not in clean_message({"role": "assistant", "reasoning": value})
    message = clean_message({"role": "assistant", "reasoning": "a\0\ud800" + "x" * 200_000})
    assert len(message["reasoning_content"]) < 100_100
    assert "\0" not in message["reasoning_content"]
    message["reasoning_content"].encode()
    assert "reasoning_content" not in clean_message({"role": "user", "reasoning": "R"})


def test_a_transcript_from_before_reasoning_was_recorded_is_read() -> None:
    old = {
        "nodes": [{"parent": -1, "message": QUESTION}],
        "calls": [{"asked": 0, "reply": -1, "finish_reason": "stop"}],
    }
    (exchange,) = Transcript.from_dict(old).calls
    assert (exchange.reasoning_tokens, exchange.reply_fields) == (None, [])
    odd = {"reply_fields": {"content": 1}, "reasoning_tokens": "x", "reasoning_sent": "y"}
    strange = Transcript.from_dict({"calls": [odd, {"reply_fields": ["x", "reasoning", 3]}]})
    assert [exchange.reply_fields for exchange in strange.calls] == [[], ["reasoning"]]


def test_a_repeated_history_with_reasoning_is_stored_once() -> None:
    recorder = Recorder(ROLLOUT_BYTES)
    talk: list[Message] = []
    for turn in range(3):
        talk = [*talk, {"role": "user", "content": f"{turn}"}]
        reply = {"role": "assistant", "content": f"a{turn}", "reasoning_content": f"R{turn}"}
        recorder.add(talk, [], reply, Exchange())
        talk = [*talk, {"role": "assistant", "content": f"a{turn}"}]
    assert len(recorder.transcript.nodes) == 6
    assert recorder.holds(reply)
