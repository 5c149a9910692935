"""A sandbox from prepare to close: its uid, its log, its errors, and what it leaves."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import textwrap
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from envyard_runner.config import Config
from envyard_runner.sandbox import Exit, Sandbox, SandboxError
from envyard_runner.sandbox.uids import FIRST, LAST
from envyard_runner.sandbox.watchdog import start_time
from tests.worker.sandbox.conftest import QUICK, Run, contained, recorded_pids

pytestmark = pytest.mark.sandbox
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can change to another uid")


def prepare(config: Config, site: Path) -> Sandbox:
    return Sandbox.prepare(config=config, venv=site, files={}, limits=QUICK)


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@as_root
def test_two_runs_at_once_have_different_uids_and_neither_is_root(
    config: Config, site: Path
) -> None:
    async def both() -> tuple[int, int]:
        async with prepare(config, site) as first, prepare(config, site) as second:
            (await first.start(["sleep", "20"])).close()
            (await second.start(["sleep", "20"])).close()
            return first.uid, second.uid

    first, second = asyncio.run(both())
    assert first != second
    assert FIRST <= min(first, second) <= max(first, second) <= LAST


def test_nothing_is_left_after_a_run(run: Run, config: Config) -> None:
    run("print('first')")
    before = open_descriptors()
    run("open('/tmp/x', 'w').write('kept?')")
    assert run("import os; print(os.listdir('/tmp'), os.listdir('/dev/shm'))").log == "[] []\n"
    assert list(config.runs.iterdir()) == []
    assert open_descriptors() == before


def test_closing_early_kills_the_run(config: Config, site: Path) -> None:
    async def start_and_leave() -> int:
        async with prepare(config, site) as sandbox:
            (await sandbox.start(["sleep", "100"])).close()
            return recorded_pids(config)[0]

    began = time.monotonic()
    pid = asyncio.run(start_and_leave())
    assert time.monotonic() - began < 5
    assert start_time(pid) is None


def test_killing_is_reported_as_such(config: Config, site: Path) -> None:
    async def kill() -> str:
        async with prepare(config, site) as sandbox:
            (await sandbox.start(["sleep", "100"])).close()
            sandbox.kill()
            sandbox.kill("wall_clock")
            return (await sandbox.wait()).reason

    assert asyncio.run(kill()) == "killed"


def test_a_kill_by_the_machine_differs_from_one_by_the_environment(
    config: Config, site: Path, run: Run
) -> None:
    """The kernel's OOM killer may end bubblewrap; a program can only end what is inside."""

    async def kill_bubblewrap() -> tuple[str, int | None]:
        async with prepare(config, site) as sandbox:
            (await sandbox.start(["sleep", "100"])).close()
            os.kill(recorded_pids(config)[0], signal.SIGKILL)
            end = await sandbox.wait()
            return end.reason, end.signal

    assert asyncio.run(kill_bubblewrap()) == ("killed", signal.SIGKILL)
    ended = run("import os; os.kill(1, 9); os.kill(os.getpid(), 9)").exit
    assert (ended.reason, ended.signal) == ("exited", signal.SIGKILL)


def test_what_it_has_tried_and_taken_is_known_before_its_end(config: Config, site: Path) -> None:
    code = (
        "import socket, time\n"
        "try: socket.create_connection(('192.0.2.1', 443), 1)\n"
        "except OSError: print('refused', flush=True)\n"
        "time.sleep(100)"
    )

    async def look() -> tuple[Exit, Exit]:
        async with prepare(config, site) as sandbox:
            printed = asyncio.Event()
            sandbox.on_log = lambda _: printed.set()
            (await sandbox.start(["python", "-c", code])).close()
            await asyncio.wait_for(printed.wait(), 10)
            before = sandbox.so_far()
            sandbox.kill()
            await sandbox.wait()
            return before, sandbox.so_far()

    before, after = asyncio.run(look())
    assert (before.reason, after.reason) == ("exited", "killed")
    assert before.network_attempts == after.network_attempts
    assert before.network_attempts is None or before.network_attempts >= 1
    assert before.peak_memory_bytes > 0


def test_the_log_arrives_while_the_program_runs(config: Config, site: Path) -> None:
    async def first_words() -> bytes:
        async with prepare(config, site) as sandbox:
            chunks: asyncio.Queue[bytes] = asyncio.Queue()
            sandbox.on_log = chunks.put_nowait
            (await sandbox.start(["sh", "-c", "echo out; echo err >&2; sleep 100"])).close()
            response = b""
            while response.count(b"\n") < 2:
                response += await asyncio.wait_for(chunks.get(), 10)
            return response

    assert asyncio.run(first_words()) == b"out\nerr\n"


def test_a_half_written_event_is_not_reported(run: Run) -> None:
    ran = run("import os; os.write(int(os.environ['CHANNEL_FD']), b'one\\n\\ntwo\\nhalf')")
    assert ran.lines == [b"one", b"", b"two"]


def test_the_venv_follows_the_standard_library_and_hides_the_hosts_packages(
    config: Config, site: Path
) -> None:
    (site / "json.py").write_text("raise SystemExit('shadowed')", encoding="utf-8")
    try:
        code = (
            "import json, sys; print(sys.prefix, *sys.path[-1:], 'dist-packages' in str(sys.path))"
        )
        ran = asyncio.run(contained(config, site, ["python", "-c", code]))
    finally:
        (site / "json.py").unlink()
    prefix, last, sees_the_hosts = ran.log.split()
    assert (prefix, sees_the_hosts) == ("/venv", "False")
    assert last.endswith("/site-packages")


def test_a_program_that_does_not_exist_ends_the_run(config: Config, site: Path) -> None:
    ran = asyncio.run(contained(config, site, ["no-such-program"]))
    assert ran.exit.code == 127
    assert "No such file" in ran.log


def test_a_sandbox_is_only_started_from_the_main_thread(config: Config, site: Path) -> None:
    lines: list[str] = []

    def elsewhere() -> None:
        with pytest.raises(SandboxError, match="main thread") as caught:
            asyncio.run(contained(config, site, ["true"]))
        lines.append(str(caught.value))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert lines
    assert list(config.runs.iterdir()) == []


def test_without_bubblewrap_the_error_names_what_to_install(config: Config, site: Path) -> None:
    with pytest.raises(SandboxError, match="apt-get install bubblewrap"):
        asyncio.run(contained(replace(config, bwrap=Path("/nowhere/bwrap")), site, ["true"]))
    assert list(config.runs.iterdir()) == []


def test_bubblewraps_own_words_are_passed_on(config: Config, site: Path) -> None:
    wrong = Path(config.home / "bwrap")
    wrong.write_text(
        "#!/bin/sh\necho 'bwrap: Unknown option --size' >&2; exit 1\n", encoding="utf-8"
    )
    wrong.chmod(0o755)
    with pytest.raises(SandboxError, match=r"Unknown option --size; bubblewrap 0\.8 or newer"):
        asyncio.run(contained(replace(config, bwrap=wrong), site, ["true"]))


def test_where_the_machine_runs_out_of_memory_a_run_goes_first(run: Run) -> None:
    assert run("print(open('/proc/self/oom_score_adj').read())").log == "1000\n\n"


def test_a_machine_that_has_too_little_left_takes_the_run_back(run: Run) -> None:
    ran = run("import time; time.sleep(60)", replace(QUICK, reserve_bytes=1 << 60))
    assert ran.exit.reason == "machine_memory"
    assert ran.exit.seconds < 10


@as_root
def test_an_interpreter_in_a_closed_home_is_refused(config: Config, site: Path) -> None:
    home = config.home / "closed"
    home.mkdir(mode=0o700)
    (home / "python3").symlink_to("/usr/bin/python3")
    real = home / "python3.11"
    real.write_bytes(b"")
    with pytest.raises(SandboxError, match="RUNNER_PYTHON"):
        asyncio.run(contained(replace(config, python=real), site, ["true"]))


@as_root
def test_a_venv_in_a_closed_home_is_refused(config: Config, tmp_path: Path) -> None:
    tmp_path.parent.chmod(0o700)
    with pytest.raises(SandboxError, match="RUNNER_HOME"):
        prepare(config, tmp_path)


@as_root
def test_an_unprivileged_runner_contains_as_well(config: Config, site: Path) -> None:
    home = config.home / "unprivileged"
    home.mkdir()
    os.chown(home, LAST + 1, LAST + 1)
    runner = replace(config, home=home)
    # The checkout may be private: what is imported late is imported while we are root.
    asyncio.run(contained(config, site, ["true"]))
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setresgid(LAST + 1, LAST + 1, LAST + 1)
            os.setresuid(LAST + 1, LAST + 1, LAST + 1)
            ran, forks = (
                asyncio.run(contained(runner, site, ["python", "-c", code]))
                for code in (PROBE, FORKS)
            )
            Path(home / "said").write_text(f"{ran.log}{forks.log}", encoding="utf-8")
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    first, second = (home / "said").read_text(encoding="utf-8").splitlines()
    assert first == "1000 Network is unreachable"
    assert int(second) < QUICK.pids


PROBE = textwrap.dedent("""
    import os, socket
    try:
        socket.create_connection(('192.0.2.1', 80), 1)
    except OSError as error:
        print(os.getuid(), error.strerror)
""")
FORKS = textwrap.dedent("""
    import os, time
    made = 0
    try:
        while True:
            if os.fork() == 0: time.sleep(60)
            made += 1
    except BlockingIOError:
        print(made)
""")


def test_the_time_in_which_the_runner_is_stalled_is_measured(config: Config, site: Path) -> None:
    async def stopped() -> float:
        async with prepare(config, site) as sandbox:
            (await sandbox.start(["sleep", "2.5"])).close()
            await asyncio.sleep(0.3)
            time.sleep(1.5)  # noqa: ASYNC251  (nothing of the runner runs meanwhile)
            return (await sandbox.wait()).stalled_seconds

    assert 1.0 < asyncio.run(stopped()) < 2.5


def test_a_runner_without_descriptors_ends_the_run_as_its_own_fault(
    config: Config, site: Path
) -> None:
    async def exhausted() -> Exit:
        async with prepare(config, site) as sandbox:
            (await sandbox.start(["sleep", "20"])).close()
            before = resource.getrlimit(resource.RLIMIT_NOFILE)
            resource.setrlimit(resource.RLIMIT_NOFILE, (4, before[1]))
            try:
                return await sandbox.wait()
            finally:
                resource.setrlimit(resource.RLIMIT_NOFILE, before)

    end = asyncio.run(exhausted())
    assert end.reason == "killed"
    assert "Too many open files" in end.lacking
