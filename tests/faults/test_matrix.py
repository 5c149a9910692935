"""Every part is killed, stopped, restarted, cut off or out of disk at each stage of a run."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

import pytest
import requests
from amqp.exceptions import ChannelError
from kombu import Connection

from envyard.contract.job import queue_for
from tests.faults.cases import AS_ROOT, MAY_BE_HELD
from tests.faults.deployment import Deployment
from tests.faults.faults import Fault, sandboxes
from tests.faults.injection import inject
from tests.faults.invariants import Case, stuck

pytestmark = [pytest.mark.faults, pytest.mark.timeout(1800)]

# Two days later by the clock: partial uploads and objects of lost attempts are gone.
LATER = """
import json
from datetime import timedelta
from django.utils import timezone
from registry.runs import transcripts
from registry.uploads import staging
from registry.upkeep.verify import verify
later = timezone.now() + timedelta(days=2)
staging.discard_old(now=later)
transcripts.delete_expired(now=timezone.now())
verify(now=later, delete_orphans=True)
result = verify(now=later)
print(json.dumps([result.young, [[item.kind, item.key] for item in result.problems]]))
"""
MESSAGES_LEFT = 20


def test_whatever_happens_each_version_is_decided_once(
    deployment: Deployment, fault: Fault, table: list[tuple[str, Case]]
) -> None:
    if fault.name in AS_ROOT and not deployment.disks:
        pytest.skip("only root can mount small disks, and lose a connection without a word")
    cases = inject(
        deployment, fault, may_end=MAY_BE_HELD.get((fault.part, fault.name), ("listed",))
    )
    table += [(deployment.broker_kind, case) for case in cases]
    wrong = [f"{case.stage} ({case.name}): {why}" for case in cases for why in case.wrong]
    assert not wrong, "\n".join(wrong)
    deployment.wait(lambda: not sandboxes(deployment), "every sandbox to be gone")
    deployment.wait(
        lambda: not left(deployment), f"folders of ended runs to be gone: {left(deployment)}"
    )
    deployment.wait(lambda: not stuck(deployment), f"nothing to wait: {stuck(deployment)}")


def left(deployment: Deployment) -> list[str]:
    """Folders of runs and of downloads that are over, and temporary files of parts.

    Python's `multiprocessing` has an empty folder there while it lives, and when it was killed.
    """
    homes = [runner.home / kind for runner in deployment.runners for kind in ("runs", "builds")]
    paths = [path for home in [*homes, deployment.home / "tmp"] for path in home.glob("*")]
    return [str(path) for path in paths if not path.name.startswith("pymp-") or any(path.iterdir())]


def test_at_the_end_each_is_listed_once_and_no_bytes_are_nobodys(
    deployment: Deployment, table: list[tuple[str, Case]]
) -> None:
    at_the_end(deployment, [case for broker, case in table if broker == deployment.broker_kind])


def at_the_end(deployment: Deployment, cases: list[Case]) -> None:
    """The index has each once, and storage and broker contain nothing without an owner."""
    assert cases
    for case in (case for case in cases if case.end == "listed"):
        files = deployment.wait(
            lambda name=case.name: _listed(deployment, name), f"{case.name} to be listed"
        )  # type: ignore[misc]
        assert len(files) == 1
    assert deployment.manage("shell", "--no-imports", "-c", LATER) == "[0, []]"
    deployment.wait(
        lambda: waiting(deployment) <= MESSAGES_LEFT, f"{waiting(deployment)} messages to be taken"
    )


def _listed(deployment: Deployment, name: str) -> list[str]:
    answer = requests.get(
        f"{deployment.url}/alice/simple/{name}/",
        headers={"Accept": "application/vnd.pypi.simple.v1+json"},
        auth=("__token__", deployment.token),
        timeout=30,
    )
    return [file["filename"] for file in answer.json()["files"]] if answer.ok else []


def waiting(deployment: Deployment) -> int:
    """The number of messages in the hub's own queue and in the runners'."""
    server = deployment.servers["broker"]
    assert isinstance(server.target, tuple)
    with Connection(server.at(server.target[1])) as connection:
        return sum(map(partial(_length, connection), ("hub", queue_for(""), queue_for("stub"))))


def _length(connection: Connection, queue: str) -> int:
    with suppress(ChannelError):  # Redis has no empty queue
        return int(connection.channel().queue_declare(queue, passive=True).message_count)
    return 0
