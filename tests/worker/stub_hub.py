"""A stub of the hub's runner API that keeps every request and can fail."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler

from envyard.contract.data_lock import BadDataLock, DataLock, merged
from envyard.contract.job import JobSpec, RunLimits, WheelRef

TOKEN = "hubr_test"
RUN_TOKEN = "hubrun_test"


def job(wheel: bytes = b"", **changes: Any) -> JobSpec:
    """A job with limits fit for a test; `limits` overrides single ones."""
    limits = {
        "rollout_seconds": 5.0,
        "wall_seconds": 20.0,
        "install_seconds": 60.0,
        "max_tokens": 64,
    }
    sha256 = hashlib.sha256(wheel).hexdigest()
    name = "reverse_words-0.1.0-py3-none-any.whl"
    values: dict[str, Any] = {
        "run": "run-1", "attempt": 1, "run_token": RUN_TOKEN, "environment": "alice/reverse-words",
        "version": "0.1.0", "wheel": WheelRef(f"/files/{name}", name, sha256, len(wheel)),
        "framework": "verifiers", "api": "v1", "module": "reverse_words", "entry": "",
        "policies": ("silent", "parrot", "babble", "oracle", "swapped", "model"),
        "tasks": 3, "attempts": 2, "seed": 7, "lease_seconds": 6.0, "model": "stub",
        "limits": RunLimits(**(limits | changes.pop("limits", {}))),
    }  # fmt: skip
    return JobSpec(**(values | changes))


@dataclass
class StubHub:
    """`failing` requests are answered with `status`; `cancel` and `superseded` do as they say, and
    while `drained` no job is given."""

    job: JobSpec | None = None
    wheel: bytes = b""
    batches: list[dict[str, Any]] = field(default_factory=list)
    repeated: int = 0
    endings: list[dict[str, Any]] = field(default_factory=list)
    heartbeats: list[dict[str, Any]] = field(default_factory=list)
    locks: dict[str, str] = field(default_factory=dict)
    data_lock: DataLock = field(default_factory=DataLock)
    secrets: dict[str, str] = field(default_factory=dict)
    polled: list[dict[str, Any]] = field(default_factory=list)
    status: int = 503
    failing: int = 0
    cancel: bool = False
    drained: bool = False
    superseded: bool = False

    @property
    def log(self) -> str:
        return "".join(batch["log"] for batch in self.batches)

    @property
    def rollouts(self) -> list[dict[str, Any]]:
        return [rollout for batch in self.batches for rollout in batch["rollouts"]]

    @property
    def facts(self) -> dict[str, Any]:
        return {name: value for batch in self.batches for name, value in batch["facts"].items()}

    def application(self) -> web.Application:
        application = web.Application(client_max_size=64 << 20, middlewares=[self._misbehave])
        application.add_routes(
            [
                web.get("/api/v1/runner/whoami/", self._whoami),
                web.post("/api/v1/runner/present/", self._present),
                web.post("/api/v1/runner/poll/", self._poll),
                web.post("/api/v1/runner/runs/{run}/events/", self._events),
                web.post("/api/v1/runner/runs/{run}/lock/", self._lock),
                web.post("/api/v1/runner/runs/{run}/data-lock/", self._data_lock),
                web.post("/api/v1/runner/runs/{run}/secrets/", self._secrets),
                web.post("/api/v1/runner/runs/{run}/finish/", self._finish),
                web.get("/files/{name}", self._file),
                web.get("/healthz", self._health),
            ]
        )
        return application

    @web.middleware
    async def _misbehave(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if self.failing:
            self.failing -= 1
            return refusal(self.status, "hub.error")
        wanted = RUN_TOKEN if "/runs/" in request.path or "/files/" in request.path else TOKEN
        if request.path != "/healthz" and request.headers["Authorization"] != f"Bearer {wanted}":
            return refusal(401, "token.invalid")
        return await handler(request)

    async def _health(self, _: web.Request) -> web.Response:
        return web.json_response({"status": "ok"})

    async def _whoami(self, _: web.Request) -> web.Response:
        return web.json_response({"runner": "box", "draining": self.drained})

    async def _present(self, request: web.Request) -> web.Response:
        self.heartbeats.append((await request.json())["capabilities"])
        return web.json_response({"runner": "box", "draining": self.drained})

    async def _poll(self, request: web.Request) -> web.Response:
        self.polled.append((await request.json())["capabilities"])
        return self._lease() or web.Response(status=204)

    def _lease(self) -> web.Response | None:
        if self.drained:
            return None
        job, self.job = self.job, None
        if job is not None:
            self.batches.clear()
        return None if job is None else web.json_response(job.to_dict())

    async def _events(self, request: web.Request) -> web.Response:
        batch = await request.json()
        if self.superseded:
            return refusal(409, "runner.superseded")
        if batch["seq"] <= len(self.batches):
            assert batch == self.batches[batch["seq"] - 1], "a batch was sent again, but changed"
            self.repeated += 1
        else:
            assert batch["seq"] == len(self.batches) + 1, "a batch is missing"
            self.batches.append(batch)
        return web.json_response({"lease_seconds": 6, "cancel": self.cancel})

    async def _lock(self, request: web.Request) -> web.Response:
        body = await request.json()
        if body["lock"] is not None:
            self.locks.setdefault(body["platform"], body["lock"])
        return web.json_response({"lock": self.locks.get(body["platform"])})

    async def _secrets(self, request: web.Request) -> web.Response:
        assert (await request.json())["attempt"] == 1
        return web.json_response({"secrets": self.secrets})

    async def _data_lock(self, request: web.Request) -> web.Response:
        try:
            offered = DataLock.from_dict((await request.json())["lock"])
            self.data_lock = merged(self.data_lock, offered)
        except BadDataLock:
            return refusal(400, "request.invalid")
        return web.json_response({"lock": self.data_lock.to_dict()})

    async def _finish(self, request: web.Request) -> web.Response:
        if self.superseded:
            return refusal(409, "runner.superseded")
        self.endings.append(await request.json())
        return web.json_response({})

    async def _file(self, _: web.Request) -> web.Response:
        return web.Response(body=self.wheel)


def contents(rollout: dict[str, Any]) -> list[str]:
    """The text of each message in a reported rollout."""
    return [node["message"]["content"] for node in rollout["transcript"]["nodes"]]


def refusal(status: int, code: str) -> web.Response:
    return web.json_response({"error": {"code": code, "message": "as told"}}, status=status)


@asynccontextmanager
async def serving(application: web.Application, port: int = 0) -> AsyncIterator[str]:
    """Serve on 127.0.0.1, on a port that the kernel chooses if none is given; give the base URL."""
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    try:
        yield f"http://127.0.0.1:{port or runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


__all__ = ["RUN_TOKEN", "TOKEN", "StubHub", "job", "replace", "serving"]
