"""`manage.py serve` as `make run` starts it: up, watched, stopped, killed, started again."""

import contextlib
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pytest
from django.conf import settings

from hub import supervisor
from hub.management.commands.serve import Stopped, StopSignal
from tests.ports import free_port

pytestmark = pytest.mark.flow
NAMES = ("clock", "runner", "web", "worker")


def until(true: Callable[[], object], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.1)


@dataclass(frozen=True)
class Place:
    """A HUB_HOME and a port for one hub."""

    home: Path
    port: int

    @property
    def terminal(self) -> Path:
        """What it wrote to the terminal."""
        return self.home.with_name(f"{self.home.name}.said")

    def serve(self, *, into: Path | None = None) -> "subprocess.Popen[bytes]":
        environ = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
        with (into or self.terminal).open("wb") as out:
            return self._start(environ, out)

    def _start(self, environ: dict[str, str], out: IO[bytes]) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "manage.py", "serve", "--no-demo"],
            cwd=settings.BASE_DIR,
            env=environ
            | {
                "HUB_HOME": str(self.home),
                "HUB_PORT": str(self.port),
                "RUNNER_HOME": str(self.home / "runner"),
                "DJANGO_SETTINGS_MODULE": "hub.settings",
            },
            stdout=out,
            stderr=subprocess.STDOUT,
        )

    def healthy(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=5) as r:
                return bool(r.status == 200)
        except OSError:
            return False

    def processes(self) -> dict[str, int]:
        """The number of each child by its name, from the pid files."""
        return {f.stem: int(f.read_text().split()[0]) for f in self.home.glob("run/*.pid")}


@contextmanager
def running(place: Place) -> Iterator["subprocess.Popen[bytes]"]:
    """A hub that has reported its start; stopped at the end unless the test did it."""
    serving = place.serve()
    try:
        until(lambda: "runs at" in place.terminal.read_text() or serving.poll() is not None)
        yield serving
    finally:
        serving.terminate()
        serving.wait(timeout=90)


def living(children: dict[str, int]) -> list[supervisor.Process]:
    """What is left of all that these have started."""
    return [process for process in supervisor.processes() if process.session in children.values()]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "home", free_port())


def test_it_comes_up_mends_itself_and_refuses_a_second_one(place: Place, tmp_path: Path) -> None:
    with running(place) as serving:
        assert place.healthy()
        assert f"runs at http://127.0.0.1:{place.port}" in place.terminal.read_text()

        before = place.processes()["web"]
        os.kill(before, signal.SIGKILL)
        until(lambda: place.processes().get("web", before) != before)
        until(place.healthy)

        again = Place(place.home, free_port())
        beside = Place(tmp_path / "other", place.port)
        assert again.serve(into=tmp_path / "again").wait(timeout=60) == 1
        assert beside.serve().wait(timeout=60) == 1
        assert (
            f"a hub already runs in HUB_HOME={place.home} (process {serving.pid} "
            f"at http://127.0.0.1:{place.port})" in (tmp_path / "again").read_text()
        )
        output = beside.terminal.read_text()
        assert f"cannot listen on 127.0.0.1:{place.port} (Address already in use)" in output
        assert "set HUB_PORT to a free port" in output
        assert place.healthy()

        children = place.processes()
        os.kill(children["web"], signal.SIGSTOP)  # it would be waited for
        serving.send_signal(signal.SIGINT)
        until(lambda: "press Ctrl-C again" in place.terminal.read_text())
        time.sleep(1)
        assert serving.poll() is None
        began = time.monotonic()
        serving.send_signal(signal.SIGINT)
        assert serving.wait(timeout=90) == 0
        assert time.monotonic() - began < supervisor.STOP_SIGNALS[1][0]
    assert not living(children)
    assert place.processes() == {}


def test_serve_restarts_after_a_kill_and_leaves_no_process_when_stopped(
    place: Place,
) -> None:
    with running(place) as serving:
        until(lambda: tuple(sorted(place.processes())) == NAMES)
        before = place.processes()
        serving.kill()
        serving.wait()
    with running(place) as serving:
        assert place.healthy()
        until(lambda: tuple(sorted(place.processes())) == NAMES)
        children = place.processes()
        assert not set(before.values()) & set(children.values())
        assert supervisor.process(before["web"]) is None
        serving.send_signal(signal.SIGINT)
        assert serving.wait(timeout=90) == 0
    assert place.terminal.read_text().rstrip().endswith("stopped")
    assert not living(children)
    assert place.processes() == {}


def test_a_signal_whose_exception_a_finalizer_lost_still_stops_the_hub() -> None:
    stop = StopSignal()
    stop.check()
    with contextlib.suppress(Stopped):  # as Python does in a finalizer
        stop.receive(signal.SIGINT, None)
    with pytest.raises(Stopped):
        stop.check()


def test_a_home_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    refused = Place(tmp_path / "file" / "home", free_port())
    assert refused.serve(into=tmp_path / "said").wait(timeout=60) == 1
    output = (tmp_path / "said").read_text()
    assert output.startswith(f"error: HUB_HOME={str(refused.home)!r}: cannot be written")
    assert len(output.splitlines()) == 1
