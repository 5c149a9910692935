"""Cgroup v2 is used only where memory and pids can be handed down, else the watchdog holds."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from envyard_runner.config import Config
from envyard_runner.limits import Limits
from envyard_runner.sandbox import SandboxError, cgroup, reap_orphans
from envyard_runner.sandbox.rundir import OwnedDir
from tests.worker.sandbox.conftest import MIB, QUICK, Run, contained

LIMITS = Limits(memory_bytes=24 * MIB, tmp_bytes=4 * MIB, pids=40)
MOST = 32 * MIB  # with /tmp and /dev/shm


@pytest.fixture
def delegated(tmp_path: Path) -> Path:
    """What a delegated folder looks like to one who reads and writes its files."""
    (tmp_path / "cgroup.controllers").write_text("cpu memory pids\n", encoding="ascii")
    (tmp_path / "cgroup.subtree_control").write_text("cpu memory pids\n", encoding="ascii")
    return tmp_path


def test_a_folder_with_both_controllers_is_used(delegated: Path) -> None:
    assert cgroup.find(delegated) == cgroup.usable(delegated) == delegated


def test_a_missing_controller_is_named(delegated: Path) -> None:
    (delegated / "cgroup.subtree_control").write_text("cpu\n", encoding="ascii")
    (delegated / "cgroup.procs").touch()
    assert cgroup.find(delegated) == delegated
    assert (delegated / "cgroup.subtree_control").read_text() == "+memory +pids"


@pytest.mark.parametrize("folder", ["/nowhere", "/proc", "/"])
def test_a_named_folder_that_is_no_cgroup_stops_the_runner(folder: str) -> None:
    with pytest.raises(SandboxError, match=f"RUNNER_CGROUP: {folder} is no cgroup v2 folder"):
        cgroup.usable(Path(folder))


def test_a_folder_without_controllers_names_the_setting_to_write(delegated: Path) -> None:
    (delegated / "cgroup.controllers").write_text("cpu memory\n", encoding="ascii")
    with pytest.raises(cgroup.NotDelegated, match="no controller pids: put `Delegate=memory pids`"):
        cgroup.find(delegated)


def test_a_group_gets_its_limits_before_its_processes(delegated: Path) -> None:
    group = cgroup.Group.create(delegated, "run1", LIMITS)
    group.add([11, 12])
    files = {file.name: file.read_text() for file in group.path.iterdir()}
    assert files == {
        "memory.max": str(MOST),
        "memory.oom.group": "1",
        "pids.max": "42",
        "cgroup.procs": "12",
    }


@pytest.mark.parametrize(
    ("events", "whose"),
    [
        ("low 0\nmax 9\noom 0\noom_kill 0\n", None),
        ("low 0\nmax 9\noom 2\noom_kill 3\n", "memory"),
        ("low 0\nmax 0\noom 0\noom_kill 1\n", "machine_memory"),
    ],
)
def test_a_kill_at_the_runs_own_limit_differs_from_one_for_the_machines_memory(
    delegated: Path, events: str, whose: str | None
) -> None:
    group = cgroup.Group.create(delegated, "run1", LIMITS)
    (group.path / "memory.events").write_text(events)
    (group.path / "memory.peak").write_text("12345\n")
    assert group.out_of_memory() == whose
    assert group.peak_bytes() == 12345


# From here on by the kernel itself: `make test-cgroup` where this machine delegates nothing.
HOG = "kept = []\nwhile True: kept.append(bytearray(b'x') * (4 << 20))"
SOCKETS = """
    import socket
    kept = []
    while True:
        one, other = socket.socketpair()
        kept.append((one, other))
        one.setblocking(False)
        try:
            while True: one.send(bytes(1 << 16))
        except BlockingIOError: pass
"""
SHARED = """
    with open("/dev/shm/envyard-test", "wb") as file:
        while True: file.write(bytes(1 << 20))
"""


@pytest.fixture(scope="session")
def real(config: Config) -> Path:
    """A folder that the kernel lets us make groups in."""
    try:
        return cgroup.find(config.cgroup)
    except cgroup.NotDelegated as error:
        pytest.skip(f"{error}; `make test-cgroup` boots a machine that has it")


@pytest.fixture
def groups(real: Path) -> Iterator[ExitStack]:
    """Removes each group of a test at its end."""
    with ExitStack() as stack:
        yield stack


def grouped(groups: ExitStack, parent: Path, name: str) -> cgroup.Group:
    group = cgroup.Group.create(parent, f"{name}-{os.getpid()}", LIMITS)
    groups.callback(group.remove)
    return group


def started(group: cgroup.Group, code: str) -> subprocess.Popen[str]:
    """A program that goes on once it is in the group."""
    process = subprocess.Popen(
        [sys.executable, "-S", "-c", f"input()\n{textwrap.dedent(code)}"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    group.add([process.pid])
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.close()
    return process


@pytest.mark.parametrize("code", [HOG, SOCKETS, SHARED], ids=["own", "sockets", "files in memory"])
def test_the_kernel_ends_what_takes_more_memory_whatever_kind(
    groups: ExitStack, real: Path, code: str
) -> None:
    group = grouped(groups, real, "memory")
    try:
        with started(group, "import time\ntime.sleep(300)") as calm, started(group, code) as hog:
            assert (hog.wait(60), calm.wait(60)) == (-9, -9)  # the whole group
    finally:
        Path("/dev/shm/envyard-test").unlink(missing_ok=True)
    assert group.out_of_memory() == "memory"
    assert group.peak_bytes() in (0, *range(LIMITS.memory_bytes, MOST + 1))
    assert (group.path / "memory.max").read_text() == f"{MOST}\n"


def test_the_kernel_stops_forks_at_the_limit(groups: ExitStack, real: Path) -> None:
    code = """
        import os, time
        made = 0
        try:
            while True:
                if os.fork() == 0: time.sleep(300)
                made += 1
        except BlockingIOError: print(made, flush=True)
    """
    group = grouped(groups, real, "pids")
    with started(group, code) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == f"{LIMITS.pids + 1}\n"
        process.wait(60)
        group.remove()  # kills its children too
    assert not group.path.exists()


def test_a_parent_that_is_short_is_the_machines_fault(groups: ExitStack, real: Path) -> None:
    parent = cgroup.Group(real / f"envyard-short-{os.getpid()}")
    parent.path.mkdir()
    groups.callback(parent.remove)
    parent.set("memory.max", 16 * MIB)
    cgroup.find(parent.path)
    group = grouped(groups, parent.path, "within")
    with started(group, HOG) as hog:
        assert hog.wait(60) == -9
    assert group.out_of_memory() == "machine_memory"


def test_a_group_of_a_zombie_is_removed(groups: ExitStack, real: Path) -> None:
    group = grouped(groups, real, "zombie")
    with started(group, "") as process:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        began = time.monotonic()
        group.remove()
        assert not group.path.exists()
        assert time.monotonic() - began < 0.5


@pytest.mark.sandbox
def test_a_run_is_held_by_its_group_and_leaves_none(real: Path, run: Run) -> None:
    ran = run(HOG, replace(QUICK, memory_bytes=64 * MIB))
    assert (ran.exit.limited_by, ran.exit.reason) == ("cgroup2", "memory")
    assert list(real.glob("envyard-*")) == []


@pytest.mark.sandbox
def test_files_on_the_memory_file_systems_are_no_part_of_the_memory_limit(
    real: Path, run: Run
) -> None:
    code = """
        kept = bytearray(b'x') * (30 << 20)
        for folder in ('/tmp', '/dev/shm'):
            with open(f'{folder}/x', 'wb') as file: file.write(bytes(15 << 20))
    """
    ran = run(textwrap.dedent(code), replace(QUICK, memory_bytes=64 * MIB))
    assert (ran.exit.code, ran.exit.reason) == (0, "exited")
    assert 60 * MIB < ran.exit.peak_memory_bytes < 96 * MIB


@pytest.mark.sandbox
def test_a_run_whose_machine_lacks_memory_ends_as_machine_memory(
    groups: ExitStack, real: Path, config: Config, site: Path
) -> None:
    parent = cgroup.Group(real / f"envyard-short-{os.getpid()}")
    parent.path.mkdir()
    groups.callback(parent.remove)
    parent.set("memory.max", 64 * MIB)
    short = replace(config, cgroup=parent.path)
    ran = asyncio.run(contained(short, site, ["python", "-c", HOG], QUICK))
    assert ran.exit.reason == "machine_memory"


def test_the_group_that_a_killed_runner_left_is_removed(real: Path, config: Config) -> None:
    folder = OwnedDir.create(config.runs)
    group = cgroup.Group.create(real, folder.path.name, LIMITS)
    with started(group, "import time\ntime.sleep(300)") as left:
        os.close(folder.lock_fd)  # as when its runner dies
        assert reap_orphans(config) == 1
        assert left.wait(10) == -9
    assert not group.path.exists()
