"""What a killed runner leaves: its sandboxes die, and the next start removes its folders."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from envyard_runner.config import Config
from envyard_runner.sandbox import reap_orphans
from envyard_runner.sandbox.rundir import PROCESSES, OwnedDir
from envyard_runner.sandbox.watchdog import start_time
from tests.worker.sandbox.conftest import recorded_pids

pytestmark = pytest.mark.sandbox

RUNNER = """
import asyncio, sys
from pathlib import Path
from envyard_runner.config import Config
from envyard_runner.limits import Limits
from envyard_runner.sandbox import Sandbox

async def main():
    config = Config.from_environment()
    sandbox = Sandbox.prepare(config=config, venv=Path(sys.argv[1]), files={}, limits=Limits())
    await sandbox.start(["sleep", "300"])
    print("running", flush=True)
    await sandbox.wait()

asyncio.run(main())
"""


@pytest.fixture
def runner(config: Config, site: Path) -> Iterator[subprocess.Popen[str]]:
    """Another runner with a sandbox of its own, in the same home."""
    process = subprocess.Popen(
        [sys.executable, "-c", RUNNER, str(site)],
        env={**os.environ, "RUNNER_HOME": str(config.home)},
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "running\n"
        yield process
        process.kill()


def have_ended(pids: list[int]) -> bool:
    until = time.monotonic() + 10
    while time.monotonic() < until:
        if all(start_time(pid) is None for pid in pids):
            return True
        time.sleep(0.05)
    return False


def test_a_killed_runners_sandbox_dies_with_it_and_its_folder_is_cleared(
    runner: subprocess.Popen[str], config: Config
) -> None:
    pids = recorded_pids(config)
    assert reap_orphans(config) == 0  # its runner lives
    runner.send_signal(signal.SIGKILL)
    runner.wait()
    assert have_ended(pids)
    assert reap_orphans(config) == 1
    assert list(config.runs.iterdir()) == []


def test_processes_that_a_dead_runner_left_are_killed_by_their_start_time(config: Config) -> None:
    with subprocess.Popen(["sleep", "300"]) as orphan, subprocess.Popen(["sleep", "300"]) as other:
        folder = OwnedDir.create(config.runs)
        folder.record(orphan.pid)
        with (folder.path / PROCESSES).open("a", encoding="ascii") as file:
            file.write(f"{other.pid} 1\n")  # the same number, another process
        os.close(folder.lock_fd)  # as when its runner dies
        assert reap_orphans(config) == 1
        assert orphan.wait(10) == -signal.SIGKILL
        assert other.poll() is None
        other.kill()


@pytest.mark.parametrize(
    "record", [b"", b"\0\0\0\0", b"4711", b"4711 x\n", b"\xff 1\n", b"9" * 40 + b" 1\n"]
)
def test_a_record_that_was_cut_short_keeps_no_runner_from_starting(
    config: Config, record: bytes
) -> None:
    folder = OwnedDir.create(config.runs)
    (folder.path / PROCESSES).write_bytes(record)  # as after a loss of power
    os.close(folder.lock_fd)
    assert reap_orphans(config) == 1
    assert list(config.runs.iterdir()) == []


def test_a_folder_whose_runner_was_killed_before_it_had_a_name_is_cleared(config: Config) -> None:
    config.runs.mkdir(parents=True, exist_ok=True)
    for name, age in ((".young", 0.0), (".old", 7200.0)):
        (config.runs / name).mkdir()
        os.utime(config.runs / name, (time.time() - age,) * 2)
    assert reap_orphans(config) == 1
    assert [path.name for path in config.runs.iterdir()] == [".young"]
    (config.runs / ".young").rmdir()  # the home is shared by all tests of the folder


def test_a_folder_that_another_runner_has_just_removed_is_passed_over(config: Config) -> None:
    config.runs.mkdir(parents=True, exist_ok=True)
    (config.runs / "gone").symlink_to("nowhere")
    assert reap_orphans(config) == 0
    (config.runs / "gone").unlink()
