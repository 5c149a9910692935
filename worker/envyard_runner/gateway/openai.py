"""OpenAI's wire shapes: requests read strictly, replies, stream chunks and errors written.

Follows the chat completions reference (platform.openai.com/docs/api-reference/chat) as far as
vLLM and the usual clients speak it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

import orjson

from envyard_runner.policies import CHARACTERS_PER_TOKEN, Message, plain

MAX_MESSAGES = 1000
MAX_TOOL_CALLS = 1000  # of one reply
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
SAID = ("messages", "tools", "prompt")  # the rest of what is passed on says how to answer
CHOICE_FIELDS = ("index", "message", "delta", "text", "finish_reason", "logprobs")
RECORDED = ("role", "content", "tool_calls")
COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")


class Refusal(Exception):
    """A call that is not answered; carries OpenAI's error shape."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message

    def to_dict(self) -> dict[str, Any]:
        """`{"error": {message, type, code}}`, as OpenAI's clients read it."""
        kind = "server_error" if self.status >= 500 else "invalid_request_error"
        return {"error": {"message": self.message, "type": kind, "code": self.code, "param": None}}


class ModelFault(Refusal):
    """The model server did not do its part; never the environment's fault."""


@dataclass(frozen=True, slots=True)
class Reference:
    """What a probe is to say next, or why the environment could not tell."""

    message: Message
    error: str


@dataclass(frozen=True, slots=True)
class Call:
    """One understood request: what it shows, how it wants the answer, what is passed on."""

    messages: list[Message]
    tools: list[Message]
    stream: bool
    include_usage: bool
    passed_on: dict[str, Any]

    @property
    def options(self) -> dict[str, Any]:
        """How the environment wants the answer: `stop`, `tool_choice`, `response_format`, ..."""
        return {name: value for name, value in self.passed_on.items() if name not in SAID}


@dataclass(slots=True)
class Reply:
    """One answer: the assistant's message, why it ended, its tokens; built whole or by chunks.

    `fault` is what went wrong on the model server's side, where something did, `refusal` why it
    would not answer; `first_seconds` is when the first piece of a stream came; `more` says that the
    answer held something besides, such as its reasoning, which no record keeps.
    """

    content: list[str] = field(default_factory=list)
    tool_calls: dict[int, dict[str, Any]] = field(default_factory=dict)
    finish_reason: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    fault: str = ""
    refusal: str = ""
    first_seconds: float | None = None
    more: bool = False

    @property
    def begun(self) -> bool:
        """Whether anything was said yet: a stream's first chunk names the role alone."""
        return bool(self.tool_calls) or any(self.content)

    @property
    def message(self) -> Message:
        """The assistant's message."""
        message: Message = {"role": "assistant", "content": "".join(self.content)}
        if self.tool_calls:
            message["tool_calls"] = [self.tool_calls[index] for index in sorted(self.tool_calls)]
        return message

    def add(self, chunk: dict[str, Any]) -> None:
        """Take in one stream chunk, or one whole completion; raises ModelFault on another shape."""
        try:
            self._add(chunk)
        except (ArithmeticError, AttributeError, TypeError, ValueError) as error:
            message = f"the model server's answer has an odd shape: {error}"
            raise ModelFault(502, "model_error", message) from error

    def _add(self, chunk: dict[str, Any]) -> None:
        self._count(chunk.get("usage"))
        for choice in chunk.get("choices") or []:
            part = choice.get("delta") or choice.get("message") or {"content": choice.get("text")}
            self.content.append(plain(part.get("content")))
            beside = any(value for name, value in part.items() if name not in RECORDED)
            self.more = self.more or beside or bool(choice.get("logprobs"))
            self.finish_reason = choice.get("finish_reason") or self.finish_reason
            for position, call in enumerate(part.get("tool_calls") or []):
                self._add_call(call.get("index", position), call)

    def _count(self, usage: Any) -> None:
        if isinstance(usage, dict):
            self.prompt_tokens = int(usage.get("prompt_tokens") or 0)
            self.completion_tokens = int(usage.get("completion_tokens") or 0)

    def _add_call(self, index: int, part: dict[str, Any]) -> None:
        if type(index) is not int or len(self.tool_calls) > MAX_TOOL_CALLS:
            raise ValueError(f"tool call {index!r:.40} of at most {MAX_TOOL_CALLS}")
        empty = {"id": "", "type": "function", "function": {"name": "", "arguments": ""}}
        call = self.tool_calls.setdefault(index, empty)
        function = part.get("function") or {}
        call["id"] = part.get("id") or call["id"]
        call["function"]["name"] += function.get("name") or ""
        call["function"]["arguments"] += function.get("arguments") or ""


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
    tools = body.get("tools") or []
    if not isinstance(tools, list) or not all(isinstance(tool, dict) for tool in tools):
        _bad("tools must be a list of objects")
    options = body.get("stream_options")
    wants_usage = isinstance(options, dict) and options.get("include_usage") is True
    return Call(
        messages=messages,
        tools=tools,
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
        body = load(raw)
    except (ValueError, RecursionError) as error:
        _bad(f"the body is not JSON: {error}")
    if not isinstance(body, dict):
        _bad("the body must be a JSON object")
    if body.get("n") not in (None, 1):
        _bad("n must be 1: every attempt is a rollout of its own")
    return body


def read_references(body: dict[str, Any]) -> dict[str, Reference]:
    """Read `{"own": ..., "other": ...}`, each None or a Reference's fields; raises Refusal 400."""
    references = {}
    for name, said in body.items():
        if said is None:
            continue
        message = said.get("message") if isinstance(said, dict) else None
        error = said.get("error") if isinstance(said, dict) else None
        if not isinstance(message, dict) and not isinstance(error, str):
            _bad(f"{name} must be null, {{'message': {{...}}}} or {{'error': '...'}}")
        references[name] = Reference(message if isinstance(message, dict) else {}, error or "")
    return references


def alike(answer: dict[str, Any]) -> dict[str, Any]:
    """A model server's answer or chunk with nothing in it but what a probe's has too."""
    told: dict[str, Any] = {"choices": [_known(one) for one in answer.get("choices") or []]}
    usage = answer.get("usage")
    if isinstance(usage, dict):
        told["usage"] = {name: usage.get(name, 0) for name in COUNTS}
    return told


def _known(choice: Any) -> dict[str, Any]:
    """A choice without what only one kind of server adds; nulls among its message's keys too."""
    kept = {"finish_reason": None} | {key: choice[key] for key in CHOICE_FIELDS if key in choice}
    for part in ("message", "delta"):
        if isinstance(kept.get(part), dict):
            filled = kept[part].items()
            kept[part] = {k: v for k, v in filled if v is not None or k == "content"}
    return kept


def scripted(message: Message, call: Call, most_tokens: int) -> Reply:
    """A probe's message as a reply; tokens are estimated from its length."""
    calls = message.get("tool_calls") or []
    tokens = -(-len(message["content"]) // CHARACTERS_PER_TOKEN)
    return Reply(
        content=[message["content"]],
        tool_calls=dict(enumerate(calls)),
        finish_reason="tool_calls" if calls else "length" if tokens >= most_tokens else "stop",
        prompt_tokens=sum(len(plain(m.get("content"))) for m in call.messages)
        // CHARACTERS_PER_TOKEN,
        completion_tokens=tokens,
    )


def completion(reply: Reply, *, model: str, ident: str) -> dict[str, Any]:
    """The whole reply as one JSON object."""
    choice = {
        "index": 0,
        "message": reply.message,
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
    """The reply as stream chunks: the message, the reason it ended, the usage."""
    base = envelope("chat.completion.chunk", model, ident)
    delta = reply.message
    if reply.tool_calls:
        delta["tool_calls"] = [{"index": i} | c for i, c in enumerate(delta["tool_calls"])]
    for part, reason in ((delta, None), ({}, reply.finish_reason)):
        yield base | {"choices": [{"index": 0, "delta": part, "finish_reason": reason}]}
    yield base | {"choices": [], "usage": _usage(reply)}


def load(raw: bytes) -> Any:
    """The JSON value; raises ValueError or RecursionError. Half a surrogate pair is let through:
    Python's clients send it where a text was cut in the middle of one."""
    try:
        return orjson.loads(raw)
    except ValueError:
        return json.loads(raw, parse_constant=_not_json)


def dump(value: Any) -> bytes:
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
