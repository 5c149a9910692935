"""Judge calls as OpenAI's chat completions, which is also what the judge's server gets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from envyard.contract.values import text
from envyard_runner.gateway import openai
from envyard_runner.gateway.judge.call import JudgeCall
from envyard_runner.gateway.model_proxy import DONE, sse_event, without_usage
from envyard_runner.gateway.reply import Reply

MODEL_CHARACTERS = 200
MESSAGE_FIELDS = ("role", "content", "name", "tool_calls", "tool_call_id")


def read(raw: bytes) -> JudgeCall:
    """Read a request; raises Refusal 400 with what is wrong."""
    call = openai.read_chat(raw)
    options = {name: value for name, value in call.passed_on.items() if name != "messages"}
    return JudgeCall(
        asked_model(openai.read_object(raw)),
        [
            {name: message[name] for name in MESSAGE_FIELDS if name in message}
            for message in call.messages
        ],
        options,
        call.stream,
        call.include_usage,
    )


def write(reply: Reply, call: JudgeCall, ident: str) -> dict[str, Any]:
    """The verdict as one JSON object."""
    return openai.completion(reply, model=call.asked_model, ident=f"chatcmpl-{ident}")


def events(reply: Reply, call: JudgeCall, ident: str) -> Iterator[bytes]:
    """The verdict as a stream of events."""
    chunks = openai.chunks(reply, model=call.asked_model, ident=f"chatcmpl-{ident}")
    yield from map(sse_event, without_usage(chunks, include_usage=call.include_usage))
    yield DONE


def asked_model(body: dict[str, Any]) -> str:
    """The model that the environment names."""
    return text(body.get("model"), MODEL_CHARACTERS)
