"""A sandbox from prepare to close: its uid, what it leaves, and runners that are killed."""

from __future__ import annotations

import asyncio
import os
import resource
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from envyard_runner.config import Config
from envyard_runner.sandbox import Exit, Sandbox, SandboxError, reap_orphans
from envyard_runner.sandbox.run import INSIDE
from envyard_runner.sandbox.rundir import PROCESSES, OwnedDir
from envyard_runner.sandbox.uids import FIRST, LAST
from envyard_runner.sandbox.watchdog import start_time
from tests.worker.sandbox.conftest import QUICK, Run, contained

pytestmark = pytest.mark.sandbox
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can change to another uid")


def prepare(config: Config, site: Path) -> Sandbox:
    return Sandbox.prepare(config=config, venv=site, job=b"{}", limits=QUICK)


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def recorded(config: Config) -> list[int]:
    """The processes that the only run's folder names."""
    (folder,) = config.runs.iterdir()
    return [int(line.split()[0]) for line in (folder / PROCESSES).read_text().splitlines()]


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
            return recorded(config)[0]

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
            os.kill(recorded(config)[0], signal.SIGKILL)
            end = await sandbox.wait()
            return end.reason, end.signal

    assert asyncio.run(kill_bubblewrap()) == ("killed", signal.SIGKILL)
    ended = run("import os; os.kill(1, 9); os.kill(os.getpid(), 9)").exit
    assert (ended.reason, ended.signal) == ("exited", signal.SIGKILL)


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
    ran = run("import os; os.write(int(os.environ['ENVYARD_EVENTS_FD']), b'one\\n\\ntwo\\nhalf')")
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
    assert ran.exit.code == 1
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


RUNNER = """
import asyncio, sys
from pathlib import Path
from envyard_runner.config import Config
from envyard_runner.limits import Limits
from envyard_runner.sandbox import Sandbox

async def main():
    config = Config.from_environment()
    sandbox = Sandbox.prepare(config=config, venv=Path(sys.argv[1]), job=b"{}", limits=Limits())
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


def gone(pids: list[int]) -> bool:
    until = time.monotonic() + 10
    while time.monotonic() < until:
        if all(start_time(pid) is None for pid in pids):
            return True
        time.sleep(0.05)
    return False


def test_a_killed_runners_sandbox_dies_with_it_and_its_folder_is_cleared(
    runner: subprocess.Popen[str], config: Config
) -> None:
    pids = recorded(config)
    assert reap_orphans(config) == 0  # its runner lives
    runner.send_signal(signal.SIGKILL)
    runner.wait()
    assert gone(pids)
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


def test_a_folder_that_another_runner_has_just_removed_is_passed_over(config: Config) -> None:
    config.runs.mkdir(parents=True, exist_ok=True)
    (config.runs / "gone").symlink_to("nowhere")
    assert reap_orphans(config) == 0


@as_root
def test_an_unprivileged_runner_contains_as_well(config: Config, site: Path) -> None:
    home = config.home / "unprivileged"
    home.mkdir()
    os.chown(home, LAST + 1, LAST + 1)
    runner = replace(config, home=home)
    # The checkout may be private: what is read or imported late is brought near while we are root.
    inside = shutil.copytree(INSIDE, config.home / "inside")
    asyncio.run(contained(config, site, ["true"], inside=inside))
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setresgid(LAST + 1, LAST + 1, LAST + 1)
            os.setresuid(LAST + 1, LAST + 1, LAST + 1)
            ran, forks = (
                asyncio.run(contained(runner, site, ["python", "-c", code], inside=inside))
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
