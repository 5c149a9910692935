"""One run from its job to its ending: in played sandboxes of every kind, then in a real one."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from envyard.contract.codes import finding
from envyard_runner.config import Config
from envyard_runner.inside import launch
from envyard_runner.link import Hub
from envyard_runner.run import Machine, perform
from envyard_runner.sandbox import Exit, Sandbox, SandboxError
from envyard_runner.venvs import Venv, VenvError
from tests.wheels import make_wheel
from tests.worker.stub_hub import TOKEN, StubHub, job, serving
from tests.worker.stub_model import StubModel

PORT = 18395
MODEL_PORT = 18396
FINE = Exit(
    code=0, signal=None, reason="exited", seconds=1.0, peak_memory_bytes=5, held_by="cgroup2"
)
WHEEL = make_wheel()
PLAYED = job(WHEEL, policies=("silent", "parrot"), tasks=2)
Program = Callable[["Played"], AsyncIterator[dict[str, Any]]]


class Played:
    """A sandbox that is played by a coroutine: what it yields are the program's event lines."""

    def __init__(self, program: Program, end: Exit = FINE) -> None:
        self.program, self.end = program, end
        self.on_log: Callable[[bytes], None] = lambda chunk: None
        self.job: dict[str, Any] = {}
        self.started: list[str] = []
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

    async def ask(self, rollout: str, text: str = "hi") -> int:
        body = {"messages": [{"role": "user", "content": text}]}
        url = f"{self.door}/rollouts/{rollout}/v1/chat/completions"
        async with aiohttp.ClientSession() as session, session.post(url, json=body) as response:
            await response.read()
            return response.status


def loaded(count: int = 2) -> dict[str, Any]:
    tasks = [{"index": i, "hash": str(i), "prompt": "p", "reference": True} for i in range(count)]
    return {"event": "loaded", "seconds": 0.5, "framework_version": "0.4.0", "tasks": tasks}


async def good(sandbox: Played) -> AsyncIterator[dict[str, Any]]:
    sandbox.on_log(b"hello from inside\n")
    yield loaded()
    yield {"event": "tasks_again", "hashes": ["0", "1"]}
    for policy in sandbox.job["policies"]:
        for task in range(2):
            name = f"{policy}/{task}/0"
            yield {"event": "rollout_started", "rollout": name}
            ok = await sandbox.ask(name, f"question {task}") == 200
            yield {"event": "rollout", "rollout": name, "ok": ok, "reward": 0.25 if ok else None}
    yield {"event": "done"}


async def endless(sandbox: Played) -> AsyncIterator[dict[str, Any]]:
    yield loaded()
    await asyncio.sleep(3600)


async def built(config: Config, wheel: Path, extra: Any, *, seconds: float) -> Venv:
    assert wheel.name == job().wheel.filename
    return Venv(Path("/nowhere"), Path("/nowhere"), packages=3, seconds=1.5)


class Outcome:
    """What one run left behind."""

    def __init__(self, hub: StubHub, ending: Any, sandbox: Played) -> None:
        self.hub, self.ending, self.sandbox = hub, ending, sandbox

    @property
    def said(self) -> tuple[str, list[str]]:
        (ending,) = self.hub.endings
        return ending["outcome"], [found["code"] for found in ending["findings"]]


def run(
    program: Program = good,
    *,
    spec: Any = PLAYED,
    end: Exit = FINE,
    hub: StubHub | None = None,
    model: StubModel | None = None,
    meanwhile: Callable[[StubHub, asyncio.Event], Coroutine[Any, Any, None]] | None = None,
    **machine: Any,
) -> Outcome:
    """Perform a run against a real hub stub, and a real model stub where one is given."""
    stub = hub or StubHub(wheel=WHEEL)

    async def play() -> Outcome:
        sandbox = Played(program, end)
        config = Config.from_environment({"RUNNER_HOME": "/nowhere"})
        if model is not None:
            config = replace(config, model_url=f"http://127.0.0.1:{MODEL_PORT}/v1", model="stub")
        made = Machine(config, **({"build": built, "prepare": sandbox.prepare} | machine))
        stopping = asyncio.Event()
        model_app = (model or StubModel()).application()
        async with (
            serving(stub.application(), PORT) as url,
            serving(model_app, MODEL_PORT),
            aiohttp.ClientSession() as session,
        ):
            link = Hub(session, url=url, token=TOKEN, patience=3.0)
            aside = asyncio.create_task(meanwhile(stub, stopping)) if meanwhile else None
            async with asyncio.timeout(25):
                ending = await perform(spec, hub=link, machine=made, stopping=stopping)
            if aside:
                await aside
        left = asyncio.all_tasks() - {asyncio.current_task()}
        assert not left, f"tasks outlived the run: {left}"
        return Outcome(stub, ending, sandbox)

    return asyncio.run(play())


def test_a_good_run_is_reported_whole() -> None:
    outcome = run()
    assert outcome.said == ("succeeded", [])
    hub = outcome.hub
    assert [(r["policy"], r["task"], r["reward"]) for r in hub.rollouts] == [
        ("silent", 0, 0.25), ("silent", 1, 0.25), ("parrot", 0, 0.25), ("parrot", 1, 0.25),
    ]  # fmt: skip
    assert [m["content"] for m in hub.rollouts[3]["messages"]] == ["question 1", "question 1"]
    assert hub.facts["install_seconds"] == 1.5
    assert hub.facts["load_seconds"] == 0.5
    assert hub.facts["framework_version"] == "0.4.0"
    assert (hub.facts["packages"], hub.facts["sandbox"]) == (3, "cgroup2")
    assert len(hub.facts["tasks"]) == len(hub.facts["hashes_again"]) == 2
    assert "hello from inside\n" in hub.log
    assert (hub.batches[-1]["done"], hub.batches[-1]["total"]) == (4, 4)
    assert hub.batches[0]["phase"] == "preparing"
    assert outcome.sandbox.started == ["python", "/inside/main.py"]
    assert outcome.sandbox.closed


def test_the_sandbox_is_told_nothing_that_names_the_hub_or_a_credential() -> None:
    told = json.dumps(run().sandbox.job)
    assert "hubrun_" not in told
    assert "sha256" not in told
    assert "alice" not in told


def test_a_model_plays_beside_the_probes() -> None:
    model = StubModel()
    spec = replace(PLAYED, policies=("silent", "model"))
    outcome = run(spec=replace(spec, attempts=1), model=model)
    assert outcome.said == ("succeeded", [])
    assert [m["content"] for m in outcome.hub.rollouts[2]["messages"]] == ["question 0", "ok"]
    assert outcome.hub.rollouts[2]["usage"]["prompt_tokens"] == 7
    assert len(model.requests) == 2


def test_a_model_that_is_down_ends_the_run_at_once_and_blames_nobody() -> None:
    async def stubborn(sandbox: Played) -> AsyncIterator[dict[str, Any]]:
        yield loaded()
        for _ in range(50):
            await sandbox.ask("model/0/0")
        yield {"event": "done"}

    model = StubModel(failure="500")
    spec = replace(PLAYED, policies=("model",))
    outcome = run(stubborn, spec=spec, model=model)
    assert outcome.said == ("errored", ["run.model_unreachable"])
    assert len(model.requests) == 3


def test_a_run_that_asks_for_a_model_this_runner_has_not_is_ours_to_mend() -> None:
    outcome = run(spec=replace(PLAYED, policies=("model",)))
    assert outcome.said == ("errored", ["run.model_unreachable"])
    assert "HUB_MODEL_URL" in outcome.hub.log


def test_an_import_that_fails_tells_the_author_why() -> None:
    async def broken(_: Played) -> AsyncIterator[dict[str, Any]]:
        error = {"type": "ImportError", "message": "no numpy", "traceback": "", "fault": "x"}
        yield {"event": "fatal", "stage": "import", "error": error}

    outcome = run(broken, end=replace(FINE, code=1))
    assert outcome.said == ("failed", ["run.import_failed"])
    assert outcome.hub.endings[0]["findings"][0]["message"] == "ImportError: no numpy"
    assert "run.import_failed: ImportError: no numpy" in outcome.hub.log


def test_dependencies_are_the_authors_fault_only_where_the_builder_says_so() -> None:
    async def unsolvable(*_: Any, **__: Any) -> Venv:
        raise VenvError(finding("env.dependencies_unresolvable", "nothing provides x"))

    async def offline(*_: Any, **__: Any) -> Venv:
        raise VenvError(finding("run.install_failed", "the index is away"))

    assert run(build=unsolvable).said == ("failed", ["env.dependencies_unresolvable"])
    assert run(build=offline).said == ("errored", ["run.install_failed"])


def test_our_own_exceptions_are_errored_and_named() -> None:
    async def bug(*_: Any, **__: Any) -> Venv:
        raise KeyError("oops")

    def no_sandbox(**_: Any) -> Sandbox:
        raise SandboxError("install bubblewrap")

    outcome = run(build=bug)
    assert outcome.said == ("errored", ["run.runner_error"])
    assert "KeyError: 'oops'" in outcome.hub.log
    assert "install bubblewrap" in run(prepare=no_sandbox).hub.log
    assert run(spec=replace(PLAYED, framework="other")).said[0] == "errored"


def test_another_wheel_than_the_checked_one_is_never_run() -> None:
    outcome = run(hub=StubHub(wheel=WHEEL + b"!"))
    assert outcome.said == ("errored", ["run.wheel_changed"])
    assert not outcome.sandbox.started


def test_cancelling_kills_the_sandbox_and_ends_the_run_cancelled() -> None:
    async def cancel(hub: StubHub, _: asyncio.Event) -> None:
        await asyncio.sleep(1.5)
        hub.cancel = True

    outcome = run(endless, meanwhile=cancel)
    assert outcome.said == ("cancelled", [])
    assert outcome.sandbox.closed


def test_a_superseded_run_is_dropped_without_a_word() -> None:
    async def supersede(hub: StubHub, _: asyncio.Event) -> None:
        await asyncio.sleep(1.5)
        hub.superseded = True

    outcome = run(endless, meanwhile=supersede)
    assert outcome.ending is None
    assert outcome.sandbox.closed
    assert not outcome.hub.endings


def test_a_stopped_runner_hands_its_run_back() -> None:
    async def stop(_: StubHub, stopping: asyncio.Event) -> None:
        await asyncio.sleep(0.7)
        stopping.set()

    outcome = run(endless, meanwhile=stop)
    assert outcome.said == ("errored", ["run.runner_error"])
    assert "goes back to the queue" in outcome.hub.log
    assert outcome.sandbox.closed


def test_a_hub_that_is_away_for_less_than_the_lease_does_not_lose_the_run() -> None:
    async def away(hub: StubHub, _: asyncio.Event) -> None:
        hub.failing = 4

    async def slow(sandbox: Played) -> AsyncIterator[dict[str, Any]]:
        async for event in good(sandbox):
            await asyncio.sleep(0.2)
            yield event

    outcome = run(slow, meanwhile=away)
    assert outcome.said == ("succeeded", [])
    assert len(outcome.hub.rollouts) == 4


def test_a_sandbox_that_never_ends_meets_the_runners_own_deadline() -> None:
    spec = replace(PLAYED, limits=replace(PLAYED.limits, install_seconds=1, wall_seconds=-90))
    outcome = run(endless, spec=spec)
    assert outcome.said == ("errored", ["run.runner_error"])
    assert "gave up" in outcome.hub.log


INSIDE = """
import json, os, sys, urllib.request
job = json.load(open("/job.json"))
events = os.fdopen(int(os.environ["ENVYARD_EVENTS_FD"]), "w", buffering=1)
def say(event, **fields): events.write(json.dumps({"event": event, **fields}) + "\\n")
print("loading", job["module"], flush=True)
say("loaded", seconds=0.1, tasks=[{"index": 0, "hash": "h", "prompt": "p", "reference": True}])
for policy in job["policies"]:
    name = policy + "/0/0"
    base = job["door"] + "/rollouts/" + name
    say("rollout_started", rollout=name)
    def send(url, body, method):
        data = json.dumps(body).encode()
        request = urllib.request.Request(url, data, method=method)
        return json.load(urllib.request.urlopen(request))
    if policy == "oracle":
        send(base + "/reference", {"message": {"role": "assistant", "content": "42"}}, "PUT")
    messages = [{"role": "user", "content": "what?"}]
    answer = send(base + "/v1/chat/completions", {"messages": messages}, "POST")
    said = answer["choices"][0]["message"]["content"]
    say("rollout", rollout=name, ok=True, reward=float(said == "42"))
if MODE == "hang":
    while True: pass
say("done")
"""


@pytest.fixture
def home() -> Iterator[Path]:
    """A runner's home that every uid can reach."""
    home = Path(tempfile.mkdtemp(prefix="envyard-run-", dir="/var/tmp"))
    home.chmod(0o755)
    yield home
    shutil.rmtree(home)


def in_real_sandbox(home: Path, mode: str, **limits: Any) -> tuple[Outcome, list[Path]]:
    """Run INSIDE in bubblewrap, with an empty venv."""
    site, inside = home / "site", home / "programs"
    for folder in (site, inside):
        folder.mkdir()
        folder.chmod(0o755)
    shutil.copy(Path(launch.__file__), inside)
    (inside / "main.py").write_text(f"MODE = {mode!r}\n{INSIDE}")
    config = Config.from_environment({**os.environ, "RUNNER_HOME": str(home)})

    async def empty(*_: Any, **__: Any) -> Venv:
        return Venv(site, site, packages=1, seconds=0.0)

    def prepare(**given: Any) -> Sandbox:
        return Sandbox.prepare(**given | {"config": config, "inside": inside})

    spec = replace(PLAYED, policies=("silent", "oracle"), limits=replace(PLAYED.limits, **limits))
    outcome = run(spec=spec, build=empty, prepare=prepare)
    return outcome, list(config.runs.iterdir())


@pytest.mark.sandbox
def test_a_program_in_a_real_sandbox_reaches_the_gateway_and_nothing_is_left(home: Path) -> None:
    outcome, left = in_real_sandbox(home, "")
    assert outcome.said == ("succeeded", [])
    assert [(r["policy"], r["reward"]) for r in outcome.hub.rollouts] == [
        ("silent", 0.0),
        ("oracle", 1.0),
    ]
    assert [m["content"] for m in outcome.hub.rollouts[1]["messages"]] == ["what?", "42"]
    assert "loading reverse_words\n" in outcome.hub.log
    assert outcome.hub.facts["peak_memory_bytes"] > 0
    assert not left


@pytest.mark.sandbox
def test_a_program_that_never_ends_is_stopped_by_the_wall_clock(home: Path) -> None:
    outcome, left = in_real_sandbox(home, "hang", wall_seconds=3.0)
    assert outcome.said == ("failed", ["run.wall_clock"])
    assert len(outcome.hub.rollouts) == 2
    assert not left
