"""An install that is cut off, slowed down, killed or out of disk: never blamed on the environment,
nothing of it stays, and the next one has what it needs."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

from envyard_runner.venvs import Venv, VenvError, build_venv
from tests.wheels import write_wheel
from tests.worker.venvs.conftest import LockStore, VenvSetup
from tests.worker.venvs.index import Index

pytestmark = pytest.mark.sandbox

BULK = os.urandom(3 << 20).hex()  # no wheel packs it much
DISK = 400 << 20  # uv is ended where less than 256 MiB are left


@dataclass
class Trouble:
    """The fault of an index: it sends half of a wheel and disconnects, or stops sending."""

    kind: str = ""
    half: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)


class Troubled(Index):
    """The index, with a trouble of its own."""

    def __init__(self, trouble: Trouble, *arguments: object) -> None:
        self.trouble = trouble
        super().__init__(*arguments)  # type: ignore[arg-type]

    def do_GET(self) -> None:  # noqa: N802
        """Half of a wheel, where there is trouble."""
        if not self.trouble.kind or not self.path.endswith(".whl"):
            super().do_GET()
            return
        content = (self.folder / Path(self.path).name).read_bytes()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2])
        self.wfile.flush()
        self.trouble.half.set()
        if self.trouble.kind == "silent":
            self.trouble.over.wait(60)
        self.close_connection = True

    def do_HEAD(self) -> None:  # noqa: N802
        """As ever: only bodies are in trouble."""
        super().do_HEAD()


@dataclass(frozen=True, slots=True)
class Installing:
    """A runner whose index may be in trouble, and an environment that needs what lies there."""

    venv_setup: VenvSetup
    trouble: Trouble
    wheel: Path

    def build(self, seconds: float = 60.0) -> Venv:
        """Its venv, within that time."""
        agree = LockStore().agree
        return asyncio.run(
            build_venv(self.venv_setup.config, self.wheel, (), agree=agree, seconds=seconds)
        )

    def fails(self, seconds: float = 60.0) -> str:
        """Why it cannot be built, which is not its author's fault; nothing of it stays."""
        with pytest.raises(VenvError) as caught:
            self.build(seconds)
        assert (caught.value.fault, caught.value.finding.code) == ("platform", "run.install_failed")
        self.is_tidy()
        return str(caught.value)

    def is_tidy(self) -> None:
        """No folder of a build, no half venv, no uv."""
        config = self.venv_setup.config
        assert list(config.builds.glob("*")) == []
        assert [path for path in config.venvs.glob("*") if not (path / "venv.json").exists()] == []
        assert uvs(config.home) == []

    def works(self) -> None:
        """What is needed is there, whole."""
        venv = self.build()
        code = "import demo_env, bulky; print(demo_env.WORD, len(bulky.BULK))"
        assert self.venv_setup.run_code(venv, code) == f"built {len(BULK)}\n"
        self.is_tidy()


def uvs(home: Path) -> list[int]:
    """The processes that work in this runner's folders, as only uv does."""
    rows = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (entry / "cwd").readlink().is_relative_to(home):
                rows.append(int(entry.name))
    return rows


@pytest.fixture
def installing(venv_setup: VenvSetup) -> Iterator[Installing]:
    trouble = Trouble()
    handler = partial(
        Troubled, trouble, venv_setup.index, venv_setup.requested, venv_setup.dated, []
    )
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)  # type: ignore[arg-type]
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    venv_setup.add_to_index("bulky", files={"bulky/__init__.py": f"BULK = {BULK!r}\n"})
    wheel = write_wheel(
        venv_setup.wheels,
        files={"demo_env/__init__.py": "WORD = 'built'\n"},
        metadata={"Requires-Dist": ["bulky"]},
    )
    url = f"http://127.0.0.1:{server.server_port}/simple"
    settings = {"UV_DEFAULT_INDEX": url, "UV_HTTP_RETRIES": "0"}
    config = replace(venv_setup.config, index_environment=settings)
    yield Installing(replace(venv_setup, config=config), trouble, wheel)
    trouble.over.set()
    server.shutdown()
    server.server_close()
    thread.join()


def test_an_index_that_is_gone_is_not_the_environments_fault(installing: Installing) -> None:
    away = {"UV_DEFAULT_INDEX": "http://127.0.0.1:9/simple", "UV_HTTP_RETRIES": "0"}
    config = replace(installing.venv_setup.config, index_environment=away)
    gone = replace(installing, venv_setup=replace(installing.venv_setup, config=config))
    gone.fails()
    installing.works()


def test_a_wheel_that_is_cut_in_the_middle_is_fetched_again(installing: Installing) -> None:
    installing.trouble.kind = "hangs up"
    installing.fails()
    assert installing.trouble.half.is_set()
    installing.trouble.kind = ""
    installing.works()


def test_an_index_that_falls_silent_costs_the_time_of_the_install_and_no_more(
    installing: Installing,
) -> None:
    installing.trouble.kind = "silent"
    began = time.monotonic()
    assert "longer than the run allows" in installing.fails(seconds=8)
    assert installing.trouble.half.is_set()
    assert time.monotonic() - began < 40
    installing.trouble.kind = ""
    installing.works()


def test_a_uv_that_is_killed_is_started_again_by_the_next_attempt(installing: Installing) -> None:
    installing.trouble.kind = "silent"
    killed: list[int] = []

    def kill() -> None:
        assert installing.trouble.half.wait(60)
        for pid in uvs(installing.venv_setup.config.home):
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)

    thread = threading.Thread(target=kill)
    thread.start()
    installing.fails()
    thread.join()
    assert killed
    installing.trouble.kind = ""
    installing.works()


def test_no_uv_outlives_a_runner_that_is_killed(installing: Installing) -> None:
    installing.trouble.kind = "silent"
    if not (runner := os.fork()):
        with suppress(VenvError):
            installing.build()
        os._exit(0)
    assert installing.trouble.half.wait(60)
    home = installing.venv_setup.config.home
    assert uvs(home)
    os.kill(runner, signal.SIGKILL)
    os.waitpid(runner, 0)
    began = time.monotonic()
    while uvs(home):
        assert time.monotonic() - began < 10
        time.sleep(0.05)


def test_a_disk_that_fills_up_anywhere_in_an_install_leaves_nothing_half(
    installing: Installing,
) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    home = installing.venv_setup.config.home
    home.mkdir(exist_ok=True)
    options = f"size={DISK},mode=0711"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", home], check=True)
    try:
        met: list[str] = []
        for free in (0, 1 << 16, 2 << 20, 5 << 20, 9 << 20):
            ballast = home / "ballast"
            with ballast.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, DISK - used(home) - free)
            with pytest.raises((VenvError, OSError)) as caught:  # the latter is the runner's
                installing.build()
            met.append(getattr(caught.value, "fault", "platform"))
            ballast.unlink()
            installing.is_tidy()
        assert met == ["platform"] * 5
        installing.works()
    finally:
        subprocess.run(["umount", "-l", home], check=True)


def used(home: Path) -> int:
    """Bytes of its disk."""
    disk = os.statvfs(home)
    return (disk.f_blocks - disk.f_bfree) * disk.f_frsize
