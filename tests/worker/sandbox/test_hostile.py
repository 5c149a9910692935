"""A hostile environment reaches the gateway's door and its own /tmp, and nothing else."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from envyard_runner.config import Config
from tests.ports import free_port
from tests.worker.sandbox.conftest import Ran, contained

pytestmark = pytest.mark.sandbox
PORT = free_port()


@pytest.fixture(scope="module")
def ran(config: Config, site: Path) -> Iterator[Ran]:
    """The hostile environment's one run, on a host that has something to lose."""
    secret = config.home / "secret.txt"
    secret.write_text("the runner's token", encoding="utf-8")
    os.environ["AWS_SECRET_ACCESS_KEY"] = "leaked"  # as a careless operator's runner would have it
    with socket.socket() as server, socket.socket(socket.AF_UNIX) as local:
        server.bind(("127.0.0.1", PORT))
        server.listen()
        local.bind(f"\0envyard-test-{os.getpid()}")
        local.listen()
        inherited = os.open("/", os.O_RDONLY)
        os.set_inheritable(inherited, True)
        job = {
            "task": "steal",
            "pid": os.getpid(),
            "port": PORT,
            "socket": f"envyard-test-{os.getpid()}",
            "home": str(config.home),
            "files": [str(secret), str(config.home), str(Path(__file__)), "/etc/machine-id"],
        }
        try:
            yield asyncio.run(
                contained(config, site, ["python", "-m", "hostile"], host=json.dumps(job).encode())
            )
        finally:
            os.close(inherited)
            del os.environ["AWS_SECRET_ACCESS_KEY"]


@pytest.fixture(scope="module")
def report(ran: Ran) -> dict[str, Any]:
    """The attempts that the hostile environment reports as successful."""
    assert len(ran.lines) == 1, ran.log
    body: dict[str, Any] = json.loads(ran.lines[0])
    return body


def test_what_an_environment_needs_works(report: dict[str, Any]) -> None:
    failed = {name: text for name, (how, text) in report["must"].items() if how != "reached"}
    assert failed == {}


def test_nothing_hostile_succeeds(report: dict[str, Any]) -> None:
    assert len(report["attempts"]) > 80
    reached = {name: text for name, (how, text) in report["attempts"].items() if how == "reached"}
    assert reached == {}


def test_the_runners_variables_stay_outside(report: dict[str, Any]) -> None:
    assert "leaked" not in json.dumps(report)


def test_the_program_is_nobody_in_particular(report: dict[str, Any]) -> None:
    uid, gid, groups, host = report["ids"]
    assert (uid, gid, host) == (1000, 1000, "sandbox")
    assert 0 not in groups


def test_the_run_ends_well_and_counts_what_it_tried_on_the_network(ran: Ran) -> None:
    assert (ran.exit.code, ran.exit.reason) == (0, "exited")
    assert ran.exit.network_attempts is not None
    assert ran.exit.network_attempts >= 4


def test_what_it_tried_has_a_name(ran: Ran) -> None:
    assert {"1.1.1.1:443", "169.254.169.254:80", "10.0.0.1:22", "8.8.8.8:53"} <= set(
        ran.exit.targets
    )
    assert "[2606:4700:4700::1111]:443" in ran.exit.targets
    refused = ran.exit.refused_calls
    assert refused is not None
    assert {
        "ptrace", "process_vm_readv", "mount", "umount2", "chroot", "unshare", "sethostname",
        "memfd_create", "shmget", "clone of a namespace", "ioctl that types into a terminal",
        "socket AF_VSOCK", "socket AF_PACKET", "socket AF_INET SOCK_RAW", "socketpair AF_VSOCK",
    } <= set(refused)  # fmt: skip
    if os.uname().machine == "x86_64":
        assert {"keyctl", "bpf", "io_uring_setup", "userfaultfd", "pidfd_getfd"} <= set(refused)
    assert refused["ptrace"] == 4
    assert "mmap" not in " ".join(refused)  # usual calls of honest programs are left out


def test_a_program_that_attempts_nothing_refused_has_no_warnings(
    config: Config, site: Path
) -> None:
    code = """
import asyncio, multiprocessing, socket, subprocess, sys, tempfile, threading, urllib.request
urllib.request.urlopen("http://127.0.0.1:8000/v1/models").read()
for host in ("localhost", "127.0.0.1", "nowhere.invalid"):
    try: socket.getaddrinfo(host, 80)
    except OSError: pass
subprocess.run([sys.executable, "-c", "pass"], check=True)
threading.Thread(target=print).start()
with multiprocessing.get_context("fork").Pool(2) as pool: pool.map(abs, [1])
with tempfile.TemporaryFile() as file: file.write(b"x")
asyncio.run(asyncio.sleep(0))
"""
    end = asyncio.run(contained(config, site, ["python", "-c", code])).exit
    assert (end.code, end.targets, end.refused_calls, end.reached) == (0, (), {}, ())
    assert end.network_attempts == 0
