"""The parts of a hub as processes that can be killed, stopped and started again."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from hub.supervisor import Process, die_with_parent, end, process, session_members
from tests import postgresql
from tests.ceph import Ceph
from tests.flows.hub import ROOT, clean_environ
from tests.ports import free_port

RABBITMQ = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
OWN = ("HOME", "PATH", "LANG", "LC_ALL", "TMPDIR")


@dataclass
class Part:
    """One program in a session of its own; its output goes to `log`."""

    name: str
    command: Sequence[str | Path]
    environ: Mapping[str, str]
    log: Path
    user: str | None = None
    cwd: Path | None = None
    stopping: signal.Signals = signal.SIGTERM
    popen: subprocess.Popen[bytes] | None = None
    sessions: list[tuple[int, int]] = field(default_factory=list)

    def start(self) -> None:
        """Start it, after the end of what its predecessor left."""
        self.end()
        account = pwd.getpwnam(self.user) if self.user else None
        with self.log.open("ab") as log:
            self.popen = subprocess.Popen(
                self.command,
                env=dict(self.environ),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.cwd,
                start_new_session=True,
                preexec_fn=partial(die_with_parent, signal.SIGKILL),
                user=account.pw_uid if account else None,
                group=account.pw_gid if account else None,
                extra_groups=[] if account else None,
            )
        leader = process(self.popen.pid)
        self.sessions = [(self.popen.pid, leader.started if leader else 0)]

    def pids(self) -> list[int]:
        """Every process of its session."""
        return [member.pid for member in self._members()]

    def _members(self) -> list[Process]:
        if self.popen is not None:
            self.popen.poll()
        return [member for pid, since in self.sessions for member in session_members(pid, since)]

    def signal(self, number: signal.Signals) -> None:
        """Send it to every process of the session, as a failing machine would."""
        for pid in self.pids():
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                continue

    def signal_main(self, number: signal.Signals) -> None:
        """Send it to the process that was started, not to those that it started."""
        if self.popen is not None and self.popen.poll() is None:
            self.popen.send_signal(number)

    def kill(self) -> None:
        """Kill every process of the session."""
        while self.pids():
            self.signal(signal.SIGKILL)
            time.sleep(0.02)
        if self.popen is not None:
            self.popen.wait()

    def ask_to_end(self) -> None:
        """Send its own stop signal, and do not wait."""
        self.signal(signal.SIGCONT)
        if self.popen is not None:
            with suppress(ProcessLookupError):
                os.kill(self.popen.pid, self.stopping)

    def end(self) -> None:
        """Stop it, by stronger signals as time goes by."""
        if self.popen is not None:
            self.ask_to_end()
            end(self._members)
            self.popen.wait()
            self.popen = None

    def restart_ended(self) -> bool:
        """Restart it if it ended by itself, like a supervisor; True if it had."""
        if self.popen is None or self.popen.poll() is None:
            return False
        self.start()
        return True


@dataclass(frozen=True, slots=True)
class Server:
    """A part that listens: its address, and its URL without host and port."""

    part: Part
    target: tuple[str, int] | str
    url: str

    def at(self, port: int, host: str = "127.0.0.1") -> str:
        """Its URL through that port."""
        return self.url.format(port=port, host=host)


def postgres(home: Path, log: Path) -> Server:
    """A new PostgreSQL in that folder, with the durability of production."""
    user = postgresql.server_user()
    if user:
        shutil.chown(home, user, pwd.getpwnam(user).pw_gid)
    url = postgresql.lay_out(home, user)
    start = postgresql.command(home, durable=True)
    part = Part("database", start, postgresql.CLEAN, log, user=user, cwd=home)
    part.stopping = signal.SIGINT  # SIGTERM would wait for every client to go
    at = "@{host}:{port}/postgres?sslmode=disable&gssencmode=disable"
    return Server(part, f"{home}/.s.PGSQL.5432", url.partition("@")[0] + at)


def redis(home: Path, log: Path) -> Server:
    """A new Redis that writes every message to disk."""
    port = free_port()
    options = {"bind": "127.0.0.1", "port": str(port), "dir": str(home), "save": ""}
    options |= {"appendonly": "yes", "appendfsync": "always"}
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    part = Part("broker", ["redis-server", *words], clean_environ(), log)
    return Server(part, ("127.0.0.1", port), "redis://{host}:{port}/0")


def rabbitmq(home: Path, log: Path) -> Server:
    """A new RabbitMQ with names and ports of its own, and the port mapper that it needs."""
    port, distribution, mapper = free_port(), free_port(), free_port()
    (home / "plugins").write_text("[].\n")
    settings = f"listeners.tcp.1 = 127.0.0.1:{port}\ndisk_free_limit.absolute = 8MB\n"
    (home / "rabbitmq.conf").write_text(settings)
    environ = {name: value for name, value in os.environ.items() if name in OWN} | {
        "HOME": str(home),
        "RABBITMQ_NODENAME": f"faults{port}@localhost",
        "RABBITMQ_DIST_PORT": str(distribution),
        "RABBITMQ_MNESIA_BASE": str(home / "mnesia"),
        "RABBITMQ_LOG_BASE": str(home / "log"),
        "RABBITMQ_LOGS": "-",
        "RABBITMQ_CONFIG_FILE": str(home / "rabbitmq.conf"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(home / "plugins"),
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "+S 1:1 +sbwt none",
        "ERL_EPMD_PORT": str(mapper),
        "ERL_EPMD_ADDRESS": "127.0.0.1",
    }
    # Started by the server itself, the mapper would outlive it.
    both = f"epmd -port {mapper} -address 127.0.0.1 & exec {RABBITMQ}"
    part = Part("broker", ["sh", "-c", both], environ, log)
    return Server(part, ("127.0.0.1", port), "amqp://guest:guest@{host}:{port}//")


def model(log: Path) -> Server:
    """A model server that answers at once."""
    port = free_port()
    start = [sys.executable, "-m", "tests.worker.stub_model", str(port)]
    part = Part("model", start, clean_environ(), log, cwd=ROOT)
    return Server(part, ("127.0.0.1", port), "http://{host}:{port}/v1")


def gateway(s3: Ceph, log: Path) -> Server:
    """A gateway to the objects of a Ceph."""
    port = free_port()
    part = Part("storage", s3.gateway(port), clean_environ(), log)
    return Server(part, ("127.0.0.1", port), "http://{host}:{port}")


def web(environ: Mapping[str, str], port: int, log: Path) -> Server:
    """gunicorn as `serve` starts it."""
    start = [sys.executable, "-m", "gunicorn", "hub.wsgi:application"]
    start += ["--bind", f"127.0.0.1:{port}", "--worker-class", "hub.gunicorn_worker.Worker"]
    start += ["--workers", "1", "--threads", "16", "--timeout", "120", "--graceful-timeout", "5"]
    start += ["--no-control-socket", "--keep-alive", "30"]
    return Server(
        Part("web", start, environ, log, cwd=ROOT), ("127.0.0.1", port), "http://{host}:{port}"
    )


def worker(environ: Mapping[str, str], log: Path) -> Part:
    """The hub's Celery worker as `serve` starts it."""
    start = [sys.executable, "-m", "celery", "--app", "hub.celery", "worker"]
    start += ["--queues", "hub", "--hostname", "hub@%h", "--concurrency", "2"]
    start += ["--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "INFO"]
    return Part("worker", start, environ, log, cwd=ROOT)


def beat(environ: Mapping[str, str], log: Path) -> Part:
    """The hub's clock as `serve` starts it."""
    start = [sys.executable, "-m", "celery", "--app", "hub.celery", "beat"]
    return Part("beat", [*start, "--pidfile", "", "--loglevel", "INFO"], environ, log, cwd=ROOT)


def runner(environ: Mapping[str, str], log: Path, within: Sequence[str] = ()) -> Part:
    """A runner that consumes from the broker, started through the command `within` if given."""
    start = [*within, sys.executable, "-m", "tests.faults.runner", "start"]
    return Part("runner", start, environ, log, cwd=ROOT)
