"""OpenAI's wire shapes: requests read strictly, replies, stream chunks and errors written.

Follows the chat completions reference (platform.openai.com/docs/api-reference/chat) as far as
vLLM and the usual clients speak it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

import orjson

from envyard.contract.transcript import REASONING
from envyard_runner.gateway.reply import Refusal, Reply
from envyard_runner.gateway.request_checks import check_options, refuse_addresses
from envyard_runner.probing.chat_text import plain_text
from envyard_runner.probing.probes import CHARACTERS_PER_TOKEN, Message

MAX_MESSAGES = 1000
# What an environment may say about a call. Model, sampling, seed and length are the gateway's.
CHAT_FIELDS = (
    "messages",
    "tools",
    "tool_choice",
    "response_format",
    "stop",
    "logprobs",
    "top_logprobs",
)
COMPLETION_FIELDS = ("prompt", "stop", "logprobs")
CONTENT_FIELDS = ("messages", "tools", "prompt")  # the other fields request a form
CHOICE_FIELDS = ("index", "message", "delta", "text", "finish_reason", "logprobs")
COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")


@dataclass(frozen=True, slots=True)
class Reference:
    """What a probe replies next, or why the environment could not provide it."""

    message: Message
    error: str


@dataclass(frozen=True, slots=True)
class Call:
    """One parsed request: its messages and tools, the requested form of the answer, and what is
    passed on."""

    messages: list[Message]
    tools: list[Message]
    stream: bool
    include_usage: bool
    passed_on: dict[str, Any]

    @property
    def options(self) -> dict[str, Any]:
        """How the environment requests the answer: `stop`, `tool_choice`, `response_format`, ..."""
        return {name: value for name, value in self.passed_on.items() if name not in CONTENT_FIELDS}


def read_chat(raw: bytes) -> Call:
    """Read a chat completion request; raises Refusal 400 with what is wrong."""
    body = read_object(raw)
    messages = body.get("messages")
    if not isinstance(messages, list) or not 1 <= len(messages) <= MAX_MESSAGES:
        _bad(f"messages must be a list of 1 to {MAX_MESSAGES} messages")
    for message in messages:
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            _bad("every message must be an object with a role")
        if not isinstance(message.get("content"), str | list | None):
            _bad("a message's content must be text, a list of parts or null")
        refuse_addresses(message)
    check_options(body)
    options = body.get("stream_options")
    wants_usage = isinstance(options, dict) and options.get("include_usage") is True
    return Call(
        messages=messages,
        tools=body.get("tools") or [],
        stream=body.get("stream") is True,
        include_usage=wants_usage,
        passed_on={k: body[k] for k in CHAT_FIELDS if body.get(k) is not None},
    )


def read_completion(raw: bytes) -> Call:
    """Read a plain completion request as if its prompt were a user's message."""
    body = read_object(raw)
    prompt = body.get("prompt")
    if not isinstance(prompt, str):
        _bad("prompt must be one text")
    if body.get("stream"):
        _bad("plain completions are not streamed here; use chat/completions")
    check_options(body)
    return Call(
        messages=[{"role": "user", "content": prompt}],
        tools=[],
        stream=False,
        include_usage=False,
        passed_on={k: body[k] for k in COMPLETION_FIELDS if body.get(k) is not None},
    )


def read_object(raw: bytes) -> dict[str, Any]:
    """Read a JSON object; raises Refusal 400, whatever the bytes are."""
    try:
        body = parse_json(raw)
    except (ValueError, RecursionError) as error:
        _bad(f"the body is not JSON: {error}")
    if not isinstance(body, dict):
        _bad("the body must be a JSON object")
    if body.get("n") not in (None, 1):
        _bad("n must be 1: every attempt is a rollout of its own")
    return body


def normalized(answer: dict[str, Any]) -> dict[str, Any]:
    """A model server's answer or chunk, reduced to the fields that a probe's answer has too."""
    result: dict[str, Any] = {
        "choices": [_normalized_choice(choice) for choice in answer.get("choices") or []]
    }
    usage = answer.get("usage")
    if isinstance(usage, dict):
        result["usage"] = {name: usage.get(name, 0) for name in COUNTS}
    return result


def _normalized_choice(choice: Any) -> dict[str, Any]:
    """A choice without what only one kind of server adds; nulls among its message's keys too."""
    kept = {"finish_reason": None} | {key: choice[key] for key in CHOICE_FIELDS if key in choice}
    for part in ("message", "delta"):
        if isinstance(kept.get(part), dict):
            filled = kept[part].items()
            kept[part] = {k: v for k, v in filled if v is not None or k == "content"}
    return kept


def scripted(message: Message, call: Call, max_tokens: int) -> Reply:
    """A probe's message as a reply; tokens are estimated from its length."""
    calls = message.get("tool_calls") or []
    tokens = -(-len(message["content"]) // CHARACTERS_PER_TOKEN)
    return Reply(
        content=[message["content"]],
        tool_calls=dict(enumerate(calls)),
        finish_reason="tool_calls" if calls else "length" if tokens >= max_tokens else "stop",
        prompt_tokens=sum(len(plain_text(m.get("content"))) for m in call.messages)
        // CHARACTERS_PER_TOKEN,
        completion_tokens=tokens,
    )


def completion(reply: Reply, *, model: str, ident: str) -> dict[str, Any]:
    """The whole reply as one JSON object."""
    choice = {
        "index": 0,
        "message": reply.wire,
        "finish_reason": reply.finish_reason,
        "logprobs": None,
    }
    return envelope("chat.completion", model, ident) | {
        "choices": [choice],
        "usage": _usage(reply),
    }


def text_completion(reply: Reply, *, model: str, ident: str) -> dict[str, Any]:
    """The reply in the shape of the older completions API."""
    choice = {"index": 0, "text": reply.message["content"], "finish_reason": reply.finish_reason}
    return envelope("text_completion", model, ident) | {
        "choices": [choice | {"logprobs": None}],
        "usage": _usage(reply),
    }


def chunks(reply: Reply, *, model: str, ident: str) -> Iterator[dict[str, Any]]:
    """The reply as stream chunks: reasoning, the message, the reason it ended, the usage."""
    base = envelope("chat.completion.chunk", model, ident)
    delta = {name: value for name, value in reply.wire.items() if value is not None}
    reasoning = {name: delta.pop(name) for name in REASONING if name in delta}
    if reply.tool_calls:
        delta["tool_calls"] = [{"index": i} | c for i, c in enumerate(delta["tool_calls"])]
    parts = [{"role": delta.pop("role")} | reasoning, delta] if reasoning else [delta]
    for part, reason in (*((part, None) for part in parts), ({}, reply.finish_reason)):
        yield base | {"choices": [{"index": 0, "delta": part, "finish_reason": reason}]}
    yield base | {"choices": [], "usage": _usage(reply)}


def parse_json(raw: bytes) -> Any:
    """The JSON value; raises ValueError or RecursionError. Half a surrogate pair is let through:
    Python's clients send it where a text was cut in the middle of one."""
    try:
        return orjson.loads(raw)
    except ValueError:
        return json.loads(raw, parse_constant=_not_json)


def encode_json(value: Any) -> bytes:
    """JSON on one line."""
    try:
        return orjson.dumps(value)
    except TypeError:  # what `load` let through, or a number of more than 64 bits
        return json.dumps(value, separators=(",", ":")).encode()


def _usage(reply: Reply) -> dict[str, int]:
    return {
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "total_tokens": reply.prompt_tokens + reply.completion_tokens,
    }


def envelope(kind: str, model: str, ident: str) -> dict[str, Any]:
    """What every answer starts with; clients insist on it, some model servers leave it out."""
    return {"id": ident, "object": kind, "created": int(time.time()), "model": model}


def _not_json(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a JSON value")


def _bad(message: str) -> NoReturn:
    raise Refusal(400, "bad_request", message)
