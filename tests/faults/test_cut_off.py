"""Two runners in networks of their own: one is away in the middle of a run, and comes back."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from hub.supervisor import process
from tests.faults import injection
from tests.faults.deployment import DeployedRunner, Deployment, add_runners, deploy
from tests.faults.faults import Fault, sandboxes
from tests.faults.invariants import Case, problems
from tests.faults.proxy import Hold

pytestmark = [pytest.mark.faults, pytest.mark.timeout(900)]

NAMES = ("near", "far")
FAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1")
OF_NAME = """
    JOIN registry_version v ON v.id = r.version_id
    JOIN registry_environment e ON e.id = v.environment_id WHERE e.name = %s
"""
Networks = dict[str, tuple[str, str]]


def ip(*words: str) -> None:
    """iproute2; raises where it is refused."""
    subprocess.run(["ip", *words], check=True, capture_output=True)


@pytest.fixture(scope="module")
def networks() -> Iterator[Networks]:
    """By name a network namespace and the address of this machine there, linked by a cable."""
    if os.geteuid() != 0:
        pytest.skip("only root can make network namespaces")
    result: Networks = {}
    try:
        for number, name in enumerate(NAMES):
            space, here, there = (f"ey{os.getpid() % 100000}{kind}{number}" for kind in "nht")
            host_address, runner_address = (
                f"10.213.{os.getpid() % 250}.{4 * number + end}" for end in (1, 2)
            )
            try:
                ip("netns", "add", space)
            except (OSError, subprocess.CalledProcessError) as error:
                pytest.skip(f"this machine makes no network namespace: {error}")
            result[name] = (space, host_address)
            ip("link", "add", here, "type", "veth", "peer", "name", there)
            ip("link", "set", there, "netns", space)
            ip("addr", "add", f"{host_address}/30", "dev", here)
            ip("link", "set", here, "up")
            for words in (
                ("addr", "add", f"{runner_address}/30", "dev", there),
                ("link", "set", there, "up"),
                ("link", "set", "lo", "up"),
            ):
                ip("-n", space, *words)
        yield result
    finally:
        for space, _ in result.values():
            ip("netns", "del", space)


def cable(networks: Networks, name: str, state: str) -> None:
    """Set the runner's side of the link `down` or `up`."""
    space = networks[name][0]
    ip("-n", space, "link", "set", space.replace("n", "t"), state)


@pytest.fixture(scope="module")
def deployment(networks: Networks) -> Iterator[Deployment]:
    """A hub with a runner in each network."""
    with deploy("redis") as deployment:
        for name, (space, address) in networks.items():
            add_runners(deployment, [name], host=address, within=["ip", "netns", "exec", space])
        yield deployment


def push(deployment: Deployment, stage: str) -> Case:
    """Upload a version that a runner's fault affects."""
    return injection.push(deployment, Fault("runner", "cut"), stage)[0]


def of(deployment: Deployment, case: Case) -> tuple[str, str, int, str]:
    """Status of the version, then status, attempt and runner of its run."""
    ((_, version, _, status, attempt, runner),) = deployment.rows(
        injection.OF_VERSIONS, [case.name]
    )
    return version, status, attempt, runner


@contextmanager
def unplugged(networks: Networks, _: Deployment, runner: DeployedRunner) -> Iterator[None]:
    """The runner's link is down."""
    cable(networks, runner.name, "down")
    try:
        yield
    finally:
        cable(networks, runner.name, "up")


@contextmanager
def frozen(_: Networks, deployment: Deployment, runner: DeployedRunner) -> Iterator[None]:
    """The runner and all that it has started are suspended, as on a suspended machine."""
    everyone = [*runner.part.pids(), *(sandbox.pid for sandbox in sandboxes(deployment))]
    for pid in everyone:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
        still = [pid for pid in everyone if (entry := process(pid)) and entry.state in "Tt"]
        assert still == everyone
    finally:
        for pid in everyone:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


@pytest.mark.parametrize("away", [unplugged, frozen])
def test_a_runner_that_was_away_is_fenced_by_its_attempt(
    deployment: Deployment, networks: Networks, away: Callable[..., AbstractContextManager[None]]
) -> None:
    hold = injection.STAGES["running"][1]
    stops = {
        runner.name: runner.model.stop_at(Hold(hold.request, before=True, skip=hold.skip))
        for runner in deployment.runners
    }
    case = push(deployment, "running")
    deployment.wait(lambda: any(stop.caught.is_set() for stop in stops.values()), "a run")
    first = next(runner for runner in deployment.runners if stops[runner.name].caught.is_set())
    other = next(runner for runner in deployment.runners if runner is not first)
    marks = deployment.marks()
    assert (active_sandboxes := sandboxes(deployment))

    with away(networks, deployment, first):
        for runner in deployment.runners:
            runner.model.release()
        expected = ("running", 2, other.name)
        deployment.wait(
            lambda: of(deployment, case)[2:] == expected[1:], "a lease of the other runner"
        )
        assert [stop for stop in active_sandboxes if process(stop.pid)]
        deployment.wait(lambda: of(deployment, case)[0] == "listed", "it to be listed")
        before = stored(deployment, case)

    log = deployment.home / "logs" / f"{first.name}.log"
    # By the hub's refusal, or by a time-out of its own where the answer arrives too late.
    gave_up = b" attempt 1: "
    deployment.wait(
        lambda: any(
            b"gave up run" in line and gave_up in line
            for line in log.read_bytes()[marks[log] :].splitlines()
        ),
        "the first runner to give up its attempt",
    )
    deployment.wait(lambda: not sandboxes(deployment), "the sandboxes to be gone")
    kinds = ("runs", "builds")
    left = lambda: [path for kind in kinds for path in (first.home / kind).glob("*")]  # noqa: E731
    deployment.wait(lambda: not left(), "the first to clean its folders")
    assert stored(deployment, case) == before
    case.end = "listed"
    assert list(problems(deployment, case)) == []
    assert of(deployment, case) == ("listed", "succeeded", 2, other.name)


def stored(deployment: Deployment, case: Case) -> list[list[tuple[Any, ...]]]:
    """Every row of its run, and the stored transcripts."""
    ((run,),) = deployment.rows("SELECT r.id FROM registry_run r" + OF_NAME, case.name)
    tables = ("rollout", "transcriptpack", "logchunk", "card", "versionfinding")
    return [
        deployment.rows("SELECT r.* FROM registry_run r" + OF_NAME, case.name),
        *(
            deployment.rows(f"SELECT * FROM registry_{t} WHERE run_id = %s ORDER BY 1", run)
            for t in tables
        ),
        [(str(path),) for path in sorted(deployment.files.glob("transcripts/*/*"))],
    ]


def test_the_runners_that_came_back_work_on(deployment: Deployment) -> None:
    case = push(deployment, "afterwards")
    deployment.wait(lambda: of(deployment, case)[0] == "listed", "another version")
    assert all(
        runner.part.popen and runner.part.popen.poll() is None for runner in deployment.runners
    )


@pytest.mark.parametrize("wrong", ["+1h", "-1h"])
def test_a_runner_whose_clock_is_wrong_does_its_run_as_others_do(
    deployment: Deployment, wrong: str
) -> None:
    if not FAKETIME.exists():
        pytest.skip("libfaketime is not installed: apt-get install libfaketime")
    others = list(deployment.runners)
    for runner in others:
        runner.part.end()
    environ = {
        "LD_PRELOAD": str(FAKETIME),
        "FAKETIME": wrong,
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "PYTHONPATH": str(Path(__file__).with_name("clock")),
        "PYTHONPYCACHEPREFIX": str(
            deployment.home / "pycache"
        ),  # it sees other times of all sources
    }
    add_runners(deployment, [f"clock{wrong}"], **environ)
    late = deployment.runners.pop()
    try:
        case = push(deployment, "by a wrong clock")
        done = ("listed", "succeeded", 1, late.name)
        deployment.wait(lambda: of(deployment, case) == done, "its run")
        logged = late.part.log.read_text().splitlines()[-1]
        logged_at = time.mktime(time.strptime(logged[:19], "%Y-%m-%d %H:%M:%S"))
        assert round((logged_at - time.time()) / 3600) == int(wrong[:2])
        case.end = "listed"
        assert list(problems(deployment, case)) == []
    finally:
        late.part.end()
        for runner in others:
            runner.part.start()
