"""A small OpenAI-compatible model server for tests: `python -m tests.worker.stub_model PORT`.

It reverses texts on request, calls the first offered tool once, and otherwise replies "ok". A test
sets its `failure`, the `error` that it then answers, `hanging` and `pause` in seconds (of a hanging
call, before each piece of a stream) and `reasoning` by field; `requests` lists its requests.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web

Failure = Literal["", "500", "503", "400", "404", "hang", "not_json", "cut_stream", "bare", "odd"]
ENVELOPE = {"id": "c", "created": 1, "model": "stub"}
TEXT = re.compile(r"Text:\n(.*)", re.DOTALL)


@dataclass
class StubModel:
    """Its requests, and how it is to fail (`failing` calls from now on, or all at -1)."""

    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    failure: Failure = ""
    failing: int = -1
    extras: dict[str, Any] = field(default_factory=dict)
    reasoning: dict[str, str] = field(default_factory=dict)
    reasoning_tokens: int | None = None
    error: dict[str, Any] = field(
        default_factory=lambda: {"message": "told to fail", "type": "stub"}
    )
    pause: float = 0.0
    hanging: float = 3600.0

    def application(self) -> web.Application:
        """The server's routes."""
        application = web.Application()
        application.router.add_post("/v1/chat/completions", self.chat)
        application.router.add_post("/v1/completions", self.complete)
        application.router.add_get("/v1/models", self.models)
        return application

    async def models(self, _: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": "stub", "object": "model"}]})

    async def complete(self, request: web.Request) -> web.Response:
        body = await self._note(request)
        answer = f"{body['prompt']} and so on"
        choice = {"index": 0, "text": answer, "finish_reason": "stop"}
        fields = {"object": "text_completion", "choices": [choice], "usage": usage(answer)}
        return web.json_response(ENVELOPE | fields)

    async def chat(self, request: web.Request) -> web.StreamResponse:
        body = await self._note(request)
        failure = self._fails()
        if failure == "hang":
            await asyncio.sleep(self.hanging)
        if failure == "not_json":
            return web.Response(text="<html>busy</html>")
        if failure.isdigit():
            return web.json_response({"error": self.error}, status=int(failure))
        message = decide(body) | self.reasoning
        if failure == "odd":
            return web.json_response(ENVELOPE | {"choices": [{"message": message["content"]}]})
        reason = "tool_calls" if "tool_calls" in message else "stop"
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": reason}
            counts = self._usage(message)
            fields = {"object": "chat.completion", "choices": [choice], "usage": counts}
            return web.json_response(
                fields if failure == "bare" else ENVELOPE | self.extras | fields
            )
        return await self._stream(request, message, reason, cut=failure == "cut_stream")

    async def _stream(
        self, request: web.Request, message: dict[str, Any], reason: str, *, cut: bool
    ) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for delta in deltas(message):
            await asyncio.sleep(self.pause)
            await send(response, {"choices": [{"index": 0, "delta": delta}]})
        if cut:
            return response
        last = {"index": 0, "delta": {}, "finish_reason": reason}
        await send(response, {"choices": [last]})
        await send(response, {"choices": [], "usage": self._usage(message)})
        await response.write(b"data: [DONE]\n\n")
        return response

    def _usage(self, message: dict[str, Any]) -> dict[str, Any]:
        counts: dict[str, Any] = usage(message)
        if self.reasoning_tokens is not None:
            counts["completion_tokens_details"] = {"reasoning_tokens": self.reasoning_tokens}
        return counts

    async def _note(self, request: web.Request) -> dict[str, Any]:
        body: dict[str, Any] = await request.json()
        self.requests.append(body)
        self.headers.append(dict(request.headers))
        return body

    def _fails(self) -> Failure:
        if self.failing == 0:
            return ""
        self.failing -= 1
        return self.failure


def decide(body: dict[str, Any]) -> dict[str, Any]:
    """The assistant's message: a tool call, the tool's result, a reversed text, or "ok"."""
    last = body["messages"][-1]
    if body.get("tools") and last["role"] == "user":
        return {"role": "assistant", "content": None, "tool_calls": [call(body["tools"][0])]}
    if last["role"] == "tool":
        return {"role": "assistant", "content": f"Answer: {last['content']}"}
    if "reversed_text" in str(last["content"]):
        match = TEXT.search(last["content"])
        text = match[1] if match else last["content"]
        return {"role": "assistant", "content": f"<reversed_text>{text[::-1]}</reversed_text>"}
    return {"role": "assistant", "content": "ok"}


def call(tool: dict[str, Any]) -> dict[str, Any]:
    """A call of the tool with the first allowed value, 1 or "x" for every property."""
    function = tool["function"]
    properties = (function.get("parameters") or {}).get("properties") or {}
    arguments = {
        name: schema["enum"][0]
        if schema.get("enum")
        else 1
        if schema.get("type") in ("integer", "number")
        else "x"
        for name, schema in properties.items()
    }
    fields = {"name": function["name"], "arguments": json.dumps(arguments)}
    return {"id": "call_1", "type": "function", "function": fields}


def deltas(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The message in pieces, tool arguments cut in the middle as real servers do."""
    parts: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    for name in ("reasoning", "reasoning_content"):
        value = message.get(name, "")
        parts += [{name: value[at : at + 5]} for at in range(0, len(value), 5)]
    content = message["content"] or ""
    parts += [{"content": content[at : at + 5]} for at in range(0, len(content), 5)]
    for index, item in enumerate(message.get("tool_calls", [])):
        arguments = item["function"]["arguments"]
        half = len(arguments) // 2
        first = item | {
            "index": index,
            "function": item["function"] | {"arguments": arguments[:half]},
        }
        rest = {"index": index, "function": {"arguments": arguments[half:]}}
        parts += [{"tool_calls": [first]}, {"tool_calls": [rest]}]
    return parts


async def send(response: web.StreamResponse, chunk: dict[str, Any]) -> None:
    """One server-sent event."""
    fields = ENVELOPE | {"object": "chat.completion.chunk"} | chunk
    await response.write(b"data: " + json.dumps(fields).encode() + b"\n\n")


def usage(answer: Any) -> dict[str, int]:
    """Token counts that differ from the gateway's own estimates."""
    return {"prompt_tokens": 7, "completion_tokens": len(str(answer)), "total_tokens": 0}


if __name__ == "__main__":
    web.run_app(StubModel().application(), host="127.0.0.1", port=int(sys.argv[1]), print=None)
