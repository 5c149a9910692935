"""Judge calls as Anthropic's messages (docs.anthropic.com/en/api/messages)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from envyard_runner.gateway.judge.call import JudgeCall
from envyard_runner.gateway.judge.chat import asked_model
from envyard_runner.gateway.openai import MAX_MESSAGES, encode_json, parse_json, read_object
from envyard_runner.gateway.reply import Refusal, Reply
from envyard_runner.gateway.request_checks import check_options
from envyard_runner.probing.probes import Message

STOP_REASONS = {"length": "max_tokens", "tool_calls": "tool_use"}


def read(raw: bytes) -> JudgeCall:
    """Read a request; raises Refusal 400 with what is wrong."""
    body = read_object(raw)
    sent = body.get("messages")
    if not isinstance(sent, list) or not 1 <= len(sent) <= MAX_MESSAGES:
        raise _bad(f"messages must be a list of 1 to {MAX_MESSAGES} messages")
    messages = [_message(message) for message in sent]
    if system := body.get("system"):
        messages.insert(0, {"role": "system", "content": _content(system)})
    options = _options(body)
    check_options(options)
    return JudgeCall(asked_model(body), messages, options, body.get("stream") is True)


def write(reply: Reply, call: JudgeCall, ident: str) -> dict[str, Any]:
    """The verdict as one JSON object."""
    return _envelope(reply, call, ident) | {
        "content": _blocks(reply),
        "stop_reason": STOP_REASONS.get(reply.finish_reason, "end_turn"),
    }


def events(reply: Reply, call: JudgeCall, ident: str) -> Iterator[bytes]:
    """The verdict as a stream of events."""

    def event(kind: str, **fields: Any) -> bytes:
        return (
            f"event: {kind}\n".encode()
            + b"data: "
            + encode_json({"type": kind} | fields)
            + (b"\n\n")
        )

    yield event("message_start", message=_envelope(reply, call, ident))
    for index, block in enumerate(_blocks(reply)):
        if block["type"] == "text":
            empty, delta = block | {"text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            raw = encode_json(block["input"]).decode()
            empty, delta = block | {"input": {}}, {"type": "input_json_delta", "partial_json": raw}
        yield event("content_block_start", index=index, content_block=empty)
        yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    stop = {
        "stop_reason": STOP_REASONS.get(reply.finish_reason, "end_turn"),
        "stop_sequence": None,
    }
    yield event("message_delta", delta=stop, usage={"output_tokens": reply.completion_tokens})
    yield event("message_stop")


def _message(message: Any) -> Message:
    if not isinstance(message, dict) or message.get("role") not in ("user", "assistant", "system"):
        raise _bad("every message must have the role user, assistant or system")
    return {"role": message["role"], "content": _content(message.get("content"))}


def _content(content: Any) -> str | list[dict[str, Any]]:
    """Text, or the parts of chat completions for text and images; raises Refusal 400."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise _bad("a message's content must be text or a list of blocks")
    parts = [_part(block) for block in content]
    if all(part["type"] == "text" for part in parts):
        return "\n".join(part["text"] for part in parts)
    return parts


def _part(block: Any) -> dict[str, Any]:
    if isinstance(block, dict):
        if block.get("type") == "text" and isinstance(block.get("text"), str):
            return {"type": "text", "text": block["text"]}
        if block.get("type") == "image" and isinstance(source := block.get("source"), dict):
            inline = f"data:{source.get('media_type')};base64,{source.get('data')}"
            url = source.get("url") if source.get("type") == "url" else inline
            return {"type": "image_url", "image_url": {"url": url}}
    raise _bad("a block of a message must be text or an image")


def _options(body: dict[str, Any]) -> dict[str, Any]:
    """The options in the form of chat completions."""
    options: dict[str, Any] = {}
    if stop := body.get("stop_sequences"):
        options["stop"] = stop
    if tools := body.get("tools"):
        if not isinstance(tools, list) or not all(isinstance(tool, dict) for tool in tools):
            raise _bad("tools must be a list of objects")
        options["tools"] = [_tool(tool) for tool in tools]
        choice = body.get("tool_choice")
        if isinstance(choice, dict) and choice.get("type") == "tool":
            options["tool_choice"] = {"type": "function", "function": {"name": choice.get("name")}}
        elif isinstance(choice, dict) and choice.get("type") == "any":
            options["tool_choice"] = "required"
    return options


def _tool(tool: dict[str, Any]) -> dict[str, Any]:
    if tool.get("type", "custom") != "custom":
        raise _bad("tools must be the caller's own: the judge's server executes none")
    function = {"name": tool.get("name"), "parameters": tool.get("input_schema") or {}}
    if tool.get("description"):
        function["description"] = tool["description"]
    return {"type": "function", "function": function}


def _envelope(reply: Reply, call: JudgeCall, ident: str) -> dict[str, Any]:
    return {
        "id": f"msg_{ident}",
        "type": "message",
        "role": "assistant",
        "model": call.asked_model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {
            "input_tokens": reply.prompt_tokens,
            "output_tokens": reply.completion_tokens,
        },
    }


def _blocks(reply: Reply) -> list[dict[str, Any]]:
    message = reply.message
    calls = message.get("tool_calls") or []
    text = [{"type": "text", "text": message["content"]}] if message["content"] else []
    return text + [
        {
            "type": "tool_use",
            "id": call["id"],
            "name": call["function"]["name"],
            "input": _arguments(call["function"]["arguments"]),
        }
        for call in calls
    ]


def _arguments(raw: str) -> Any:
    try:
        return parse_json(raw.encode())
    except (ValueError, RecursionError):
        return {}


def _bad(message: str) -> Refusal:
    return Refusal(400, "bad_request", message)
