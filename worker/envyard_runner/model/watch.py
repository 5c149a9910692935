"""`hub-runner model`: start vLLM, announce it to runners once it answers, restart it if it
fails."""

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
from envyard_runner.model.command import ServeError, ServeOptions, arguments, environment, find_vllm
from envyard_runner.model.endpoint import REQUEST_SECONDS, Endpoint, EndpointError
from envyard_runner.model.health import Health
from envyard_runner.model.state import LOG, SOCKET, State, folder_of, locked

log = logging.getLogger(__name__)

START_SECONDS = 1800.0  # a large model is read from a slow disk
PAUSES = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0)
STABLE_SECONDS = 600.0
LOG_BYTES, LOGS_KEPT = 8 << 20, 2
SHOWN_LINES = 12
LINE_BYTES = 1 << 16
EXIT_POLL_SECONDS = 0.2  # until its end is noticed
# How a process of vLLM names a cause: behind its own prefix, long before the end.
CAUSE = re.compile(r"(?:^|[\])] )((?:\w+\.)*\w+(?:Error|Exception): .+)")
# Words of its log, and what to do about them.
REMEDIES = {
    "desired CPU memory utilization": "add `-- --gpu-memory-utilization 0.3`",
    "desired GPU memory utilization": "free the GPU, or add `-- --gpu-memory-utilization 0.5`",
    "out of memory": "choose more --gpus, or add `-- --max-model-len 8192`",
    "not a valid model identifier": "check --model: a folder, or a name on the model hub",
    "trust_remote_code": "add `-- --trust-remote-code` if you trust the model's own code",
    "Address already in use": "choose another --port",
}


@dataclass(frozen=True, slots=True)
class Timings:
    """Durations in seconds: between checks of the server, for its answer to one, before it must
    have started, between two starts, and until it counts as stable."""

    look: float = 5.0
    answer: float = REQUEST_SECONDS
    start: float = START_SECONDS
    pauses: tuple[float, ...] = PAUSES
    stable_after: float = STABLE_SECONDS


class ServerEnded(Exception):
    """The server's process ended, or had to be taken for hung; the message states which."""


@dataclass(slots=True)
class Watcher:
    """One server kept running for as long as `run` runs; its state file announces it to runners.

    Of its log three files of `log_bytes` are kept.
    """

    options: ServeOptions
    folder: Path
    command: list[str]
    timings: Timings = field(default_factory=Timings)
    log_bytes: int = LOG_BYTES
    _key: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    _tail: deque[str] = field(default_factory=lambda: deque(maxlen=SHOWN_LINES))
    _cause: str = ""
    _remedy: str = ""
    _state: State = field(init=False)

    def __post_init__(self) -> None:
        port = self.options.port
        self._state = State(
            name=self.options.name,
            phase="starting",
            url=f"http://127.0.0.1:{port}/v1" if port else "http://model/v1",
            socket="" if port else str(self.folder / SOCKET),
            key=self._key,
        )

    async def run(self, stopping: asyncio.Event) -> None:
        """Watch until `stopping`; raises Unusable where the first start comes to nothing."""
        loop = asyncio.get_running_loop()
        failures, was_ready = 0, False
        while not stopping.is_set():
            began = loop.time()
            try:
                with TemporaryDirectory(prefix="vllm-") as sockets:
                    await self._serve(stopping, sockets)
                return
            except ServerEnded as error:
                ready = self._state.phase == "ready"
                was_ready = was_ready or ready
                if not was_ready:
                    raise ServeError(self._why(str(error))) from None
                stable = ready and loop.time() - began > self.timings.stable_after
                failures = 1 if stable else failures + 1
                pauses = self.timings.pauses
                # Several servers that one cause ended must not all come back at once.
                pause = pauses[min(failures, len(pauses)) - 1] * random.uniform(0.75, 1.25)  # noqa: S311
                self._write_state(phase="restarting", restarts=self._state.restarts + 1)
                log.warning("%s; starting it again in %.0f s", self._why(str(error)), pause)
                await _sleep_unless(stopping, pause)

    async def _serve(self, stopping: asyncio.Event, sockets: str) -> None:
        """One life of the server, which is gone on return; raises ServerEnded unless `stopping` is
        set.

        A killed one leaves the `sockets` that its processes used.
        """
        (self.folder / SOCKET).unlink(missing_ok=True)
        self._tail.clear()
        self._cause = self._remedy = ""
        process = await asyncio.create_subprocess_exec(
            *self.command,
            env=environment(self.options, self._key, os.environ) | {"VLLM_RPC_BASE_PATH": sockets},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=die_with_parent,
            limit=LINE_BYTES,
        )
        born = session.started(process.pid)
        self._write_state(leader=process.pid, started=born)
        log.info("vllm started as process %d, its log is %s", process.pid, self.folder / LOG)
        tasks = [
            asyncio.create_task(self._wait_for_exit(process)),
            asyncio.create_task(self._check_health()),
            asyncio.create_task(stopping.wait()),
        ]
        writing = asyncio.create_task(self._keep_log(process))
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if tasks[2] not in done:
                await next(iter(done))
        finally:
            for task in tasks:
                task.cancel()
            gentle = session.GENTLE_SECONDS if stopping.is_set() else 0.0
            await asyncio.to_thread(session.end, process.pid, born, seconds=gentle)
            await process.wait()
            await asyncio.wait([writing], timeout=1.0)
            writing.cancel()

    async def _wait_for_exit(self, process: asyncio.subprocess.Process) -> None:
        # Not wait(): that waits for the pipe as well, which the engine of a killed one keeps open.
        while (code := process.returncode) is None:  # noqa: ASYNC110
            await asyncio.sleep(EXIT_POLL_SECONDS)
        how = f"exit code {code}" if code >= 0 else signal.Signals(-code).name
        raise ServerEnded(f"vllm ended with {how}")

    async def _check_health(self) -> None:
        """Say when the server is ready, and raise Ended once it does not answer any more."""
        endpoint = replace(self._state.endpoint, patience=self.timings.answer)
        try:
            async with asyncio.timeout(self.timings.start):
                await self._first_answer(endpoint)
        except TimeoutError:
            raise ServerEnded(f"vllm did not answer within {self.timings.start:.0f} s") from None
        self._write_state(phase="ready")
        log.info("model %s is ready", self.options.name)
        health = Health(endpoint)
        while True:
            await asyncio.sleep(self.timings.look)
            if why := await health.look():
                raise ServerEnded(f"vllm hangs: {why}")

    async def _first_answer(self, endpoint: Endpoint) -> None:
        """Wait for health, the model's name and one token, the first of which may take a minute."""
        while True:
            try:
                await endpoint.get(f"{endpoint.root}/health")
                if self.options.name in await endpoint.names():
                    await endpoint.answers(self.options.name, seconds=self.timings.start)
                    return
            except EndpointError as error:
                log.debug("not ready: %s", error)
            await asyncio.sleep(min(1.0, self.timings.look))

    async def _keep_log(self, process: asyncio.subprocess.Process) -> None:
        """Write what the server prints to its bounded log, and remember its last lines."""
        handler = RotatingFileHandler(
            self.folder / LOG, maxBytes=self.log_bytes, backupCount=LOGS_KEPT, encoding="utf-8"
        )
        assert process.stdout is not None  # noqa: S101  (it was started with a pipe)
        rest = b""
        try:
            while part := await process.stdout.read(LINE_BYTES):
                *lines, rest = (rest + part).split(b"\n")
                for raw in (*lines, *([rest] if len(rest) > LINE_BYTES else [])):
                    line = raw.decode("utf-8", "replace").rstrip().replace(self._key, "***")
                    self._add_line(line[:500])
                    handler.emit(logging.makeLogRecord({"msg": line}))
                rest = b"" if len(rest) > LINE_BYTES else rest
        finally:
            handler.close()

    def _write_state(self, **changes: object) -> None:
        self._state = replace(self._state, **changes)  # type: ignore[arg-type]
        state.write(self.folder, self._state)

    def _add_line(self, line: str) -> None:
        """Keep the last lines, and the first that names the cause of its end."""
        self._tail.append(line)
        remedy = next((do for words, do in REMEDIES.items() if words in line), "")
        match = CAUSE.search(line)
        if match and (not self._cause or (remedy and not self._remedy)):
            self._cause = match[1]
        self._remedy = self._remedy or remedy

    def _why(self, ending: str) -> str:
        cause = f". Cause: {self._cause}" if self._cause else ""
        todo = f"{ending}{cause}. Next: {self._remedy or f'read {self.folder / LOG}'}"
        shown = "".join(f"\n    {line}" for line in self._tail if line)
        return f"{todo}. Its last lines:{shown}" if shown else todo


async def watch(options: ServeOptions, models: Path) -> None:
    """Serve the model until SIGTERM or SIGINT; raises Unusable or state.Taken."""
    folder = folder_of(models, options.name)
    command = arguments(options, find_vllm(os.environ), folder / SOCKET)
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    with locked(folder):
        _end_leftover(folder)
        try:
            await Watcher(options, folder, command).run(stopping)
        finally:
            for name in (state.FILE, SOCKET):
                (folder / name).unlink(missing_ok=True)


def _end_leftover(folder: Path) -> None:
    """End the server of a watcher that was killed together with its server's front end."""
    left = state.read(folder)
    if left is None:
        return
    state.write(
        folder, replace(left, phase="starting")
    )  # the folder is locked: its file is valid again
    if left.leader and session.members(left.leader, left.started):
        log.warning("ending the server that a killed watcher left running, session %d", left.leader)
        session.end(left.leader, left.started)


async def _sleep_unless(event: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return
