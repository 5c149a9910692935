"""What the gateway writes down of a rollout: all of it, once, within bounds, without secrets."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import aiohttp

from envyard.contract.transcript import Exchange, Transcript
from envyard_runner.gateway import Gateway, Model
from envyard_runner.gateway.openai import Call
from envyard_runner.gateway.recorder import Recorder
from envyard_runner.gateway.reply import Reply
from envyard_runner.gateway.rollout_records import ROLLOUT_BYTES, RolloutRecords
from tests.worker.stub_hub import RUN_TOKEN, job

KEY = 'sk-the-"operators"-own-key'
Message = dict[str, Any]


def chat_message(role: str, content: str) -> Message:
    return {"role": role, "content": content}


def ask(recorder: Recorder, messages: list[Message], reply: str | None) -> list[Message]:
    """One call; the conversation as a framework would go on with it."""
    answer = None if reply is None else chat_message("assistant", reply)
    recorder.add(messages, [], answer, Exchange(finish_reason="stop"))
    return [*messages, *([answer] if answer else [])]


def size(transcript: Transcript) -> int:
    return len(json.dumps(transcript.to_dict()))


def test_fields_beside_a_reply_are_bounded_and_without_secrets() -> None:
    recorder = Recorder(ROLLOUT_BYTES, [KEY])
    for reason in (f"{KEY}!", "x" * 1_000_000, {"a": [KEY]}):
        call = Exchange(finish_reason=reason)  # type: ignore[arg-type]
        recorder.add([chat_message("user", "hi")], [], chat_message("assistant", "yes"), call)
    reasons = [call.finish_reason for call in recorder.transcript.calls]
    assert reasons[0] == "[secret]!"
    assert all(isinstance(reason, str) and len(reason) < 100 for reason in reasons)


def test_a_long_conversation_is_kept_once_though_every_call_repeats_it() -> None:
    recorder = Recorder(ROLLOUT_BYTES)
    talk = [chat_message("system", "s" * 1000)]
    for turn in range(50):
        talk = ask(
            recorder, [*talk, chat_message("user", f"{turn} {'q' * 1000}")], f"{turn} {'a' * 1000}"
        )
    transcript = recorder.transcript
    assert transcript.messages == talk
    assert len(transcript.ends) == 1
    assert not transcript.truncated
    assert size(transcript) < 1.3 * size(Transcript()) + 101 * 1100 + 50 * 250


def test_a_repeated_history_is_compared_and_not_written_again() -> None:
    """Every call of a long conversation would cost what the whole conversation does."""
    recorder = Recorder(ROLLOUT_BYTES)
    talk: list[Message] = []
    for turn in range(40):
        talk = ask(
            recorder, [*talk, chat_message("user", f"{turn} {'q' * 5000}")], f"{turn} {'a' * 5000}"
        )
    seconds = []
    for known in (recorder, None):
        copies = [json.loads(json.dumps(talk)) for _ in range(20)]
        spent = time.process_time()
        for copy in copies:
            (known or Recorder(ROLLOUT_BYTES)).add(copy, [], None, Exchange())
        seconds.append(time.process_time() - spent)
    assert seconds[0] < 0.5 * seconds[1]
    assert len(recorder.transcript.nodes) == 80


def test_agents_and_branches_are_conversations_of_their_own() -> None:
    recorder = Recorder(ROLLOUT_BYTES)
    first = ask(
        recorder, [chat_message("system", "You are white."), chat_message("user", "Go.")], "e4"
    )
    ask(recorder, [chat_message("system", "You are black."), chat_message("user", "e4")], "e5")
    ask(
        recorder, [chat_message("system", "You are white."), chat_message("user", "Go.")], "d4"
    )  # tried again
    ask(recorder, [*first, chat_message("user", "e5")], "Nf3")
    transcript = recorder.transcript
    talks = [
        [transcript.nodes[at].message["content"] for at in transcript.path(end)]
        for end in transcript.ends
    ]
    assert talks == [
        ["You are white.", "Go.", "e4", "e5", "Nf3"],
        ["You are black.", "e4", "e5"],
        ["You are white.", "Go.", "d4"],
    ]
    assert len(transcript.nodes) == 9
    assert transcript.messages[-1]["content"] == "Nf3"
    assert Transcript.from_dict(json.loads(json.dumps(transcript.to_dict()))) == transcript


def test_a_call_is_recorded_with_its_tools_sampling_usage_and_time() -> None:
    records = RolloutRecords(job(policies=("model",)))
    record = records.open("model/0/0")
    record.sampling = {"model": "stub", "temperature": 1.0, "max_tokens": 64, "seed": 7}
    tool = {"type": "function", "function": {"name": "add", "parameters": {"type": "object"}}}
    call = Call([chat_message("user", "1+1?")], [tool], False, False, {})
    part = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": "{}"}}
    record.add(call, Reply(["let me"], {0: part}, "tool_calls", 9, 4), 0.5)
    record.add(call, Reply(["2"], {}, "stop", 9, 1), 0.25)
    record.fail(call, "the model server answered 500", 1.5)
    transcript = record.transcript
    first, second, third = transcript.calls
    assert transcript.tools == [[tool]]
    assert (first.tools, second.tools, first.sampling) == (0, 0, record.sampling)
    assert transcript.nodes[first.reply].message["tool_calls"] == [part]
    assert (first.finish_reason, first.prompt_tokens, first.completion_tokens) == (
        "tool_calls", 9, 4,
    )  # fmt: skip
    assert first.at > 1.7e9
    assert (first.seconds, third.seconds) == (0.5, 1.5)
    assert (third.reply, third.error) == (-1, "the model server answered 500")


def test_neither_the_models_key_nor_the_run_token_is_ever_written_down() -> None:
    async def records() -> RolloutRecords:
        async with aiohttp.ClientSession() as session:
            model = Model(session, url="http://127.0.0.1:1/v1", name="m", key=KEY, timeout=1.0)
            return Gateway(job(policies=("model",)), model).records

    record = asyncio.run(records()).open("model/0/0")
    leak = f"Authorization: Bearer {KEY} and {RUN_TOKEN}"
    part = {"id": leak, "type": "function", "function": {"name": leak, "arguments": leak}}
    tool = {"type": "function", "function": {"name": "t", "description": leak}}
    messages = [chat_message("user", leak), {"role": "tool", "content": leak, "name": leak}]
    call = Call(messages, [tool], False, False, {})
    record.add(call, Reply([leak], {0: part}, "stop", 1, 1), 0.1)
    record.fail(call, f"the model server refused: {leak}", 0.1)
    written = json.dumps(record.transcript.to_dict()) + record.model_fault
    for secret in (KEY, json.dumps(KEY)[1:-1], RUN_TOKEN):
        assert secret not in written
    assert written.count("Authorization: Bearer [secret] and [secret]") >= 7


def test_a_flood_is_bounded_and_the_replies_are_kept() -> None:
    recorder = Recorder(100_000)
    for turn in range(64):
        prompt = [chat_message("user", f"{turn} {n} " + "x" * 90_000) for n in range(20)]
        ask(recorder, prompt, f"reply {turn}")
    transcript = recorder.transcript
    assert transcript.truncated
    replies = [
        transcript.nodes[call.reply].message["content"]
        for call in transcript.calls
        if call.reply >= 0
    ]
    assert replies == [f"reply {turn}" for turn in range(64)]
    assert sum(call.left_out for call in transcript.calls) > 1000
    assert size(transcript) < 100_000 + 64 * 300


def test_many_rollouts_share_what_a_run_may_hold() -> None:
    few, many = RolloutRecords(job(tasks=3)), RolloutRecords(job(tasks=2000, attempts=8))
    survey = RolloutRecords(job(tasks=100_000), rollouts=40)  # it lists them, and plays few
    kept = []
    for records in (few, many, survey):
        record = records.open("model/0/0")
        record.add(
            Call([chat_message("user", "x" * 99_000)], [], False, False, {}), Reply(["y"]), 0.1
        )
        kept.append(size(record.transcript))
    assert min(kept[0], kept[2]) > 99_000
    assert kept[1] < 15_000
