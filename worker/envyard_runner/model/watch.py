"""`hub-runner model`: vLLM started, named to runners once it answers, started again if it fails."""

from __future__ import annotations

import asyncio
import logging
import os
import random
import re
import secrets
import signal
from collections import deque
from dataclasses import dataclass, field, replace
from logging.handlers import RotatingFileHandler
from pathlib import Path
from tempfile import TemporaryDirectory

from envyard.messaging.parent import die_with_parent
from envyard_runner.model import session, state
from envyard_runner.model.command import Asked, Unusable, arguments, environment, find_vllm
from envyard_runner.model.endpoint import ASK_SECONDS, Endpoint, Silent
from envyard_runner.model.health import Health
from envyard_runner.model.state import LOG, SOCKET, State, folder_of, held

log = logging.getLogger(__name__)

START_SECONDS = 1800.0  # a large model is read from a slow disk
PAUSES = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0)
STEADY_SECONDS = 600.0
LOG_BYTES, LOGS_KEPT = 8 << 20, 2
SHOWN_LINES = 12
LINE_BYTES = 1 << 16
DEAD_SECONDS = 0.2  # until its end is noticed
# How a process of vLLM names a cause: behind its own prefix, long before the end.
CAUSE = re.compile(r"(?:^|[\])] )((?:\w+\.)*\w+(?:Error|Exception): .+)")
# What its log says, and what to do about it.
REMEDIES = {
    "desired CPU memory utilization": "add `-- --gpu-memory-utilization 0.3`",
    "desired GPU memory utilization": "free the GPU, or add `-- --gpu-memory-utilization 0.5`",
    "out of memory": "choose more --gpus, or add `-- --max-model-len 8192`",
    "not a valid model identifier": "check --model: a folder, or a name on the model hub",
    "trust_remote_code": "add `-- --trust-remote-code` if you trust the model's own code",
    "Address already in use": "choose another --port",
}


@dataclass(frozen=True, slots=True)
class Pace:
    """How long things take, in seconds: between looks at the server, for its answer to one, before
    it must have started, between two starts, and until it counts as steady."""

    look: float = 5.0
    answer: float = ASK_SECONDS
    start: float = START_SECONDS
    pauses: tuple[float, ...] = PAUSES
    steady: float = STEADY_SECONDS


class Ended(Exception):
    """The server's process is gone, or had to be taken for hung; the message says which."""


@dataclass(slots=True)
class Watcher:
    """One server kept running for as long as `run` runs; its folder tells runners of it.

    Of its log three files of `log_bytes` are kept.
    """

    asked: Asked
    folder: Path
    command: list[str]
    pace: Pace = field(default_factory=Pace)
    log_bytes: int = LOG_BYTES
    _key: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    _tail: deque[str] = field(default_factory=lambda: deque(maxlen=SHOWN_LINES))
    _cause: str = ""
    _remedy: str = ""
    _state: State = field(init=False)

    def __post_init__(self) -> None:
        port = self.asked.port
        self._state = State(
            name=self.asked.name,
            phase="starting",
            url=f"http://127.0.0.1:{port}/v1" if port else "http://model/v1",
            socket="" if port else str(self.folder / SOCKET),
            key=self._key,
        )

    async def run(self, stopping: asyncio.Event) -> None:
        """Watch until `stopping`; raises Unusable where the first start comes to nothing."""
        loop = asyncio.get_running_loop()
        failures, ever = 0, False
        while not stopping.is_set():
            began = loop.time()
            try:
                with TemporaryDirectory(prefix="vllm-") as sockets:
                    await self._serve(stopping, sockets)
                return
            except Ended as error:
                ready = self._state.phase == "ready"
                ever = ever or ready
                if not ever:
                    raise Unusable(self._why(str(error))) from None
                steady = ready and loop.time() - began > self.pace.steady
                failures = 1 if steady else failures + 1
                pauses = self.pace.pauses
                # Several servers that one cause ended must not all come back at once.
                pause = pauses[min(failures, len(pauses)) - 1] * random.uniform(0.75, 1.25)  # noqa: S311
                self._tell(phase="restarting", restarts=self._state.restarts + 1)
                log.warning("%s; starting it again in %.0f s", self._why(str(error)), pause)
                await _unless(stopping, pause)

    async def _serve(self, stopping: asyncio.Event, sockets: str) -> None:
        """One life of the server, which is gone on return; raises Ended unless told to stop.

        A killed one leaves the `sockets` its processes talked through.
        """
        (self.folder / SOCKET).unlink(missing_ok=True)
        self._tail.clear()
        self._cause = self._remedy = ""
        process = await asyncio.create_subprocess_exec(
            *self.command,
            env=environment(self.asked, self._key, os.environ) | {"VLLM_RPC_BASE_PATH": sockets},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=die_with_parent,
            limit=LINE_BYTES,
        )
        born = session.started(process.pid)
        self._tell(leader=process.pid, started=born)
        log.info("vllm started as process %d, its log is %s", process.pid, self.folder / LOG)
        stories = [
            asyncio.create_task(self._lives(process)),
            asyncio.create_task(self._answers()),
            asyncio.create_task(stopping.wait()),
        ]
        writing = asyncio.create_task(self._keep_log(process))
        try:
            done, _ = await asyncio.wait(stories, return_when=asyncio.FIRST_COMPLETED)
            if stories[2] not in done:
                await next(iter(done))
        finally:
            for story in stories:
                story.cancel()
            gentle = session.GENTLE_SECONDS if stopping.is_set() else 0.0
            await asyncio.to_thread(session.end, process.pid, born, seconds=gentle)
            await process.wait()
            await asyncio.wait([writing], timeout=1.0)
            writing.cancel()

    async def _lives(self, process: asyncio.subprocess.Process) -> None:
        # Not wait(): that waits for the pipe as well, which the engine of a killed one keeps open.
        while (code := process.returncode) is None:  # noqa: ASYNC110
            await asyncio.sleep(DEAD_SECONDS)
        how = f"exit code {code}" if code >= 0 else signal.Signals(-code).name
        raise Ended(f"vllm ended with {how}")

    async def _answers(self) -> None:
        """Say when the server is ready, and raise Ended once it does not answer any more."""
        endpoint = replace(self._state.endpoint, patience=self.pace.answer)
        try:
            async with asyncio.timeout(self.pace.start):
                await self._first_answer(endpoint)
        except TimeoutError:
            raise Ended(f"vllm did not answer within {self.pace.start:.0f} s") from None
        self._tell(phase="ready")
        log.info("model %s is ready", self.asked.name)
        health = Health(endpoint)
        while True:
            await asyncio.sleep(self.pace.look)
            if why := await health.look():
                raise Ended(f"vllm hangs: {why}")

    async def _first_answer(self, endpoint: Endpoint) -> None:
        """Wait for health, the model's name and one token, the first of which may take a minute."""
        while True:
            try:
                await endpoint.get(f"{endpoint.root}/health")
                if self.asked.name in await endpoint.names():
                    await endpoint.answers(self.asked.name, seconds=self.pace.start)
                    return
            except Silent as error:
                log.debug("not ready: %s", error)
            await asyncio.sleep(min(1.0, self.pace.look))

    async def _keep_log(self, process: asyncio.subprocess.Process) -> None:
        """Write what the server prints to its bounded log, and remember its last lines."""
        handler = RotatingFileHandler(
            self.folder / LOG, maxBytes=self.log_bytes, backupCount=LOGS_KEPT, encoding="utf-8"
        )
        assert process.stdout is not None  # noqa: S101  (a pipe was asked for)
        rest = b""
        try:
            while part := await process.stdout.read(LINE_BYTES):
                *lines, rest = (rest + part).split(b"\n")
                for raw in (*lines, *([rest] if len(rest) > LINE_BYTES else [])):
                    line = raw.decode("utf-8", "replace").rstrip().replace(self._key, "***")
                    self._hear(line[:500])
                    handler.emit(logging.makeLogRecord({"msg": line}))
                rest = b"" if len(rest) > LINE_BYTES else rest
        finally:
            handler.close()

    def _tell(self, **changes: object) -> None:
        self._state = replace(self._state, **changes)  # type: ignore[arg-type]
        state.write(self.folder, self._state)

    def _hear(self, line: str) -> None:
        """Remember the last lines, and the first that says why it will end."""
        self._tail.append(line)
        remedy = next((do for words, do in REMEDIES.items() if words in line), "")
        found = CAUSE.search(line)
        if found and (not self._cause or (remedy and not self._remedy)):
            self._cause = found[1]
        self._remedy = self._remedy or remedy

    def _why(self, ending: str) -> str:
        cause = f". It said: {self._cause}" if self._cause else ""
        todo = f"{ending}{cause}. Next: {self._remedy or f'read {self.folder / LOG}'}"
        shown = "".join(f"\n    {line}" for line in self._tail if line)
        return f"{todo}. Its last lines:{shown}" if shown else todo


async def watch(asked: Asked, models: Path) -> None:
    """Serve the model until SIGTERM or SIGINT; raises Unusable or state.Taken."""
    folder = folder_of(models, asked.name)
    command = arguments(asked, find_vllm(os.environ), folder / SOCKET)
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    with held(folder):
        _end_leftover(folder)
        try:
            await Watcher(asked, folder, command).run(stopping)
        finally:
            for name in (state.FILE, SOCKET):
                (folder / name).unlink(missing_ok=True)


def _end_leftover(folder: Path) -> None:
    """End the server of a watcher that was killed together with its server's front end."""
    left = state.read(folder)
    if left is None:
        return
    state.write(folder, replace(left, phase="starting"))  # the folder is held: it is believed again
    if left.leader and session.members(left.leader, left.started):
        log.warning("ending what a killed watcher left running, session %d", left.leader)
        session.end(left.leader, left.started)


async def _unless(event: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return
