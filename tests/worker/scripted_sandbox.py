"""Performs a run against stubs of hub and model, in a sandbox that a coroutine replaces."""

from __future__ import annotations

import asyncio
import copy
import json
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import aiohttp

from envyard_runner.config import Config
from envyard_runner.execution.run import RunnerContext, perform
from envyard_runner.hub_api.client import HubClient
from envyard_runner.sandbox import Exit
from envyard_runner.sandbox.endpoints import PORTS, Listening
from envyard_runner.venvs import Venv
from tests.wheels import make_wheel
from tests.worker.stub_hub import TOKEN, StubHub, job, serving
from tests.worker.stub_judge import KEY as JUDGE_KEY
from tests.worker.stub_judge import StubJudge, serving_judge
from tests.worker.stub_model import StubModel

EXITED = Exit(
    code=0, signal=None, reason="exited", seconds=1.0, peak_memory_bytes=5, limited_by="cgroup2"
)
WHEEL = make_wheel()
SPEC = job(WHEEL, policies=("silent", "parrot"), tasks=2)
BEGAN = {"event": "environment_began"}
Program = Callable[["ScriptedSandbox"], AsyncIterator[dict[str, Any]]]


class ScriptedSandbox:
    """All sandboxes of a run; `program` yields the events that the worker inside would send.

    Other programs than a worker end without a word. `starts` is the number of the sandbox: the
    first plays the run, the second loads it again. `started` is the program of the first.
    """

    def __init__(self, program: Program, end: Exit = EXITED) -> None:
        self.program, self.end = program, end
        self.on_log: Callable[[bytes], None] = lambda chunk: None
        self.job: dict[str, Any] = {}
        self.certificates = b""
        self.started: list[str] = []
        self.starts = 0
        self.requests: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.is_worker = True
        self.killed = asyncio.Event()
        self.closed = False
        self.all = self

    def prepare(
        self, *, files: dict[str, bytes], certificates: bytes, **_: object
    ) -> ScriptedSandbox:
        config = json.loads(files["config.json"])
        self.job, self.certificates = self.job or config, certificates
        twin = copy.copy(self)  # several may be open at once, each with sockets of its own
        twin.requests = asyncio.Queue()
        twin.is_worker = "env_worker.py" in files
        twin.all = self
        return twin

    async def __aenter__(self) -> ScriptedSandbox:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.all.closed = True

    async def start(self, program: list[str]) -> Listening:
        self.all.started = self.all.started or program
        self.all.starts += 1
        self.starts = self.all.starts
        listening = Listening(*(socket.create_server(("127.0.0.1", 0)) for _ in PORTS))
        self.gateway_url, self.data_url, self.proxy_url = (
            f"http://127.0.0.1:{s.getsockname()[1]}" for s in listening
        )
        return listening

    async def lines(self) -> AsyncIterator[bytes]:
        if not self.is_worker:
            return
        events = self.program(self)
        while True:
            step = asyncio.ensure_future(anext(events, None))
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

    async def send(self, line: bytes) -> None:
        self.requests.put_nowait(line)

    def finish(self) -> None:
        self.requests.put_nowait(None)

    async def groups(self) -> AsyncIterator[list[dict[str, Any]]]:
        """The groups that the driver requests."""
        while (line := await self.requests.get()) is not None:
            if line:
                yield json.loads(line)

    async def complete(self, rollout: str, text: str = "hi") -> int:
        body = {"messages": [{"role": "user", "content": text}]}
        url = f"{self.gateway_url}/rollouts/{rollout}/v1/chat/completions"
        async with aiohttp.ClientSession() as session, session.post(url, json=body) as response:
            await response.read()
            return response.status


def loaded(count: int = 2) -> dict[str, Any]:
    tasks = [
        {"index": i, "hash": f"{i}", "prompt": f"question {i}", "prompted": True, "reference": True}
        for i in range(count)
    ]
    return {"event": "loaded", "seconds": 0.5, "framework_version": "0.4.0", "tasks": tasks}


async def play_all(sandbox: ScriptedSandbox) -> AsyncIterator[dict[str, Any]]:
    sandbox.on_log(b"hello from inside\n")
    yield BEGAN
    yield loaded()
    async for (item,) in sandbox.groups():
        word, task = item["rollout"], item["task"]
        ok = await sandbox.complete(word, f"question {task}") == 200
        yield {"event": "rollout", "rollout": word, "ok": ok, "reward": 0.25 if ok else None}


async def hang_after_load(sandbox: ScriptedSandbox) -> AsyncIterator[dict[str, Any]]:
    yield BEGAN
    yield loaded()
    await asyncio.sleep(3600)


async def build_empty_venv(config: Config, wheel: Path, extra: Any, **_: Any) -> Venv:
    assert wheel.name == job().wheel.filename
    assert wheel.is_relative_to(config.builds)  # where the start after a kill clears up
    return Venv(Path("/nowhere"), Path("/nowhere"), packages=3, seconds=1.5)


class Outcome:
    """The hub stub, the ending and the sandbox of a completed run."""

    def __init__(self, hub: StubHub, ending: Any, sandbox: ScriptedSandbox) -> None:
        self.hub, self.ending, self.sandbox = hub, ending, sandbox

    @property
    def result(self) -> tuple[str, list[str]]:
        """The outcome that the hub received, and the codes of its findings."""
        (ending,) = self.hub.endings
        return ending["outcome"], [finding["code"] for finding in ending["findings"]]


def perform_run(
    program: Program = play_all,
    *,
    spec: Any = SPEC,
    end: Exit = EXITED,
    hub: StubHub | None = None,
    model: StubModel | None = None,
    meanwhile: Callable[[StubHub, asyncio.Event], Coroutine[Any, Any, None]] | None = None,
    seconds: float = 100,
    patience: float = 10.0,
    settings: dict[str, str] | None = None,
    judge: StubJudge | None = None,
    **machine: Any,
) -> Outcome:
    """Perform a run against a hub stub and, with `model`, a model stub.

    `settings` are variables of the runner, to which those of a `judge` are added.
    """
    stub = hub or StubHub(wheel=WHEEL)

    async def play(home: str) -> Outcome:
        sandbox = ScriptedSandbox(program, end)
        config = Config.from_environment({"RUNNER_HOME": home, **(settings or {})})
        if judge is not None:
            config = replace(config, judge_url=judge.url, judge_key=JUDGE_KEY)
        stopping = asyncio.Event()
        async with (
            serving(stub.application()) as url,
            serving((model or StubModel()).application()) as model_url,
            aiohttp.ClientSession() as session,
        ):
            if model is not None:
                config = replace(config, model_url=f"{model_url}/v1", model="stub")
            context = RunnerContext(
                config, **({"build": build_empty_venv, "prepare": sandbox.prepare} | machine)
            )
            hub_client = HubClient(session, url=url, token=TOKEN, patience=patience)
            interruption = asyncio.create_task(meanwhile(stub, stopping)) if meanwhile else None
            async with asyncio.timeout(seconds):
                ending = await perform(spec, hub=hub_client, machine=context, stopping=stopping)
            if interruption:
                await interruption
        left = asyncio.all_tasks() - {asyncio.current_task()}
        assert not left, f"tasks outlived the run: {left}"
        return Outcome(stub, ending, sandbox)

    async def play_with_judge(home: str) -> Outcome:
        async with serving_judge(judge) if judge else nullcontext():
            return await play(home)

    with TemporaryDirectory() as home:
        return asyncio.run(play_with_judge(home))
