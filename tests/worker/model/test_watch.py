"""`hub-runner model` with a stub in vLLM's place: the ready gate, restarts, and a clean end."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from envyard_runner.model import session, state
from envyard_runner.model.available import AvailableModels, NoModel
from envyard_runner.model.command import ServeError, ServeOptions
from envyard_runner.model.state import folder_of
from envyard_runner.model.watch import Timings, Watcher
from tests.ports import free_port

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
BRISK = Timings(look=0.1, answer=0.5, start=20.0, pauses=(0.1, 600.0), stable_after=0.0)
PORT = free_port()


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """RUNNER_HOME/models of one test, with the stub as RUNNER_VLLM."""
    with tempfile.TemporaryDirectory(prefix="envyard-model-") as name:
        home = Path(name)
        program = home / "vllm"
        program.write_text(
            f'#!/bin/sh\ncd {ROOT}\nexec {sys.executable} -m tests.worker.model.stub_vllm "$@"\n'
        )
        program.chmod(0o755)
        monkeypatch.setenv("RUNNER_VLLM", str(program))
        monkeypatch.setenv("RUNNER_HOME", name)
        monkeypatch.setenv("STUB_ENGINE", str(home / "engine"))
        yield home / "models"


@asynccontextmanager
async def command(
    *options: str, log: Path, **environ: str
) -> AsyncIterator[asyncio.subprocess.Process]:
    """The real command as a process, which is gone afterwards."""
    with log.open("wb") as out:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "envyard_runner", "model", *options,
            env=os.environ | environ, stdout=out, stderr=out,
        )  # fmt: skip
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


def command_line(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text()


def watched(models: Path, phase: str) -> state.State | None:
    return next((item for item in state.watched(models) if item.phase == phase), None)


async def until(look: Callable[[], Any], seconds: float = 30.0) -> Any:
    async with asyncio.timeout(seconds):
        while not (result := look()):  # noqa: ASYNC110  (other processes set no event)
            await asyncio.sleep(0.05)
    return result


def play(scenario: Coroutine[Any, Any, None]) -> None:
    asyncio.run(scenario)


def test_a_model_is_named_to_runners_once_it_answers_and_gone_when_stopped(
    models: Path, tmp_path: Path
) -> None:
    async def scenario() -> None:
        log = tmp_path / "log"
        async with command("--model", "org/stub", "--name", "stub", log=log) as process:
            served = await until(lambda: watched(models, "ready"))
            endpoint = (await AvailableModels(models).ready())["stub"]
            assert await endpoint.names() == ["stub"]
            folder = folder_of(models, "stub")
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
            assert stat.S_IMODE((folder / state.FILE).stat().st_mode) == 0o600
            assert served.key
            assert served.key not in command_line(served.leader)
            assert served.key not in (folder / state.LOG).read_text()
            assert "loading org/stub with ***" in (folder / state.LOG).read_text()
            process.send_signal(signal.SIGINT)
            assert await process.wait() == 0
            assert session.members(served.leader, served.started) == []
            assert await AvailableModels(models).ready() == {}
            with pytest.raises(NoModel, match="hub-runner model"):
                await AvailableModels(models).find("stub", seconds=1)

    play(scenario())


def test_a_second_watcher_of_the_same_model_is_refused(models: Path, tmp_path: Path) -> None:
    async def scenario() -> None:
        options = ("--model", "org/stub", "--port", str(PORT))
        async with command(*options, log=tmp_path / "log"):
            served = await until(lambda: watched(models, "ready"))
            assert (served.name, served.socket) == ("org/stub", "")
            assert await served.endpoint.names() == ["org/stub"]
            async with command(*options, log=tmp_path / "second") as second:
                assert await second.wait() == 1
            assert "in use by another" in (tmp_path / "second").read_text()

    play(scenario())


@asynccontextmanager
async def watching(models: Path, pace: Timings = BRISK, **more: int) -> AsyncIterator[Path]:
    """A watcher in this process; gives the model's folder."""
    folder = folder_of(models, "stub")
    options = ServeOptions("org/stub", "stub")
    words = [os.environ["RUNNER_VLLM"], "serve", "x", "--served-model-name", "stub"]
    words += ["--uds", str(folder / state.SOCKET)]
    stopping = asyncio.Event()
    with state.locked(folder):
        watcher = Watcher(
            options, folder, [*words, "--uds", str(folder / state.SOCKET)], pace, **more
        )
        running = asyncio.create_task(watcher.run(stopping))
        try:
            yield folder
        finally:
            stopping.set()
            await running


def lives(pid: int) -> bool:
    return session.started(pid) > 0


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_killed_or_hung_server_is_started_again_and_leaves_nothing(
    models: Path, number: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "t"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))

    async def scenario() -> None:
        async with watching(models):
            first = await until(lambda: watched(models, "ready"))
            engine = int((models.parent / "engine").read_text())
            assert lives(engine)
            [sockets] = temporary.glob("*/a-socket")
            os.kill(first.leader, number)
            second = await until(lambda: (s := watched(models, "ready")) and s.restarts == 1 and s)
            assert second.leader != first.leader
            assert second.key == first.key
            assert not lives(engine)
            assert session.members(first.leader, first.started) == []
            assert not sockets.parent.exists()

    play(scenario())
    assert list(temporary.iterdir()) == []


def test_a_server_that_keeps_failing_is_started_ever_more_rarely(
    models: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> None:
        async with watching(models, replace(BRISK, pauses=(0.1, 2.0), stable_after=600.0)):
            for restarts in range(2):
                served = await until(
                    lambda number=restarts: (
                        (s := watched(models, "ready")) and s.restarts == number and s
                    )
                )
                os.kill(served.leader, signal.SIGKILL)
            await until(lambda: (s := watched(models, "restarting")) and s.restarts == 2)

    with caplog.at_level("WARNING"):
        play(scenario())
    lines = [record.message.rpartition(";")[2].strip() for record in caplog.records]
    assert lines == ["starting it again in 0 s", "starting it again in 2 s"]


def test_what_a_server_writes_is_kept_to_a_bound_and_to_its_end(
    models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUB_VLLM", "loud")
    bound = 200_000  # a fifth of what the stub prints

    async def scenario() -> None:
        async with watching(models, log_bytes=bound) as folder:
            await until(lambda: watched(models, "ready"))
            kept = sorted(folder.glob(f"{state.LOG}*"))
            assert len(kept) == 3
            assert bound < sum(file.stat().st_size for file in kept) <= 3 * bound
            assert "the last words" in (folder / state.LOG).read_text()

    play(scenario())


def test_a_run_waits_for_a_model_that_is_being_started_again(models: Path) -> None:
    async def scenario() -> None:
        lines: list[str] = []
        async with watching(models):
            first = await until(lambda: watched(models, "ready"))
            os.kill(first.leader, signal.SIGKILL)
            await until(lambda: watched(models, "restarting"))
            endpoint = await AvailableModels(models).find("stub", seconds=30, log_line=lines.append)
            assert await endpoint.names() == ["stub"]
        assert lines == ["waiting for model stub, which does not answer"]

    play(scenario())


def test_a_model_that_does_not_load_is_reported_with_its_log_and_a_remedy(
    models: Path, tmp_path: Path
) -> None:
    async def scenario() -> None:
        log = tmp_path / "log"
        async with command("--model", "x", log=log, STUB_VLLM="unloadable") as process:
            assert await process.wait() == 1
        text = log.read_text()
        assert "Cause: ValueError: Memory on device (9.83/11.59 GiB) is less" in text
        assert "--gpu-memory-utilization 0.5" in text
        assert not watched(models, "starting")

    play(scenario())


def test_a_model_that_never_answers_is_given_up_and_leaves_nothing(
    models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUB_VLLM", "silent")

    async def scenario() -> None:
        watcher = watching(models, Timings(look=0.1, start=3.0))
        await watcher.__aenter__()
        await until((models.parent / "engine").exists)
        await asyncio.sleep(4)
        with pytest.raises(ServeError, match="did not answer within 3 s"):
            await watcher.__aexit__(None, None, None)
        assert not lives(int((models.parent / "engine").read_text()))

    play(scenario())


def test_what_a_killed_watcher_left_is_ended_by_the_next(models: Path, tmp_path: Path) -> None:
    """Front end and watcher die at once, as under the kernel's own hand: the engine stays."""

    async def scenario() -> None:
        options = ("--model", "org/stub", "--name", "stub")
        async with command(*options, log=tmp_path / "log") as process:
            served = await until(lambda: watched(models, "ready"))
            engine = int((models.parent / "engine").read_text())
            process.send_signal(signal.SIGSTOP)
            os.kill(served.leader, signal.SIGKILL)
            process.kill()
            await process.wait()
            assert lives(engine)
            assert await AvailableModels(models).ready() == {}  # its state file is ignored
        async with command(*options, log=tmp_path / "second"):
            await until(lambda: watched(models, "ready"))
            await until(lambda: not lives(engine))  # its new parent may reap it later

    play(scenario())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--model", "m", "--", "--host", "0.0.0.0"), "--host cannot be given"),
        (("--model", "m", "--", "--api_key=x"), "--api_key=x cannot be given"),
        (("--model", "m", "--", "--served-model", "x"), "--served-model cannot be given"),
        (("--model", "/nowhere/m"), "--model /nowhere/m is not a folder"),
    ],
)
def test_what_would_open_the_server_to_others_is_refused(
    models: Path, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    async def scenario() -> None:
        async with command(*options, log=tmp_path / "log") as process:
            assert await process.wait() == 1
        assert message in (tmp_path / "log").read_text()

    play(scenario())


def test_without_vllm_the_error_names_how_to_install_it(models: Path, tmp_path: Path) -> None:
    async def scenario() -> None:
        log = tmp_path / "log"
        async with command("--model", "m", log=log, RUNNER_VLLM="/nowhere/vllm") as process:
            assert await process.wait() == 1
        assert "RUNNER_VLLM=/nowhere/vllm is not a program" in log.read_text()
        assert "uv pip install" in log.read_text()

    play(scenario())
