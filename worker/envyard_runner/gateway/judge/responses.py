"""Judge calls as OpenAI's responses (platform.openai.com/docs/api-reference/responses)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from envyard_runner.gateway.judge.call import JudgeCall
from envyard_runner.gateway.judge.chat import asked_model
from envyard_runner.gateway.openai import MAX_MESSAGES, encode_json, read_object
from envyard_runner.gateway.reply import Refusal, Reply
from envyard_runner.gateway.request_checks import check_options
from envyard_runner.probing.probes import Message

TEXTS = ("input_text", "output_text", "text")


def read(raw: bytes) -> JudgeCall:
    """Read a request; raises Refusal 400 with what is wrong."""
    body = read_object(raw)
    messages = _messages(body.get("input"))
    if isinstance(body.get("instructions"), str):
        messages.insert(0, {"role": "system", "content": body["instructions"]})
    if not 1 <= len(messages) <= MAX_MESSAGES:
        raise _bad(f"input must hold 1 to {MAX_MESSAGES} messages")
    options = _options(body)
    check_options(options)
    return JudgeCall(asked_model(body), messages, options, body.get("stream") is True)


def write(reply: Reply, call: JudgeCall, ident: str) -> dict[str, Any]:
    """The verdict as one JSON object."""
    usage = {
        "input_tokens": reply.prompt_tokens,
        "output_tokens": reply.completion_tokens,
        "total_tokens": reply.prompt_tokens + reply.completion_tokens,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    return _envelope(call, ident) | {
        "status": "completed",
        "output": _output(reply, ident),
        "usage": usage,
    }


def events(reply: Reply, call: JudgeCall, ident: str) -> Iterator[bytes]:
    """The verdict as a stream of events."""
    response = write(reply, call, ident)
    number = 0

    def event(kind: str, **fields: Any) -> bytes:
        nonlocal number
        number += 1
        body = {"type": kind, "sequence_number": number - 1, **fields}
        return f"event: {kind}\n".encode() + b"data: " + encode_json(body) + b"\n\n"

    yield event("response.created", response=_envelope(call, ident))
    for index, item in enumerate(response["output"]):
        place = {"output_index": index, "item_id": item["id"]}
        empty: dict[str, Any] = {"content": []} if item["type"] == "message" else {"arguments": ""}
        yield event("response.output_item.added", output_index=index, item=item | empty)
        if item["type"] == "message":
            (part,) = item["content"]
            place["content_index"] = 0
            yield event("response.content_part.added", **place, part=part | {"text": ""})
            yield event("response.output_text.delta", **place, delta=part["text"], logprobs=[])
            yield event("response.output_text.done", **place, text=part["text"], logprobs=[])
            yield event("response.content_part.done", **place, part=part)
        else:
            arguments = item["arguments"]
            yield event("response.function_call_arguments.delta", **place, delta=arguments)
            yield event("response.function_call_arguments.done", **place, arguments=arguments)
        yield event("response.output_item.done", output_index=index, item=item)
    yield event("response.completed", response=response)


def _messages(sent: Any) -> list[Message]:
    if isinstance(sent, str):
        return [{"role": "user", "content": sent}]
    if not isinstance(sent, list):
        raise _bad("input must be text or a list of items")
    return [_message(item) for item in sent]


def _message(item: Any) -> Message:
    if not isinstance(item, dict) or item.get("type", "message") != "message":
        raise _bad("every item of input must be a message")
    content = item.get("content")
    if isinstance(content, list):
        content = [_part(part) for part in content]
    elif not isinstance(content, str):
        raise _bad("a message's content must be text or a list of parts")
    role = item.get("role")
    role = role if isinstance(role, str) else "user"
    return {"role": "system" if role == "developer" else role, "content": content}


def _part(part: Any) -> dict[str, Any]:
    if isinstance(part, dict):
        if part.get("type") in TEXTS and isinstance(part.get("text"), str):
            return {"type": "text", "text": part["text"]}
        if part.get("type") == "input_image" and isinstance(part.get("image_url"), str):
            return {"type": "image_url", "image_url": {"url": part["image_url"]}}
    raise _bad("a part of a message must be text or an image")


def _options(body: dict[str, Any]) -> dict[str, Any]:
    """The options in the form of chat completions."""
    options: dict[str, Any] = {}
    form = body["text"].get("format") if isinstance(body.get("text"), dict) else None
    if isinstance(form, dict) and form.get("type") == "json_schema":
        schema = {key: form[key] for key in ("name", "schema", "strict") if key in form}
        options["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif isinstance(form, dict) and form.get("type") == "json_object":
        options["response_format"] = {"type": "json_object"}
    if tools := body.get("tools"):
        if not isinstance(tools, list) or not all(_is_function(tool) for tool in tools):
            raise _bad("tools must be a list of functions")
        options["tools"] = [
            {"type": "function", "function": {k: v for k, v in tool.items() if k != "type"}}
            for tool in tools
        ]
    return options


def _is_function(tool: Any) -> bool:
    return isinstance(tool, dict) and tool.get("type") == "function"


def _envelope(call: JudgeCall, ident: str) -> dict[str, Any]:
    return {
        "id": f"resp_{ident}",
        "object": "response",
        "created_at": int(time.time()),
        "status": "in_progress",
        "model": call.asked_model,
        "output": [],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
    }


def _output(reply: Reply, ident: str) -> list[dict[str, Any]]:
    message = reply.message
    part = {"type": "output_text", "text": message["content"], "annotations": []}
    items: list[dict[str, Any]] = [
        {
            "type": "message",
            "id": f"msg_{ident}",
            "status": "completed",
            "role": "assistant",
            "content": [part],
        }
    ]
    if calls := message.get("tool_calls"):
        items = items if message["content"] else []
        items += [
            {
                "type": "function_call",
                "id": f"fc_{ident}_{index}",
                "call_id": call["id"],
                "name": call["function"]["name"],
                "arguments": call["function"]["arguments"],
                "status": "completed",
            }
            for index, call in enumerate(calls)
        ]
    return items


def _bad(message: str) -> Refusal:
    return Refusal(400, "bad_request", message)
