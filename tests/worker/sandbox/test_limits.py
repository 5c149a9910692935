"""A program that exceeds a limit is ended in time with the reason, and the next run works."""

from __future__ import annotations

import asyncio
import os
import resource
import textwrap
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from envyard_runner.config import Config
from envyard_runner.limits import OPEN_FILES, Limits
from tests.worker.left_over import processes_of
from tests.worker.sandbox.conftest import MIB, QUICK, Ran, Run, contained

pytestmark = pytest.mark.sandbox


@pytest.fixture
def run(run: Run) -> Iterator[Run]:
    """After every hostile run nothing of it is left and a harmless one works."""
    uids = set()

    def remembered(code: str, limits: Limits = QUICK) -> Ran:
        ran = run(code, limits)
        uids.add(ran.uid)
        return ran

    yield remembered
    assert processes_of(uids) == []
    after = run("print('fine')")
    assert (after.exit.code, after.exit.reason, after.log) == (0, "exited", "fine\n")


def test_an_endless_loop_meets_the_wall_clock(run: Run) -> None:
    ran = run("import time\nwhile True: time.sleep(1)", replace(QUICK, wall_seconds=1))
    assert (ran.exit.reason, ran.exit.code, ran.exit.signal) == ("wall_clock", None, 9)
    assert 1 <= ran.exit.seconds < 8


def test_a_busy_loop_meets_the_processor_limit(run: Run) -> None:
    ran = run("while True: pass", replace(QUICK, cpu_seconds=1))
    assert ran.exit.reason == "cpu"


def test_a_watchdog_that_looks_late_still_names_the_limit(config: Config, site: Path) -> None:
    async def looking_late() -> Ran:
        asyncio.get_running_loop().call_later(0.8, time.sleep, 6.0)
        limits = replace(QUICK, cpu_seconds=1)
        return await contained(config, site, ["python", "-c", "while True: pass"], limits)

    assert asyncio.run(looking_late()).exit.reason == "cpu"


def test_processor_seconds_are_summed_over_short_lived_children(run: Run) -> None:
    code = """
        import os, time
        while True:
            if os.fork() == 0:
                until = time.process_time() + 0.2
                while time.process_time() < until: pass
                os._exit(0)
            os.wait()
    """
    ran = run(textwrap.dedent(code), replace(QUICK, cpu_seconds=1))
    assert ran.exit.reason == "cpu"


def test_a_fork_bomb_stops_at_the_limit(run: Run) -> None:
    code = """
        import os, time
        made = 0
        try:
            while True:
                if os.fork() == 0: time.sleep(60)
                made += 1
        except BlockingIOError:
            print(made)
    """
    ran = run(textwrap.dedent(code))
    assert ran.exit.reason == "exited"
    assert 20 < int(ran.log) < QUICK.pids


def test_a_fork_bomb_that_never_ends_is_killed_whole(run: Run) -> None:
    code = """
        import os
        while True:
            try: os.fork()
            except BlockingIOError: pass
    """
    ran = run(textwrap.dedent(code), replace(QUICK, wall_seconds=1.5))
    assert ran.exit.reason in ("wall_clock", "cpu", "memory")
    assert ran.exit.seconds < 8


def test_one_process_cannot_take_more_memory(run: Run) -> None:
    ran = run(
        "import time\nx = bytearray(400 << 20)\nx[::4096] = b'x' * len(x[::4096])\ntime.sleep(20)"
    )
    assert ran.exit.reason == "memory"
    assert ran.exit.seconds < 10


def test_many_processes_cannot_take_more_memory_together(run: Run) -> None:
    code = """
        import os, time
        for _ in range(16):
            if os.fork() == 0: break
        x = os.urandom(40 << 20)
        time.sleep(20)
    """
    ran = run(textwrap.dedent(code))
    assert ran.exit.reason == "memory"
    assert ran.exit.seconds < 10


def test_many_processes_do_not_delay_the_next_look_at_memory(run: Run) -> None:
    code = """
        import mmap, os, signal, time
        x = os.urandom(100 << 20)
        kinds = (mmap.PROT_READ, mmap.PROT_READ | mmap.PROT_WRITE)  # neighbours are not merged
        maps = [mmap.mmap(-1, 4096, mmap.MAP_PRIVATE, kinds[n % 2]) for n in range(20_000)]
        children = []
        for _ in range(200):
            if not (child := os.fork()):
                time.sleep(60)
                os._exit(0)
            children.append(child)
        time.sleep(1)
        for child in children: os.kill(child, signal.SIGKILL); os.waitpid(child, 0)
        y = os.urandom(600 << 20)
        until = time.process_time() + 1  # under load the runner is as slow as this loop
        while time.process_time() < until: pass
        print("had it all")
    """
    limits = replace(QUICK, memory_bytes=512 * MIB, pids=300, files=2048, cpu_seconds=60)
    limits = replace(limits, wall_seconds=100)
    ran = run(textwrap.dedent(code), limits)
    assert ran.exit.reason == "memory", ran.log


def test_pages_shared_by_forks_are_counted_once(run: Run) -> None:
    code = """
        import os, time
        x = os.urandom(100 << 20)
        children = []
        for _ in range(4):
            if not (child := os.fork()):
                time.sleep(1)
                os._exit(0)
            children.append(child)
        for child in children: os.waitpid(child, 0)
    """
    ran = run(textwrap.dedent(code))
    assert (ran.exit.reason, ran.exit.code) == ("exited", 0)
    assert ran.exit.peak_memory_bytes < QUICK.memory_bytes


@pytest.mark.parametrize(
    "hidden",
    [
        "import os; os.memfd_create('x')",
        "import mmap; mmap.mmap(-1, 1 << 20)",
        "import mmap; mmap.mmap(open('/dev/zero', 'r+b').fileno(), 1 << 20)",
    ],
)
def test_memory_that_no_process_shows_cannot_be_had(run: Run, hidden: str) -> None:
    ran = run(hidden)
    assert ran.exit.code == 1
    assert "Error" in ran.log


@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm"])
def test_a_disk_filler_meets_a_full_disk(run: Run, folder: str) -> None:
    code = f"""
        import itertools
        written = 0
        try:
            for n in itertools.count():
                with open(f'{folder}/{{n}}', 'wb') as file:
                    written += file.write(bytes(1 << 20))
        except OSError as error:
            print(error.strerror, written >> 20)
    """
    ran = run(textwrap.dedent(code))
    assert ran.log == "No space left on device 16\n"


def test_a_file_cannot_grow_past_its_limit(run: Run) -> None:
    code = """
        import signal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        open('/tmp/x', 'wb').write(bytes(9 << 20))
    """
    ran = run(textwrap.dedent(code), replace(QUICK, file_bytes=8 * MIB))
    assert "File too large" in ran.log


def test_one_process_cannot_hold_more_descriptors_than_a_run(run: Run) -> None:
    code = """
        import os, time
        try:
            while True: os.dup(0)
        except OSError: time.sleep(60)
    """
    ran = run(textwrap.dedent(code))
    assert ran.exit.reason == "descriptors"


def test_libraries_that_require_many_open_files_find_them_allowed(run: Run) -> None:
    """Fewer only where the machine itself allows fewer."""
    ran = run("import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE))")
    _, allowed = resource.getrlimit(resource.RLIMIT_NOFILE)
    expected = OPEN_FILES if allowed == resource.RLIM_INFINITY else min(OPEN_FILES, allowed)
    assert ran.log.strip() == f"({expected}, {expected})"


def test_a_flood_of_empty_files_ends_the_run(run: Run) -> None:
    """They fit into no space at all, and each takes a KiB of the kernel's memory."""
    ran = run("import itertools\nfor n in itertools.count(): open(f'/tmp/{n}', 'w').close()")
    assert ran.exit.reason == "files"


def test_sockets_with_full_buffers_cannot_be_piled_up_without_end(run: Run) -> None:
    code = """
        import os, socket, time
        for _ in range(12):
            if os.fork() == 0: break
        kept = []
        try:
            while True:
                kept.append(socket.socketpair())
                kept[-1][0].setblocking(False)
                try:
                    while True: kept[-1][0].send(bytes(1 << 16))
                except BlockingIOError: pass
        except OSError: time.sleep(30)
    """
    ran = run(textwrap.dedent(code))
    assert ran.exit.reason == "descriptors"
    assert ran.exit.seconds < 10


def test_limits_that_a_run_reached_and_survived_are_reported(run: Run) -> None:
    code = """
        import os, time
        with open('/tmp/full', 'wb', buffering=0) as file:
            try:
                while file.write(bytes(1 << 20)): pass
            except OSError: pass
        try:
            while os.fork(): pass
        except BlockingIOError: pass
        time.sleep(1)
    """
    assert set(run(textwrap.dedent(code)).exit.reached) == {"its processes", "its space on /tmp"}


def test_a_log_flood_is_slowed_to_its_end_and_harms_nobody(run: Run) -> None:
    code = """
        import sys, time
        until = time.time() + 1
        while time.time() < until: sys.stdout.write('x' * 65536)
        print('end')
    """
    ran = run(textwrap.dedent(code))
    assert (ran.exit.code, ran.exit.reason) == (0, "exited")
    assert QUICK.log_bytes < len(ran.log) < 8 << 20
    assert ran.log.endswith("xend\n")


@pytest.mark.parametrize("line", ["b'{}\\n' * 10000", "b'x' * 65536"], ids=["lines", "one line"])
def test_an_events_flood_ends_the_run(run: Run, line: str) -> None:
    ran = run(f"import os\nfd = int(os.environ['CHANNEL_FD'])\nwhile True: os.write(fd, {line})")
    assert ran.exit.reason == "events_flood"
    assert sum(map(len, ran.lines)) <= QUICK.events_bytes


def test_a_daemon_does_not_outlive_the_program(run: Run) -> None:
    code = """
        import os, time
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                while True: time.sleep(1)
            os._exit(0)
        print('gone')
    """
    began = time.monotonic()
    ran = run(textwrap.dedent(code))
    assert (ran.exit.code, ran.log) == (0, "gone\n")
    assert time.monotonic() - began < 10


def test_a_daemon_that_ignores_every_signal_does_not_survive_the_kill(run: Run) -> None:
    code = """
        import os, signal, time
        for number in range(1, 65):
            try: signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError): pass
        if os.fork() == 0:
            os.setsid()
            if os.fork(): os._exit(0)
        while True: time.sleep(1)
    """
    ran = run(textwrap.dedent(code), replace(QUICK, wall_seconds=1))
    assert ran.exit.reason == "wall_clock"


def test_killing_everyone_inside_reaches_nobody_outside(run: Run) -> None:
    code = """
        import os, signal, time
        child = os.fork()
        if not child: time.sleep(60)
        os.kill(-1, signal.SIGKILL)
        print(os.waitpid(child, 0)[1])
        os.kill(1, signal.SIGKILL)
        print('alone')
    """
    assert run(textwrap.dedent(code)).log == "9\nalone\n"


def test_a_crash_differs_from_an_exit_code(run: Run) -> None:
    crashed = run("import os; os.kill(os.getpid(), 11)").exit
    assert (crashed.code, crashed.signal, crashed.reason) == (None, 11, "exited")
    assert run("raise SystemExit(3)").exit.code == 3


def test_a_foreign_system_call_kills_its_caller(run: Run) -> None:
    if os.uname().machine != "x86_64":
        pytest.skip("x32 calls exist on x86_64 only")
    ran = run("import ctypes; ctypes.CDLL(None).syscall(0x40000000 + 39); print('alive')")
    assert "alive" not in ran.log
    assert ran.exit.signal == 31


def test_threads_pools_and_loopback_servers_work(run: Run) -> None:
    code = """
        import asyncio, multiprocessing, sys, threading
        async def main():
            async def echo(reader, writer):
                writer.write(await reader.readline())
                writer.close()
            server = await asyncio.start_server(echo, '127.0.0.1', 0)
            port = server.sockets[0].getsockname()[1]
            reader, writer = await asyncio.open_connection('localhost', port)
            writer.write(b'loop\\n')
            print((await reader.read()).decode().strip())
            program = [sys.executable, '-c', 'print("child")']
            child = await asyncio.create_subprocess_exec(*program, stdout=-1)
            print((await child.communicate())[0].decode().strip())
            print((await asyncio.to_thread(threading.current_thread)).name[:7])
        asyncio.run(main())
        with multiprocessing.get_context('fork').Pool(2) as pool:
            print(pool.map(abs, [-1, -2]))
    """
    ran = run(textwrap.dedent(code))
    assert ran.log == "loop\nchild\nasyncio\n[1, 2]\n"
