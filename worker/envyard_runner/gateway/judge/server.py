"""The judge's routes: every request on the gateway's socket that is not a rollout's own."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from aiohttp import web

from envyard.contract.judge import JudgeExchange
from envyard_runner.gateway.judge import anthropic, chat, responses
from envyard_runner.gateway.judge.call import JudgeCall, require_inline
from envyard_runner.gateway.judge.live import Verdicts
from envyard_runner.gateway.judge.records import JudgeRecords
from envyard_runner.gateway.judge.usage import JudgeUsage
from envyard_runner.gateway.model_proxy import begin_stream, json_response
from envyard_runner.gateway.reply import Refusal, Reply

log = logging.getLogger(__name__)

MAX_BODY = 4 << 20
BODY_SECONDS = 30.0
HEADER = "X-Rollout"
INTERCEPTED_HOST = web.RequestKey("intercepted_host", str)  # set by the proxy, never by a header
# By the end of the path: base URLs end in /v1, /api/v1, /openai/v1 or nothing.
SHAPES: dict[str, ModuleType] = {
    "/chat/completions": chat,
    "/responses": responses,
    "/messages": anthropic,
}


@dataclass(slots=True)
class Exchange:
    """One call in progress, as its record needs it."""

    rollout: str
    host: str
    shape: str
    call: JudgeCall
    began: float


class Judge:
    """Answers the judge calls of one sandbox by `verdicts` and records them.

    `rollout_of` resolves the alias of HEADER, which names the call's rollout and grants nothing;
    calls without it are counted for the run. `failure` names an exception of its own.
    """

    def __init__(
        self,
        verdicts: Verdicts,
        usage: JudgeUsage,
        records: JudgeRecords,
        rollout_of: Callable[[str], str | None],
        *,
        concurrency: int,
    ) -> None:
        self.usage, self.records = usage, records
        self.failure = ""
        self._verdicts, self._rollout_of = verdicts, rollout_of
        self._slots = asyncio.Semaphore(2 * concurrency)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one request; errors have the shape of OpenAI's, which Anthropic's client reads."""
        try:
            async with self._slots:
                return await self._route(request)
        except Refusal as error:
            refusal = error
        except web.HTTPException as error:
            refusal = Refusal(error.status, "bad_request", error.text or error.reason)
        except TimeoutError:
            refusal = Refusal(400, "timeout", "the body of the request did not come in time")
        except ConnectionError:
            raise
        except Exception as error:
            log.exception("a judge call failed")
            self.failure = f"{type(error).__name__}: {error}"
            refusal = Refusal(400, "gateway_error", "the gateway failed")
        return web.json_response({"type": "error"} | refusal.to_dict(), status=refusal.status)

    async def _route(self, request: web.Request) -> web.StreamResponse:
        path = request.path.rstrip("/")
        if request.method == "GET" and (path.endswith("/models") or "/models/" in path):
            return self._models(path)
        shape = next((end for end in SHAPES if path.endswith(end)), "")
        if request.method != "POST" or not shape:
            if request.method == "POST":
                self.usage.refuse_path(path)
            raise Refusal(404, "not_found", f"{request.method} {path[:100]} is no judge call")
        call: JudgeCall = SHAPES[shape].read(await _body(request))
        require_inline(call.messages)
        self.usage.note_model(call.asked_model)
        rollout = self._rollout_of(request.headers.get(HEADER, "")[:40]) or ""
        host = request.get(INTERCEPTED_HOST, "")
        exchange = Exchange(rollout, host, shape.lstrip("/"), call, time.time())
        return await self._send(request, SHAPES[shape], call, await self._verdict(exchange))

    async def _verdict(self, exchange: Exchange) -> Reply:
        """The verdict, which is recorded, as is its refusal; raises Refusal."""
        reply, error = Reply(), "no verdict: its sender did not wait for one"
        try:
            reply = await self._verdicts.answer(exchange.rollout, exchange.call)
            error = ""
        except Refusal as refusal:
            error = f"{refusal.code}: {refusal.message}"
            raise
        finally:
            call = exchange.call
            self.records.add(
                exchange.rollout,
                call.digest,
                reply,
                JudgeExchange(
                    shape=exchange.shape,
                    host=exchange.host,
                    asked_model=call.asked_model,
                    messages=call.messages,
                    options=call.options,
                    verdict=reply.message,
                    finish_reason=reply.finish_reason,
                    prompt_tokens=reply.prompt_tokens,
                    completion_tokens=reply.completion_tokens,
                    at=exchange.began,
                    seconds=max(0.0, time.time() - exchange.began),
                    error=error,
                ),
            )
        return reply

    async def _send(
        self, request: web.Request, shape: Any, call: JudgeCall, reply: Reply
    ) -> web.StreamResponse:
        ident = secrets.token_hex(8)
        if not call.stream:
            return json_response(shape.write(reply, call, ident))
        events: Iterator[bytes] = shape.events(reply, call, ident)
        response = await begin_stream(request)
        await response.write_eof(b"".join(events))
        return response

    def _models(self, path: str) -> web.Response:
        name = path.rpartition("/models")[2].strip("/") or "judge"
        entry = {"id": name[:200], "object": "model", "created": 0, "owned_by": "hub"}
        if path.endswith("/models"):
            return web.json_response({"object": "list", "data": [entry]})
        return web.json_response(entry)


async def _body(request: web.Request) -> bytes:
    if (request.content_length or 0) > MAX_BODY:
        raise Refusal(400, "too_large", f"the body of a judge call may have {MAX_BODY} bytes")
    async with asyncio.timeout(BODY_SECONDS):
        raw = await request.read()
    if len(raw) > MAX_BODY:
        raise Refusal(400, "too_large", f"the body of a judge call may have {MAX_BODY} bytes")
    return raw
