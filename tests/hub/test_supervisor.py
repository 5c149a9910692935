"""The supervisor: children come back, end with it, and are found after it was killed."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hub import supervisor

pytestmark = pytest.mark.once

SLEEPER = ["sleep", "600"]
# A leader that ignores SIGTERM and has a child of its own, which does too.
STUBBORN = """
import signal, subprocess, time
for number in (signal.SIGTERM, signal.SIGQUIT):
    signal.signal(number, signal.SIG_IGN)
subprocess.Popen(["sleep", "600"])
time.sleep(600)
"""


def until(true: Callable[[], object], seconds: float = 15) -> None:
    """Wait until something holds; fail when it does not in time."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.05)


def child(tmp_path: Path, command: list[str], name: str = "one") -> supervisor.Child:
    return supervisor.Child(name, command, dict(os.environ), tmp_path / f"{name}.log")


@pytest.fixture
def lines() -> list[str]:
    return []


def test_a_child_that_ends_is_started_again_after_a_pause(tmp_path: Path, lines: list[str]) -> None:
    watcher = supervisor.Supervisor(tmp_path, lines.append)
    first = child(tmp_path, SLEEPER)
    watcher.start(first)
    try:
        assert first.popen
        pid = first.popen.pid
        os.kill(pid, signal.SIGKILL)
        until(lambda: watcher.restart_ended() or lines)
        assert "one ended (SIGKILL), restarting in 1 s" in lines[0]
        until(lambda: watcher.restart_ended() or first.popen)
        assert first.popen.pid != pid
    finally:
        watcher.stop()
    assert first.popen is None


def test_a_child_that_keeps_failing_waits_longer_each_time(
    tmp_path: Path, lines: list[str]
) -> None:
    watcher = supervisor.Supervisor(tmp_path, lines.append)
    watcher.start(child(tmp_path, ["false"]))
    until(lambda: watcher.restart_ended() or len(lines) == 2)
    watcher.stop()
    assert [line.split(";")[0] for line in lines] == [
        "one ended (exit 1), restarting in 1 s",
        "one ended (exit 1), restarting in 2 s",
    ]


def test_stop_ends_a_stubborn_tree_to_the_last_process(tmp_path: Path, lines: list[str]) -> None:
    watcher = supervisor.Supervisor(tmp_path, lines.append)
    stubborn = child(tmp_path, [sys.executable, "-c", STUBBORN])
    watcher.start(stubborn)
    assert stubborn.popen
    leader = stubborn.popen.pid
    until(lambda: len(supervisor.session_members(leader, stubborn.started)) == 2)
    watcher.stop()
    assert supervisor.session_members(leader, stubborn.started) == []
    assert not list(tmp_path.glob("*.pid"))


def test_supervisor_stops_dependent_programs_last_and_the_others_at_once(
    tmp_path: Path, lines: list[str]
) -> None:
    """Each records its stop signal; the first two go on for a while."""
    note = "date +%s.%N >> {}.told; sleep {}; exit"
    script = 'trap "{}" TERM; while :; do sleep 0.05; done'
    watcher = supervisor.Supervisor(tmp_path, lines.append)
    for name, lasts in (("web", 0), ("worker", 1), ("runner", 1)):
        command = note.format(tmp_path / name, lasts)
        started = child(tmp_path, ["sh", "-c", script.format(command)], name)
        started.outlives = "runner" if name == "web" else ""
        watcher.start(started)
    time.sleep(0.5)  # each has set its trap
    watcher.stop()
    web, worker, runner = (
        float((tmp_path / f"{name}.told").read_text()) for name in ("web", "worker", "runner")
    )
    assert abs(worker - runner) < 0.9 < web - runner


def test_kill_now_kills_all_processes_immediately(tmp_path: Path, lines: list[str]) -> None:
    watcher = supervisor.Supervisor(tmp_path, lines.append)
    for name in ("one", "two"):
        watcher.start(child(tmp_path, [sys.executable, "-c", STUBBORN], name))
    watcher.children[0].outlives = "two"
    leaders = [entry.popen.pid for entry in watcher.children if entry.popen]

    def living() -> int:
        return sum(process.session in leaders for process in supervisor.processes())

    until(lambda: living() == 4)
    stopping = threading.Thread(target=watcher.stop)
    stopping.start()
    time.sleep(0.3)
    assert living() == 4
    began = time.monotonic()
    watcher.kill_now = True
    stopping.join()
    assert time.monotonic() - began < supervisor.STOP_SIGNALS[1][0]
    assert living() == 0
    assert not list(tmp_path.glob("*.pid"))
    assert not lines


def test_leftovers_of_a_killed_supervisor_are_ended_even_without_their_leader(
    tmp_path: Path,
) -> None:
    """The leader dies at once; only its child, in the same session, is left to find."""
    orphaned = subprocess.Popen(
        ["sh", "-c", "sleep 600 & echo $!; exec sleep 0.2"],
        start_new_session=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert orphaned.stdout
    with orphaned.stdout:
        grandchild = int(orphaned.stdout.readline())
    head = supervisor.process(orphaned.pid)
    assert head
    (tmp_path / "web.pid").write_text(f"{head.pid} {head.started}\n")
    orphaned.wait()
    assert supervisor.process(grandchild)
    assert supervisor.end_leftovers(tmp_path) == ["web"]
    assert supervisor.process(grandchild) is None
    assert not list(tmp_path.glob("*.pid"))


def test_a_stranger_who_got_the_number_later_is_left_alone(tmp_path: Path) -> None:
    other_process = subprocess.Popen(SLEEPER, start_new_session=True)
    try:
        process = supervisor.process(other_process.pid)
        assert process
        (tmp_path / "web.pid").write_text(f"{other_process.pid} {process.started - 1}\n")
        assert supervisor.end_leftovers(tmp_path) == []
        assert other_process.poll() is None
    finally:
        other_process.kill()
        other_process.wait()


def test_children_die_with_a_supervisor_that_was_killed(tmp_path: Path) -> None:
    script = (
        "import os, pathlib, sys, time; from hub.supervisor import Child, Supervisor;"
        "home = pathlib.Path(sys.argv[1]); s = Supervisor(home, print);"
        "s.start(Child('web', ['sleep', '600'], dict(os.environ), home / 'log')); time.sleep(600)"
    )
    killed = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)])
    file = tmp_path / "web.pid"
    until(lambda: file.exists() and len(file.read_text().split()) == 2)
    pid = int(file.read_text().split()[0])
    assert supervisor.process(pid)
    killed.kill()
    killed.wait()
    until(lambda: supervisor.process(pid) is None)
