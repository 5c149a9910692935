"""A complete environment that tries to escape: refused, named in findings, without traces."""

from __future__ import annotations

import os
import platform
import socket
from collections.abc import Iterator

import pytest

from tests.worker.attacks.conftest import (
    LIMITS,
    POLICIES,
    Attack,
    Runner,
    payload,
    taskset_files,
)
from tests.worker.left_over import processes_of

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.adapter,
    pytest.mark.timeout(300),
    pytest.mark.skipif(platform.machine() != "x86_64", reason="calls are made by their number"),
]
SECRET = "the runner's token"
PARTS = ("common", "places", "calls", "rights", "messages")  # of payloads/spy
CONTAINED = {
    "network": [
        "tcp", "udp", "name server", "dns", "ipv6", "raw", "packet", "vsock", "bluetooth",
        "a server of the host", "cloud metadata", "unix socket of the host",
        "abstract socket of the host",
    ],
    "files": [
        "the runner's secret", "other runs", "other environments", "shadow", "root's home", "sys",
        "left by the last run",
    ],
    "environment": ["the runner's variables"],
    "proc": [
        "environ of the keeper", "root of the keeper", "memory of the keeper",
        "descriptors of the keeper", "memory of its parent", "memory of its threads",
        "map of its parent", "environ of its parent", "descriptors of its parent",
        "pipes of its parent", "command line of the host", "name of the host's start",
        "core of the kernel", "settings of the kernel", "sysrq", "the runner",
    ],
    "ptrace": ["the keeper", "its parent", "its memory"],
    "signals": ["the runner", "the group of the runner"],
    "keyrings": ["read", "add"],
    "mounts": ["new", "writable", "newer calls"],
    "namespaces": ["unshare", "clone"],
    "devices": ["make", "kvm", "disk", "log of the kernel"],
    "calls": [
        "io_uring", "bpf", "perf", "userfaultfd", "memory without a name", "keys of others",
        "descriptors of others", "memory of others", "compare with others", "files by handle",
        "handle of a file", "secret memory", "what others read", "asynchronous I/O", "clone3",
        "namespaces of others", "a file system", "move a mount", "describe a mount",
        "list mounts", "rights of a mount", "pivot", "segments", "another kernel",
        "a kernel module", "hang up", "memory of System V", "semaphores of System V",
        "messages of System V", "messages of POSIX", "of x32", "of i386",
        "typing into a terminal",
    ],
    "core": ["limit", "where it goes"],
    "descriptors": ["inherited"],
    "rights": ["root", "chroot", "last to die", "priority", "real time"],
    "time": ["set", "skew", "clocks that stand still"],
    "venv": [
        "new file", "the framework", "rights", "rename", "hard link", "inside programs",
        "interpreter", "a map that writes", "a file without a name", "attributes", "times",
    ],
    "symlinks": ["out of the outputs"],
    "policy": ["named anywhere inside"],
    "gateway": [
        "more calls than a rollout may make", "a prompt without end",
        "json that nests without end", "json that is none",
        "slow clients that keep everybody else out", "another policy's address",
        "the models of the host behind it",
    ],
    "events": ["forged"],
    "log": ["escape codes"],
}  # fmt: skip
EVERY = [f"{kind}: {name}" for kind, names in CONTAINED.items() for name in names]


@pytest.fixture(scope="module")
def spied(runner: Runner, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attack]:
    """The spy's run on a machine that has a secret, a server and two sockets."""
    secret, unix = runner.home / "secret.txt", runner.home / "socket"
    secret.write_text(SECRET)
    os.environ["AWS_SECRET_ACCESS_KEY"] = SECRET
    with socket.socket() as server, socket.socket(1) as named, socket.socket(1) as abstract:
        server.bind(("127.0.0.1", 0))
        named.bind(str(unix))
        abstract.bind(f"\0envyard-attack-{os.getpid()}")
        for item in (server, named, abstract):
            item.listen()
        host = {
            "port": server.getsockname()[1],
            "unix": str(unix),
            "abstract": f"envyard-attack-{os.getpid()}",
            "secret": str(secret),
            "runs": str(runner.config().runs),
            "environments": str(runner.home / "environments"),
            "pid": os.getpid(),
            "calls": LIMITS["calls_per_rollout"],
        }
        try:
            parts = {f"spy/{part}.py": payload(f"spy/{part}", host) for part in PARTS}
            files = taskset_files("spy", payload("spy/payload")) | parts
            yield runner.perform("spy", files, framework=True)
        finally:
            del os.environ["AWS_SECRET_ACCESS_KEY"]


@pytest.fixture(scope="module")
def after(runner: Runner, spied: Attack) -> Attack:
    """An honest environment's run on the same machine, immediately after the spy's."""
    return runner.perform("honest", taskset_files("honest", payload("honest")), framework=True)


@pytest.mark.parametrize("attack", EVERY)
def test_every_attempt_is_refused(spied: Attack, attack: str) -> None:
    assert spied.attempts[attack].startswith("refused"), spied.attempts[attack]


def test_nothing_was_tried_that_has_no_test(spied: Attack) -> None:
    assert set(spied.attempts) == set(EVERY)


def test_the_run_itself_succeeds_and_its_secret_stays(spied: Attack) -> None:
    assert spied.outcome.result[0] == "succeeded"
    assert SECRET not in spied.outcome.hub.log


def test_refused_network_targets_are_reported(spied: Attack) -> None:
    finding = spied.codes["run.network"]
    assert finding["severity"] == "warning"
    assert set(finding["details"]["targets"]) == {
        "93.184.215.14:443", "93.184.215.14:9", "8.8.8.8:53", "[2001:db8::1]:9",
        "169.254.169.254:80",
    }  # fmt: skip


def test_refused_system_calls_are_reported(spied: Attack) -> None:
    finding = spied.codes["isolation.refused_calls"]
    assert finding["severity"] == "warning"
    assert {
        "socket AF_INET SOCK_RAW", "socket AF_PACKET", "socket AF_VSOCK", "socket AF_BLUETOOTH",
        "ptrace", "process_vm_writev", "keyctl", "add_key", "mount", "open_tree", "bpf",
        "perf_event_open", "userfaultfd", "chroot", "clock_settime", "clock_adjtime",
        "request_key", "pidfd_getfd", "process_vm_readv", "kcmp", "open_by_handle_at",
        "memfd_secret", "cachestat", "setns", "fsopen", "move_mount", "statmount", "listmount",
        "mount_setattr", "pivot_root", "modify_ldt", "kexec_load", "finit_module", "vhangup",
        "ioctl that types into a terminal",
    } == set(finding["details"]["calls"])  # fmt: skip
    usual = spied.codes["isolation.unusual_calls"]
    assert usual["severity"] == "info"
    assert {
        "io_uring_setup", "memfd_create", "unshare", "clone of a namespace", "io_setup",
        "name_to_handle_at", "shmget", "semget", "msgget", "mq_open",
    } == set(usual["details"]["calls"])  # fmt: skip


def test_forged_events_are_reported_and_change_no_result(spied: Attack) -> None:
    message = spied.codes["run.inconsistent"]["message"]
    for claim in ("model/0/0", "oracle/1/0", "loaded", "listed"):
        assert claim in message
    rewards = {f"{r['policy']}/{r['task']}": r["reward"] for r in spied.outcome.hub.rollouts}
    spent = [rollout for rollout, reward in rewards.items() if reward is None]
    assert len(spent) <= 1  # the one whose calls it used up itself
    honest = {
        f"{policy}/{task}": float(policy == "oracle") for policy in POLICIES for task in (0, 1)
    }
    assert rewards == honest | dict.fromkeys(spent)


def test_clocks_are_the_runners_own(spied: Attack) -> None:
    assert any(r["seconds"] > 0.01 for r in spied.outcome.hub.rollouts)


def test_nothing_else_is_held_against_it(spied: Attack) -> None:
    assert set(spied.codes) == {
        "run.network", "run.inconsistent", "isolation.refused_calls",
        "isolation.unusual_calls",
    }  # fmt: skip


def test_the_next_run_finds_nothing_of_it(after: Attack) -> None:
    assert after.attempts["left"] == "[[], []]"
    assert int(after.attempts["processes"]) < 8
    assert after.outcome.result == ("succeeded", [])
    assert len(after.outcome.hub.rollouts) == 6


def test_neither_files_nor_processes_stay_on_the_machine(
    runner: Runner, spied: Attack, after: Attack
) -> None:
    assert list(runner.config().runs.iterdir()) == []
    wheels = runner.home / "environments"
    assert not list(wheels.rglob("sitecustomize.py")) + list(wheels.rglob("*.old"))
    assert processes_of(spied.uids + after.uids) == []
