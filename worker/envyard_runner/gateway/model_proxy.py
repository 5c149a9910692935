"""Forward a rollout's call to the model: pin its sampling, pass the answer back, record the
exchange."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Callable, Iterable
from typing import Any

from aiohttp import web

from envyard.contract.job import JobSpec
from envyard_runner.gateway import openai
from envyard_runner.gateway.model import Model
from envyard_runner.gateway.openai import Call
from envyard_runner.gateway.reply import ModelFault, Refusal, Reply
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.gateway.stall_detector import StallDetector

FAULTS_UNTIL_DOWN = 3
MODEL_NAME = "policy"  # of the model for every rollout: a probe must not look like one
DONE = b"data: [DONE]\n\n"
OBJECT_KINDS = {"chat/completions": "chat.completion", "completions": "text_completion"}
STREAMING = web.RequestKey("answering", bool)  # set once a stream has its status line


class ModelProxy:
    """The calls of one run to its model, None where it has none.

    `down` is set after three calls in a row that the model server failed: the run cannot be judged
    and may stop. `stalls` detects a server that does not answer at all.
    """

    def __init__(self, job: JobSpec, model: Model | None) -> None:
        self.down = asyncio.Event()
        self.stalls = StallDetector(job.limits.rollout_seconds)
        self._job, self._model = job, model
        self._faults_in_a_row = 0

    async def forward(
        self, path: str, request: web.Request, record: Record, call: Call, ident: str
    ) -> web.StreamResponse:
        """Answer `call` by the model and record the exchange in `record`; raises Refusal."""
        if self._model is None:
            raise Refusal(404, "no_such_rollout", "this run has no model")
        body = call.passed_on | self._pinned(record, self._model)
        reply = Reply()
        began = time.monotonic()
        try:
            with self.stalls.waiting() as answered:
                if call.stream:
                    envelope = openai.envelope("chat.completion.chunk", MODEL_NAME, ident)
                    relay = _Relay(self._model, request, call, reply, envelope, began, answered)
                    return await relay.run(body)
                answer = await self._model.ask(path, body)
                answered()
            reply.add(answer)
            envelope = openai.envelope(OBJECT_KINDS[path], MODEL_NAME, ident)
            return json_response(openai.normalized(answer) | envelope)
        except ModelFault as fault:
            reply.fault = fault.message
            raise
        except Refusal as refusal:
            reply.refusal = refusal.message
            raise
        finally:
            self._note(record, call, reply, time.monotonic() - began)

    def _pinned(self, record: Record, model: Model) -> dict[str, Any]:
        """The request fields that no environment may choose: model, sampling and length."""
        if not record.sampling:
            digest = hashlib.sha256(f"{self._job.seed}/{record.rollout}".encode()).digest()
            record.sampling = {
                "model": model.name,
                "temperature": self._job.temperature,
                "max_tokens": self._job.limits.max_tokens,
                "seed": int.from_bytes(digest[:4]) >> 1,
            }
        return record.sampling

    def _note(self, record: Record, call: Call, reply: Reply, seconds: float) -> None:
        """Record the exchange; a refused call, or one whose client disconnected, has no reply to
        keep."""
        if reply.content and not reply.fault:
            self._faults_in_a_row = 0
            record.add(call, reply, seconds)
            return
        self._faults_in_a_row += bool(reply.fault)
        record.fail(call, reply.fault, seconds, reply.refusal)
        if self._faults_in_a_row >= FAULTS_UNTIL_DOWN:
            self.down.set()


class _Relay:
    """One streamed answer; chunks that arrive together are passed on together."""

    def __init__(
        self,
        model: Model,
        request: web.Request,
        call: Call,
        reply: Reply,
        envelope: dict[str, Any],
        began: float,
        answered: Callable[[], None],
    ) -> None:
        self._model, self._request, self._call, self._reply = model, request, call, reply
        self._envelope, self._began, self._answered = envelope, began, answered

    async def run(self, body: dict[str, Any]) -> web.StreamResponse:
        """Pass the stream on to its end; raises Refusal where none begins."""
        body |= {"stream": True, "stream_options": {"include_usage": True}}
        async with self._model.stream("chat/completions", body) as arrivals:
            response = await begin_stream(self._request)
            try:
                async for chunks, last in arrivals:
                    self._answered()
                    passed = b"".join(map(sse_event, self._taken(chunks)))
                    if last:
                        await response.write_eof(passed + DONE)
                    elif passed:
                        await response.write(passed)
            except ModelFault as fault:
                self._reply.fault = fault.message
                await response.write_eof(sse_event(fault.to_dict()) + DONE)
        return response

    def _taken(self, chunks: list[dict[str, Any]]) -> Iterable[dict[str, Any]]:
        reply = self._reply
        for chunk in chunks:
            reply.add(chunk)
            if reply.first_seconds is None and reply.begun:
                reply.first_seconds = time.monotonic() - self._began
            chunk = openai.normalized(chunk) | self._envelope
            yield from without_usage([chunk], include_usage=self._call.include_usage)


def json_response(answer: dict[str, Any]) -> web.Response:
    """The answer in one piece."""
    return web.Response(body=openai.encode_json(answer), content_type="application/json")


class _Stream(web.StreamResponse):
    _send_headers_immediately = False  # aiohttp's own word: a system call a reply


async def begin_stream(request: web.Request) -> web.StreamResponse:
    """A response to be written event by event; its status line goes out with the first."""
    response = _Stream(headers={"Content-Type": "text/event-stream"})
    request[STREAMING] = True
    await response.prepare(request)
    return response


def without_usage(
    chunks: Iterable[dict[str, Any]], *, include_usage: bool
) -> Iterable[dict[str, Any]]:
    """The chunks without the usage one, unless the call requests it: it holds no choice."""
    return (chunk for chunk in chunks if chunk.get("choices") or include_usage)


def sse_event(chunk: dict[str, Any]) -> bytes:
    """The chunk as a server-sent event."""
    return b"data: " + openai.encode_json(chunk) + b"\n\n"
