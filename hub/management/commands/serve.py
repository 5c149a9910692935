"""`manage.py serve`: the whole hub on one machine, in one terminal."""

import argparse
import contextlib
import fcntl
import os
import signal
import socket
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import IO, Any, NoReturn

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from hub import demo, programs, provided, publish_examples, supervisor
from registry.errors import HubError
from registry.upkeep import integrity, upgrade

READY_SECONDS = 60
TICK_SECONDS = 0.3
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
ONE_PRESS_SECONDS = 0.5  # Ctrl-C may arrive twice: from the terminal and from the parent process
LOG_BYTES = 10_000_000


class Stopped(BaseException):
    """A signal ended this process; a BaseException, so that no handler of errors catches it."""


class StopSignal:
    """Raises Stopped at a signal, and again at each `check`: an exception that a handler raises in
    a finalizer is lost."""

    def __init__(self) -> None:
        self.received = False

    def receive(self, signum: int, frame: FrameType | None) -> None:
        """The handler."""
        self.received = True
        raise Stopped

    def check(self) -> None:
        """Raise if the signal was received before."""
        if self.received:
            raise Stopped


class Command(BaseCommand):
    """Migrate, start web, hub worker, clock and runner, publish the examples, restart programs."""

    help = "Run web, hub worker and runner together until Ctrl-C."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--with-parent", action="store_true", help="end when the starting process ends"
        )
        parser.add_argument(
            "--no-demo", action="store_true", help="create no demo users and publish no examples"
        )
        parser.add_argument(
            "--no-runner",
            action="store_true",
            help="start none: runners elsewhere take the runs",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        self._signal = StopSignal()
        for signum in SIGNALS:
            signal.signal(signum, self._signal.receive)
        os.umask(0o077)  # the database holds password hashes
        if options["with_parent"]:
            supervisor.die_with_parent()
        home = settings.HUB_HOME
        try:
            with _only_one(home):
                self._serve(
                    home, with_demo=not options["no_demo"], with_runner=not options["no_runner"]
                )
        except Stopped:
            self._say("stopped")

    def _serve(self, home: Path, *, with_demo: bool, with_runner: bool) -> NoReturn:
        for name in supervisor.end_leftovers(home / "run"):
            self._say(f"stopped {name} of a hub that was killed")
        _port_is_free()
        self._prepare(home / "logs")
        people = demo.people() if with_demo else {}
        token = demo.runner_token() if with_runner else ""
        watcher = supervisor.Supervisor(home / "run", self._say)
        with contextlib.ExitStack() as at_the_end:
            at_the_end.callback(watcher.stop)
            at_the_end.callback(self._stopping, watcher)
            for child in programs.children(logs=home / "logs", runner_token=token):
                watcher.start(child)
            self._wait_until_ready(watcher)
            self._welcome(people)
            publisher = self._publisher(home) if with_demo else None
            if publisher:
                at_the_end.callback(publisher.stop)
            while True:
                self._signal.check()
                watcher.restart_ended()
                if publisher and publisher.step():
                    self._say("{} of {} examples are listed".format(*publish_examples.listed()))
                    publisher = None
                time.sleep(TICK_SECONDS)

    def _stopping(self, watcher: supervisor.Supervisor) -> None:
        """Change the signal handlers for the stop: another Ctrl-C kills the remaining processes."""
        began = time.monotonic()

        def kill_on_second(signum: int, frame: FrameType | None) -> None:
            watcher.kill_now = time.monotonic() - began > ONE_PRESS_SECONDS

        for signum in SIGNALS:
            signal.signal(signum, kill_on_second if signum == signal.SIGINT else signal.SIG_IGN)
        self._say("stopping; press Ctrl-C again to kill what does not end")

    def _prepare(self, logs: Path) -> None:
        for log in logs.glob("*.log"):
            if log.stat().st_size > LOG_BYTES:
                log.replace(log.with_suffix(".log.1"))
        if damage := integrity.at_start():
            raise CommandError(f"the hub's database is damaged: {damage[0]}. {integrity.advice()}")
        if names := upgrade.missing_here():
            raise CommandError(f"the database lacks {', '.join(names)}. {upgrade.ADVICE}")
        call_command("migrate", interactive=False, verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)

    def _wait_until_ready(self, watcher: supervisor.Supervisor) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while not _healthy():
            self._signal.check()
            watcher.restart_ended()
            if time.monotonic() > deadline:
                log = settings.HUB_HOME / "logs" / "web.log"
                raise CommandError(f"the hub did not respond within {READY_SECONDS} s, see {log}")
            time.sleep(0.1)

    def _publisher(self, home: Path) -> publish_examples.Publisher | None:
        waiting, watching = publish_examples.undecided()
        if waiting:
            self._say(
                f"publishing {len(waiting)} examples as {publish_examples.OWNER} with `hub push`"
            )
        elif not watching:
            return None
        try:
            token = demo.publish_token(publish_examples.OWNER) if waiting else ""
        except HubError as refusal:  # HUB_REQUIRE_MFA applies to alice too
            self._say(f"the examples are not published: {refusal.message}. {refusal.hint}")
            return None
        return publish_examples.Publisher(
            waiting,
            watching,
            token=token,
            log=home / "logs" / "publish.log",
            say=self._say,
        )

    def _welcome(self, people: dict[str, str]) -> None:
        lines = ["", f"Envyard runs at {settings.HUB_URL}"]
        if people:
            lines.append("")
        for name, password in people.items():
            lines.append(f"  {name:6} {password:16} {demo.PEOPLE[name]}")
        lines += [
            "",
            "Next, in another terminal:",
            f"  alias hub={programs.PROGRAMS / 'hub'}",
            f"  export HUB_URL={settings.HUB_URL}",
            "  hub login && hub search math",
            "  hub init my-env && hub push my-env",
            "",
            provided.line(os.environ),
            *self._mail(),
            f"Logs are in {settings.HUB_HOME / 'logs'}; Ctrl-C stops everything.",
            "",
        ]
        self.stdout.write("\n".join(lines))
        self.stdout.flush()

    def _mail(self) -> list[str]:
        if settings.HUB_EMAIL_URL:
            return []
        return [f"Mail is written to {settings.HUB_HOME / 'mail'}; set HUB_EMAIL_URL to send it."]

    def _say(self, text: str) -> None:
        self.stdout.write(f"{time.strftime('%H:%M:%S')} {text}")
        self.stdout.flush()


@contextlib.contextmanager
def _only_one(home: Path) -> Iterator[None]:
    """Lock HUB_HOME for this process; the kernel releases the lock however the process ends."""
    (home / "run").mkdir(exist_ok=True)
    lock: IO[str] = (home / "run" / "serve.lock").open("a+")
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.seek(0)
            raise CommandError(
                f"a hub already runs in HUB_HOME={home} ({lock.read()}): "
                "stop it first, or set another HUB_HOME and HUB_PORT"
            ) from None
        lock.truncate(0)
        lock.write(f"process {os.getpid()} at {settings.HUB_URL}")
        lock.flush()
        yield


def _port_is_free() -> None:
    family = socket.AF_INET6 if ":" in settings.HUB_BIND else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.HUB_BIND, settings.HUB_PORT))
        except OSError as error:
            raise CommandError(
                f"cannot listen on {settings.HUB_BIND}:{settings.HUB_PORT} ({error.strerror}): "
                f"set HUB_PORT to a free port"
            ) from None


def _healthy() -> bool:
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(f"{programs.local_url()}/healthz", timeout=5) as response:
            return bool(response.status == 200)
    except OSError:
        return False
