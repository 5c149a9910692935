"""A stub of the gateway: serves its addresses, replies by scripts, keeps every request.

Every job has addresses of its own below `/{module}`, and the plan that the runner makes of it.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from envyard.contract.job import JobSpec
from envyard_runner.gateway.plan import Plan
from envyard_runner.guest.job import GuestJob

Message = dict[str, Any]
Reply = Callable[[list[Message], str], Message | str]
PORTS = range(18250, 18300)


@dataclass
class DriverJob:
    """One job: the guest's job file, the runner's spec and plan, and the command and variables of
    the process that computes its references."""

    guest_job: GuestJob
    spec: JobSpec
    plan: Plan
    api: str = "v1"
    reference_command: list[str] = field(default_factory=list)
    variables: dict[str, str] = field(default_factory=dict)


@dataclass
class RolloutCalls:
    """The request bodies that one rollout sent, in order."""

    requests: list[dict[str, Any]] = field(default_factory=list)


class StubGateway:
    """Serves until `stop`; `model` is the reply of the policy of that name."""

    def __init__(self) -> None:
        self.model: Reply = lambda messages, rollout: "ok"
        self.jobs: dict[str, DriverJob] = {}
        self.calls: dict[str, RolloutCalls] = {}
        self._loop = asyncio.new_event_loop()
        self._runner: web.AppRunner | None = None
        self.port = 0
        started = threading.Event()
        self._thread = threading.Thread(target=self._serve, args=(started,), daemon=True)
        self._thread.start()
        started.wait(20)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _serve(self, started: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._start())
        started.set()
        self._loop.run_forever()
        assert self._runner is not None
        self._loop.run_until_complete(self._runner.cleanup())
        self._loop.close()

    async def _start(self) -> None:
        app = web.Application()
        path = "/{module}/rollouts/{rollout}"
        app.router.add_route("*", "/{module}/references/{name}", self._references)
        app.router.add_post(f"{path}/v1/chat/completions", self._chat)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        for port in PORTS:
            try:
                await web.TCPSite(self._runner, "127.0.0.1", port).start()
            except OSError:
                continue
            self.port = port
            return
        raise OSError(f"no free port in {PORTS}")

    def _of(self, request: web.Request) -> tuple[str, RolloutCalls]:
        driver_job = self.jobs[request.match_info["module"]]
        rollout = driver_job.plan.name(request.match_info["rollout"]) or "none"
        return rollout, self.calls.setdefault(rollout, RolloutCalls())

    async def _references(self, request: web.Request) -> web.Response:
        process = self.jobs[request.match_info["module"]].plan.references.process
        handle = {
            "tasks": process.set_tasks,
            "requests": process.get_requests,
            "replies": process.set_reply,
        }
        return await handle[request.match_info["name"]](request)

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        rollout, calls = self._of(request)
        driver_job = self.jobs[request.match_info["module"]]
        body = await request.json()
        calls.requests.append(body)
        try:
            message = await self._reply(driver_job, rollout, body["messages"])
        except web.HTTPException:
            raise
        reason = "tool_calls" if message.get("tool_calls") else "stop"
        completion = {
            "id": f"chat-{len(calls.requests)}",
            "object": "chat.completion",
            "created": 1,
            "model": body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
            "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
        }
        return (
            await self._streamed(request, completion)
            if body.get("stream")
            else web.json_response(completion)
        )

    async def _reply(self, driver_job: DriverJob, rollout: str, messages: list[Message]) -> Message:
        policy, _, rest = rollout.partition("/")
        if policy in ("oracle", "swapped"):
            references = driver_job.plan.references
            ask = references.own if policy == "oracle" else references.other
            reference = await ask(int(rest.partition("/")[0]), messages)
            assert reference is not None
            return reference.message
        reply_text: Message | str = ""
        if policy == "parrot":
            reply_text = next(
                str(m["content"]) for m in reversed(messages) if m["role"] != "assistant"
            )
        elif policy == "model":
            reply_text = self.model(messages, rollout)
        if isinstance(reply_text, dict) and "status" in reply_text:
            raise web.HTTPException(text=json.dumps({"error": {"message": "refused"}})) from None
        return (
            reply_text
            if isinstance(reply_text, dict)
            else {"role": "assistant", "content": reply_text}
        )

    async def _streamed(
        self, request: web.Request, completion: dict[str, Any]
    ) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        choice = completion["choices"][0]
        chunk = {**completion, "object": "chat.completion.chunk"}
        chunk["choices"] = [{"index": 0, "delta": choice["message"], "finish_reason": None}]
        last = [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]
        for part in (chunk, {**chunk, "choices": last}):
            await response.write(f"data: {json.dumps(part)}\n\n".encode())
        await response.write(b"data: [DONE]\n\n")
        return response
