"""Wheels that exhaust a resource or refuse to end: ended, named in a finding, and removed.

Their code runs the moment anything of the wheel is imported, long before there is a task.
"""

from __future__ import annotations

import textwrap
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.worker.attacks.conftest import Attack, Runner, import_time_files
from tests.worker.left_over import processes_of
from tests.worker.sandbox.conftest import MIB

pytestmark = pytest.mark.sandbox
END = "\nraise SystemExit('the end')\n"
INHERITED = """
import os
channel = int(open("/proc/self/cmdline").read().split("\\0")[-2])
"""


@pytest.fixture
def attack(runner: Runner) -> Iterator[Any]:
    """Performs one wheel; afterwards nothing of it is left, and the runner still performs."""
    uids: list[int] = []

    def perform(source: str, *, dies: bool = False, **limits: Any) -> Attack:
        program = textwrap.dedent(source) + (END if dies else "")
        attack = runner.perform("bomb", import_time_files("bomb", program), **limits)
        uids.extend(attack.uids)
        return attack

    yield perform
    assert processes_of(uids) == []
    after = runner.perform("calm", import_time_files("calm", "raise SystemExit('calm')"))
    assert after.outcome.result == ("failed", ["run.import_failed"])
    assert after.codes["run.import_failed"]["message"] == "SystemExit: calm"
    assert list(runner.config().runs.iterdir()) == []


def ended(attack: Attack, *codes: str) -> dict[str, Any]:
    """The first finding of a run that failed for one of these reasons, which its log names."""
    assert attack.outcome.ending.outcome == "failed"
    finding: dict[str, Any] = attack.outcome.hub.endings[0]["findings"][0]
    assert finding["code"] in codes, finding
    assert f"[runner] {finding['code']}: " in attack.outcome.hub.log
    return finding


def test_a_fork_bomb_is_held_and_ended(attack: Any) -> None:
    done = attack(
        """
        import os
        while True:
            try: os.fork()
            except OSError: pass
        """,
        wall_seconds=3.0,
    )
    ended(done, "run.wall_clock", "run.cpu", "run.memory")
    assert "its processes" in done.codes["isolation.limits_reached"]["message"]


def test_a_memory_bomb_of_many_processes_is_ended(attack: Any) -> None:
    done = attack(
        """
        import os, time
        for _ in range(8):
            if os.fork() == 0: break
        kept = os.urandom(40 << 20)
        time.sleep(60)
        """,
        memory_bytes=128 * MIB,
    )
    assert "more memory than its limit" in ended(done, "run.memory")["message"]


def test_descriptors_of_one_process_end_the_run(attack: Any) -> None:
    done = attack(
        """
        import os, time
        try:
            while True: os.dup(0)
        except OSError: time.sleep(60)
        """
    )
    ended(done, "run.descriptors")


def test_a_socket_bomb_is_ended(attack: Any) -> None:
    done = attack(
        """
        import os, socket, time
        for _ in range(7):
            if os.fork() == 0: break
        kept = []
        try:
            while True: kept.append(socket.socketpair())
        except OSError: time.sleep(60)
        """
    )
    ended(done, "run.descriptors")


def test_a_full_disk_is_full_for_nobody_else(attack: Any) -> None:
    done = attack(
        """
        import time
        for folder in ("/tmp", "/dev/shm"):
            try:
                with open(f"{folder}/filled", "wb", buffering=0) as file:
                    while file.write(bytes(1 << 20)): pass
            except OSError as error: print(folder, error.strerror, flush=True)
        time.sleep(1)
        """,
        dies=True,
    )
    ended(done, "run.import_failed")
    assert "its space on /tmp" in done.codes["isolation.limits_reached"]["message"]
    assert "its space on /dev/shm" in done.codes["isolation.limits_reached"]["message"]


def test_an_inode_bomb_is_ended(attack: Any) -> None:
    done = attack(
        "import itertools\nfor n in itertools.count(): open(f'/tmp/{n}', 'w').close()",
        tmp_bytes=4 * MIB,
    )
    ended(done, "run.files")


def test_a_log_bomb_is_cut_and_the_runners_words_still_come(attack: Any) -> None:
    done = attack(
        "import sys\nfor _ in range(2000): sys.stdout.write('x' * 1023 + '\\n')", dies=True
    )
    ended(done, "run.import_failed")
    log = done.outcome.hub.log
    assert len(log) < 300 << 10
    assert "characters are left out here\n" in log


def test_an_event_bomb_ends_the_run(attack: Any) -> None:
    line = """b'{"event": "rollout", "x": "' + b"x" * 60_000 + b'"}\\n'"""
    done = attack(INHERITED + f"while True: os.write(channel, {line})")
    ended(done, "run.flooded")


def test_killing_its_process_is_the_environments_own_death(attack: Any) -> None:
    done = attack("import os, time\nos.kill(os.getpid(), 9)\ntime.sleep(60)")
    ended(done, "run.killed")


def test_a_last_word_forged_by_the_environment_blames_nobody_else(attack: Any) -> None:
    forged = b'{"event": "fatal", "stage": "run", "error": {"type": "Bug", "fault": "platform"}}'
    done = attack(INHERITED + f"os.write(channel, {forged!r} + b'\\n')", dies=True)
    ended(done, "run.crashed")


def test_what_ignores_every_signal_does_not_survive_the_kill(attack: Any) -> None:
    began = time.monotonic()
    done = attack(
        """
        import os, signal, time
        for number in range(1, 65):
            try: signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError): pass
        if os.fork() == 0:
            os.setsid()
            if os.fork(): os._exit(0)
        while True: time.sleep(1)
        """,
        wall_seconds=3.0,
    )
    ended(done, "run.wall_clock")
    assert time.monotonic() - began < 60


def test_a_daemon_ends_with_its_run(attack: Any) -> None:
    done = attack(
        """
        import os, time
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                while True: time.sleep(1)
            os._exit(0)
        """,
        dies=True,
    )
    ended(done, "run.import_failed")


def test_a_flood_of_refused_calls_is_counted_and_holds_nobody_up(attack: Any) -> None:
    done = attack(
        "import ctypes\nlibc = ctypes.CDLL(None)\nfor _ in range(5000): libc.ptrace(0, 0, 0, 0)",
        dies=True,
    )
    ended(done, "run.import_failed")
    assert done.codes["isolation.refused_calls"]["details"]["calls"] == {"ptrace": 5000}


def test_attributes_of_files_count_as_files(attack: Any) -> None:
    done = attack(
        """
        import itertools, os
        for n in itertools.count():
            open(f"/tmp/{n}", "w").close()
            for key in range(64): os.setxattr(f"/tmp/{n}", f"user.{key}", bytes(60_000))
        """,
        tmp_bytes=4 * MIB,
    )
    ended(done, "run.files", "run.import_failed")  # kernels before 6.6 have none on tmpfs


def test_folders_without_bottom_are_ended_and_gone(attack: Any) -> None:
    done = attack(
        """
        import os
        os.chdir("/tmp")
        while True:
            os.mkdir("x" * 255)
            os.chdir("x" * 255)
        """,
        tmp_bytes=4 * MIB,
    )
    ended(done, "run.files")


def test_files_with_holes_and_reserved_ones_are_no_larger_than_any(attack: Any) -> None:
    done = attack(
        """
        import os, signal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        fd = os.open("/tmp/x", os.O_CREAT | os.O_RDWR)
        for grow in (lambda: os.truncate(fd, 1 << 40), lambda: os.posix_fallocate(fd, 0, 1 << 40)):
            try: grow()
            except OSError as error: print(error.strerror, flush=True)
        """,
        dies=True,
    )
    ended(done, "run.import_failed")
    assert done.outcome.hub.log.count("File too large") >= 2


def test_children_that_nobody_waits_for_meet_the_limit(attack: Any) -> None:
    done = attack(
        """
        import os, time
        try:
            while os.fork(): pass
            os._exit(0)
        except BlockingIOError: time.sleep(1)
        """,
        dies=True,
    )
    ended(done, "run.import_failed")
    assert "its processes" in done.codes["isolation.limits_reached"]["message"]


def test_stopping_its_process_stops_no_clock(attack: Any) -> None:
    done = attack(
        "import os, signal, time\nos.kill(os.getpid(), signal.SIGSTOP)\ntime.sleep(60)",
        wall_seconds=3.0,
    )
    ended(done, "run.wall_clock")


def test_a_bomb_behind_an_odd_name_is_seen(attack: Any) -> None:
    done = attack(
        """
        import ctypes, os, time
        ctypes.CDLL(None).prctl(15, b") R 1 (\\n", 0, 0, 0)
        kept = os.urandom(200 << 20)
        time.sleep(60)
        """,
        memory_bytes=128 * MIB,
    )
    ended(done, "run.memory")


def test_more_connections_than_the_gateway_takes_harm_nobody(attack: Any) -> None:
    done = attack(
        """
        import os, socket, time
        kept = []
        try:
            while len(kept) < 900:
                kept.append(socket.create_connection(("127.0.0.1", 8000), 2))
                kept[-1].send(b"POST /v1/models HTTP/1.1\\r\\nContent-Le")
        except OSError: pass
        """,
        dies=True,
    )
    ended(done, "run.import_failed")
