"""One run performed against real stubs of the hub and the model, in a played sandbox."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import aiohttp

from envyard_runner.config import Config
from envyard_runner.execution.run import RunnerContext, perform
from envyard_runner.messaging.hub_client import HubClient
from envyard_runner.sandbox import Exit
from envyard_runner.venvs import Venv
from tests.wheels import make_wheel
from tests.worker.stub_hub import TOKEN, StubHub, job, serving
from tests.worker.stub_model import StubModel

FINE = Exit(
    code=0, signal=None, reason="exited", seconds=1.0, peak_memory_bytes=5, limited_by="cgroup2"
)
WHEEL = make_wheel()
PLAYED = job(WHEEL, policies=("silent", "parrot"), tasks=2)
BEGAN = {"event": "environment_began"}
Program = Callable[["Played"], AsyncIterator[dict[str, Any]]]


class Played:
    """The sandboxes of a run, played by a coroutine: what it yields are the program's event lines.

    `starts` says which of them it is: the first plays the run, the second loads it again.
    """

    def __init__(self, program: Program, end: Exit = FINE) -> None:
        self.program, self.end = program, end
        self.on_log: Callable[[bytes], None] = lambda chunk: None
        self.job: dict[str, Any] = {}
        self.started: list[str] = []
        self.starts = 0
        self.killed = asyncio.Event()
        self.closed = False

    def prepare(self, *, job: bytes, **_: object) -> Played:
        self.job = json.loads(job)
        return self

    async def __aenter__(self) -> Played:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.closed = True

    async def start(self, program: list[str]) -> socket.socket:
        self.started = program
        self.starts += 1
        listening = socket.create_server(("127.0.0.1", 0))
        self.door = f"http://127.0.0.1:{listening.getsockname()[1]}"
        return listening

    async def lines(self) -> AsyncIterator[bytes]:
        playing = self.program(self)
        while True:
            step = asyncio.ensure_future(anext(playing, None))
            death = asyncio.ensure_future(self.killed.wait())
            try:
                await asyncio.wait({step, death}, return_when=asyncio.FIRST_COMPLETED)
                event = step.result() if step.done() else None
            finally:
                step.cancel()
                death.cancel()
                await asyncio.gather(step, death, return_exceptions=True)
            if event is None:
                return
            yield json.dumps(event).encode()

    async def wait(self) -> Exit:
        return replace(self.end, reason="killed", code=None) if self.killed.is_set() else self.end

    def kill(self) -> None:
        self.killed.set()

    async def plan(self) -> list[list[dict[str, Any]]]:
        async with aiohttp.ClientSession() as session, session.get(f"{self.door}/plan") as response:
            body: list[list[dict[str, Any]]] = await response.json()
            return body

    async def ask(self, rollout: str, text: str = "hi") -> int:
        body = {"messages": [{"role": "user", "content": text}]}
        url = f"{self.door}/rollouts/{rollout}/v1/chat/completions"
        async with aiohttp.ClientSession() as session, session.post(url, json=body) as response:
            await response.read()
            return response.status


def loaded(count: int = 2) -> dict[str, Any]:
    tasks = [
        {"index": i, "hash": f"{i}", "prompt": f"question {i}", "prompted": True, "reference": True}
        for i in range(count)
    ]
    return {"event": "loaded", "seconds": 0.5, "framework_version": "0.4.0", "tasks": tasks}


async def good(sandbox: Played) -> AsyncIterator[dict[str, Any]]:
    sandbox.on_log(b"hello from inside\n")
    yield BEGAN
    yield loaded()
    for (item,) in await sandbox.plan():
        word, task = item["rollout"], item["task"]
        yield {"event": "rollout_started", "rollout": word}
        ok = await sandbox.ask(word, f"question {task}") == 200
        yield {"event": "rollout", "rollout": word, "ok": ok, "reward": 0.25 if ok else None}
    yield {"event": "done"}


async def endless(sandbox: Played) -> AsyncIterator[dict[str, Any]]:
    yield BEGAN
    yield loaded()
    await asyncio.sleep(3600)


async def built(config: Config, wheel: Path, extra: Any, **_: Any) -> Venv:
    assert wheel.name == job().wheel.filename
    assert wheel.is_relative_to(config.builds)  # where the start after a kill clears up
    return Venv(Path("/nowhere"), Path("/nowhere"), packages=3, seconds=1.5)


def free_ports() -> tuple[int, int]:
    """Two ports that nothing listens on."""
    with (
        socket.create_server(("127.0.0.1", 0)) as one,
        socket.create_server(("127.0.0.1", 0)) as other,
    ):
        return one.getsockname()[1], other.getsockname()[1]


class Outcome:
    """What one run left behind."""

    def __init__(self, hub: StubHub, ending: Any, sandbox: Played) -> None:
        self.hub, self.ending, self.sandbox = hub, ending, sandbox

    @property
    def said(self) -> tuple[str, list[str]]:
        (ending,) = self.hub.endings
        return ending["outcome"], [finding["code"] for finding in ending["findings"]]


def run(
    program: Program = good,
    *,
    spec: Any = PLAYED,
    end: Exit = FINE,
    hub: StubHub | None = None,
    model: StubModel | None = None,
    meanwhile: Callable[[StubHub, asyncio.Event], Coroutine[Any, Any, None]] | None = None,
    seconds: float = 25,
    port: int | None = None,
    **machine: Any,
) -> Outcome:
    """Perform a run against a real hub stub, and a real model stub where one is given.

    Their ports are free ones unless `port` is given: the hub's, and the next is the model's.
    """
    stub = hub or StubHub(wheel=WHEEL)
    hub_port, model_port = free_ports() if port is None else (port, port + 1)

    async def play(home: str) -> Outcome:
        sandbox = Played(program, end)
        config = Config.from_environment({"RUNNER_HOME": home})
        if model is not None:
            config = replace(config, model_url=f"http://127.0.0.1:{model_port}/v1", model="stub")
        made = RunnerContext(config, **({"build": built, "prepare": sandbox.prepare} | machine))
        stopping = asyncio.Event()
        model_app = (model or StubModel()).application()
        async with (
            serving(stub.application(), hub_port) as url,
            serving(model_app, model_port),
            aiohttp.ClientSession() as session,
        ):
            link = HubClient(session, url=url, token=TOKEN, patience=3.0)
            aside = asyncio.create_task(meanwhile(stub, stopping)) if meanwhile else None
            async with asyncio.timeout(seconds):
                ending = await perform(spec, hub=link, machine=made, stopping=stopping)
            if aside:
                await aside
        left = asyncio.all_tasks() - {asyncio.current_task()}
        assert not left, f"tasks outlived the run: {left}"
        return Outcome(stub, ending, sandbox)

    with TemporaryDirectory() as home:
        return asyncio.run(play(home))
