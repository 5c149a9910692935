"""One run's sandbox, from prepare to close, on the event loop of the process's main thread."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import functools
import os
import signal
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from envyard_runner.config import Config, blocked_folder
from envyard_runner.limits import Limits
from envyard_runner.sandbox import cgroup, command, interpreter, process_limit, uids, watchdog
from envyard_runner.sandbox.endpoints import Listening
from envyard_runner.sandbox.exit import Exit, Reason, SandboxError
from envyard_runner.sandbox.log import OutputReader
from envyard_runner.sandbox.network import Attempts
from envyard_runner.sandbox.observed import Observation
from envyard_runner.sandbox.program_channel import ProgramChannel
from envyard_runner.sandbox.refusals import Refusals
from envyard_runner.sandbox.rundir import OwnedDir
from envyard_runner.sandbox.spawn import Channels, Started, readable, spawn
from envyard_runner.sandbox.watchdog import oom_kills

LINGER_SECONDS = 10.0  # that a program may take to end once its work is done


class Sandbox:
    """One program and all it starts, contained: `prepare`, `start`, read `lines`, `wait`, `close`.

    `on_log` gets stdout and stderr together as they come, slowly past `limits.log_bytes`; set it
    before `start`. Read `lines` to the end: a program whose events nobody reads is blocked.
    `send` answers them, and `finish` ends a program whose work is done.
    `uid` is the host's uid that the run acts under. `spawn` starts the processes.
    """

    spawn: Callable[..., Awaitable[Started]] = staticmethod(spawn)

    def __init__(
        self,
        *,
        config: Config,
        limits: Limits,
        view: command.View,
        uid: int,
        folder: OwnedDir,
        parent: Path | None,
        resources: contextlib.ExitStack,
    ) -> None:
        self.on_log: Callable[[bytes], None] = lambda _: None
        self.uid = uid
        self._config, self._limits, self._view = config, limits, view
        self._folder, self._parent, self._resources = folder, parent, resources
        self._channels: Channels | None = None
        self._channel: ProgramChannel | None = None
        self._started: Started | None = None
        self._group: cgroup.Group | None = None
        self._refusals: Refusals | None = None
        self._supervisor: asyncio.Task[Exit] | None = None
        self._reason: Reason | None = None
        self._linger: asyncio.TimerHandle | None = None
        self._observation = Observation()
        self._began = time.monotonic()
        self._attempts = Attempts(())
        self._closed = False

    @classmethod
    def prepare(
        cls,
        *,
        config: Config,
        venv: Path,
        environment: Path | None = None,
        files: Mapping[str, bytes],
        user: str = command.USER,
        limits: Limits,
        writable: Path | None = None,
        variables: Mapping[str, str] | None = None,
        programs: Mapping[str, Path] | None = None,
        certificates: bytes = b"",
        folders: Mapping[str, Path] | None = None,
    ) -> Sandbox:
        """Take a uid and a folder for one run; `venv` is the folder of its site-packages.

        `environment` holds the wheel's own files, `files` are those of the program's package, and
        `user` is the name of user and machine inside. `writable` names one of the two while it is
        byte-compiled and no run uses it yet. `variables` are set beside the sandbox's own, which
        win; `programs` are found by their names, `folders` below the venv by theirs, and
        `certificates` (PEM) are the authorities that clients trust. Raises SandboxError.
        """
        if os.geteuid() == 0:
            _require_open(filter(None, (venv, environment, config.home)))
        base, parent = interpreter.base(config.python), cgroup.usable(config.cgroup)
        with contextlib.ExitStack() as resources:
            lease = uids.lease()
            resources.callback(lease.release)
            folder = OwnedDir.create(config.runs)
            resources.callback(folder.remove)
            for path in filter(None, (venv, environment)):
                _lock(path, resources)
            package = command.package_name(venv, environment)
            view = command.View(
                base=base,
                site=venv,
                environment=environment,
                app=folder.add_package(package, files),
                package=package,
                user=user,
                tmp_bytes=limits.tmp_bytes,
                writable=writable,
                variables=variables or {},
                programs=programs or {},
                certificates=certificates,
                folders={
                    name: folder.add_data(path, name, lease.uid)
                    for name, path in (folders or {}).items()
                },
            )
            return cls(
                config=config,
                limits=limits,
                view=view,
                uid=lease.uid,
                folder=folder,
                parent=parent,
                resources=resources.pop_all(),
            )

    async def start(self, program: list[str]) -> Listening:
        """Start `program` and return the listening, non-blocking sockets of its endpoints.

        Its arguments may contain the placeholders of spawn.py.
        The caller owns the sockets. The clock starts here. Raises SandboxError. Main thread only:
        bubblewrap's --die-with-parent means the thread that started it.
        """
        if threading.current_thread() is not threading.main_thread():
            raise SandboxError("start a sandbox from the main thread: it dies with its thread")
        self._channels = Channels.open()
        try:
            self._started = await self.spawn(
                config=self._config,
                uid=self.uid,
                view=self._view,
                limits=self._limits,
                program=program,
                channels=self._channels,
            )
        except BaseException:
            self._channels.close_runner_ends()
            self._channels = None
            raise
        started = self._started
        self._channel = ProgramChannel(self._channels.program[0])
        if started.listener is not None:
            self._refusals = Refusals(started.listener)
        self._attempts = Attempts.of(started.init)
        self._supervisor = asyncio.create_task(self._supervise(started))
        self._folder.record(started.process.pid, started.init)
        everything = (started.process.pid, *watchdog.measure(started.init).pids)
        watchdog.die_first(everything)
        self._limit_memory(started, everything)
        with contextlib.suppress(BrokenPipeError):  # it was killed already: `wait` returns that
            self._channels.control[0].send(b"g")
        return started.listening

    def lines(self) -> AsyncIterator[bytes]:
        """The events channel's whole lines; a line or a total beyond the limits kills the run."""
        assert self._channel is not None, "start the sandbox first"  # noqa: S101 - misuse, not input
        flooded = functools.partial(self.kill, "events_flood")
        return self._channel.lines(self._limits.events_bytes, flooded)

    async def send(self, line: bytes) -> None:
        """Send a line to the program; nothing where it has ended."""
        assert self._channel is not None, "start the sandbox first"  # noqa: S101 - misuse, not input
        await self._channel.send(line)

    def finish(self) -> None:
        """Have a program end that has done its work: it reads an end of file, and is killed where
        it stays."""
        assert self._channel is not None, "start the sandbox first"  # noqa: S101
        self._channel.end_requests()
        self._linger = asyncio.get_running_loop().call_later(LINGER_SECONDS, self.kill, "lingered")

    async def wait(self) -> Exit:
        """Wait until every process of the run has ended and its whole log was handed over."""
        assert self._supervisor is not None, "start the sandbox first"  # noqa: S101
        return await asyncio.shield(self._supervisor)

    def so_far(self) -> Exit:
        """What it has taken and tried by now, as if it ended well now; how it ended, if it did."""
        if self._supervisor is not None and self._supervisor.done():
            return self._supervisor.result()
        observed, group = self._observation, self._group
        return Exit(
            code=0,
            signal=None,
            reason="exited",
            seconds=time.monotonic() - self._began,
            peak_memory_bytes=max(observed.peak, group.peak_bytes() if group else 0),
            limited_by="rlimit+watchdog" if group is None else "cgroup2",
            network_attempts=self._attempts.count(),
            targets=tuple(self._refusals.targets) if self._refusals else (),
            refused_calls=dict(self._refusals.calls) if self._refusals else None,
            reached=tuple(observed.reached),
        )

    def kill(self, reason: Reason = "killed") -> None:
        """End every process of the run now; the first reason given is the one reported."""
        if self._started is None:
            return
        self._reason = self._reason or reason
        for pidfd in (self._started.pidfd, self._started.init_pidfd):
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(pidfd, signal.SIGKILL)

    async def close(self) -> None:
        """Kill what still runs and leave nothing behind: no process, folder, descriptor or uid."""
        if self._closed:
            return
        self._closed = True
        if self._channel is not None:
            self._channel.close()
        if self._supervisor is not None:
            if not self._supervisor.done():
                self.kill()
            await asyncio.wait([self._supervisor])
        if self._started is not None:
            os.close(self._started.pidfd)
            os.close(self._started.init_pidfd)
        if self._refusals is not None:
            self._refusals.close()
        if self._group is not None:
            self._group.remove()
        if self._channels is not None:
            self._channels.close_runner_ends()
        self._resources.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def _limit_memory(self, started: Started, pids: Iterable[int]) -> None:
        if self._parent is None:
            return
        try:
            self._group = cgroup.Group.create(self._parent, self._folder.path.name, self._limits)
            self._group.add(pids)
        except OSError as error:
            started.listening.close()
            raise SandboxError(f"no cgroup could be made in {self._parent}: {error}") from error

    async def _supervise(self, started: Started) -> Exit:
        self._began = time.monotonic()
        loop, killed_before = asyncio.get_running_loop(), oom_kills()
        refused_before = process_limit.refused_processes()
        wall_clock = loop.call_later(self._limits.wall_seconds, self.kill, "wall_clock")
        watch = asyncio.create_task(self._observation.watch(started.init, self._limits, self.kill))
        assert self._channels is not None  # noqa: S101 - set before this is started
        written = OutputReader(self._channels.log[0], self._limits.log_bytes, self.on_log)
        await readable(started.pidfd)
        code = started.process.wait()
        with contextlib.suppress(ProcessLookupError):  # what it left running
            signal.pidfd_send_signal(started.init_pidfd, signal.SIGKILL)
        await readable(started.init_pidfd)
        wall_clock.cancel()
        if self._linger is not None:
            self._linger.cancel()
        watch.cancel()
        written.drain()
        if self._group is not None:
            self._reason = self._reason or self._group.out_of_memory()
        if code < 0:  # a signal to bubblewrap itself, which nothing inside can send
            self._reason = self._reason or "killed"
        number = -code if code < 0 else code - 128 if code > 128 else None
        total = self.so_far()
        self._attempts.close()
        return replace(
            total,
            code=code if number is None else None,
            signal=number,
            reason=self._reason or "exited",
            oom_kills=oom_kills() - killed_before,
            stalled_seconds=self._observation.stalled_seconds,
            low_memory=self._observation.low_memory,
            lacking=self._observation.lacking,
            refused_processes=process_limit.refused_processes() - refused_before,
        )


def _require_open(paths: Iterable[Path]) -> None:
    """Raise SandboxError where a folder on the way to one of them is closed to the run's uid."""
    for path in paths:
        if path.exists() and (blocked := blocked_folder(path)) is not None:
            raise SandboxError(
                f"{path} cannot be used: other users may not enter {blocked}; "
                "set RUNNER_HOME to a folder that every user can walk through"
            )


def _lock(folder: Path, resources: contextlib.ExitStack) -> None:
    """Lock a cached folder for as long as `resources` are held: eviction skips it."""
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    resources.callback(os.close, lock)
    fcntl.flock(lock, fcntl.LOCK_SH)
