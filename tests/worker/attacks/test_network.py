"""A wheel with approved hosts and a secret reaches nothing else and gives nothing away."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from envyard.contract.job import BoundSecret
from tests.worker.attacks.conftest import Attack, Runner, payload, taskset_files
from tests.worker.proxy.hosts import PUBLIC, HostAuthority, Resolver, serving_in_thread
from tests.worker.stub_hub import StubHub

pytestmark = [pytest.mark.sandbox, pytest.mark.adapter, pytest.mark.timeout(300)]
VALUE = "sk-live-81b2/77+c0=="
PLACEHOLDER = "envyard-secret-EXA_KEY"
HOSTS = ("api.exa.ai", "*.example.org")
NAMES = ("api.exa.ai", "evil.exa.ai", "open.example.org", "rebinding.example.org")


class Echo:
    """A host that repeats each request in its answer."""

    def __init__(self) -> None:
        self.requests: list[str] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            self.requests.append(head.decode())
            size = b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(head)
            writer.write(b"HTTP/1.1 200 OK\r\n" + size + head)
            await writer.drain()


@pytest.fixture(scope="module")
def echo() -> Echo:
    return Echo()


@pytest.fixture(scope="module")
def attacked(
    runner: Runner, echo: Echo, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Attack]:
    authority = HostAuthority.create(tmp_path_factory.mktemp("hosts"), *NAMES)
    with serving_in_thread(echo.serve, authority.server_context()) as port:
        yield perform(runner, authority.bundle, port)


def perform(runner: Runner, bundle: Path, port: int) -> Attack:
    answers = {name: [[PUBLIC]] for name in NAMES}
    answers |= {
        "private.example.org": [["10.0.0.7"]],
        "rebinding.example.org": [["127.0.0.1"], [PUBLIC]],
    }
    resolver = Resolver(answers, {PUBLIC: port})
    hub = StubHub(secrets={"EXA_KEY": VALUE})
    job: dict[str, Any] = {"hosts": HOSTS, "secrets": (BoundSecret("EXA_KEY", ("api.exa.ai",)),)}
    files = taskset_files("network", payload("network"))
    return runner.perform(
        "network", files, framework=True, hub=hub, job=job, outside=resolver.outside,
        settings={"SSL_CERT_FILE": str(bundle), "RUNNER_HOSTS": "yes"},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("attempt", "status"),
    [
        ("wrong port", "403"), ("address", "403"), ("own address", "403"), ("localhost", "403"),
        ("private name", "403"), ("rebinding name", "403"), ("undeclared host", "403"),
        ("second name", ""), ("no name", ""), ("split hello", ""), ("plain", "405"),
        ("connections", "503"), ("key of the authority", ""),
    ],
)  # fmt: skip
def test_every_way_out_is_refused(attacked: Attack, attempt: str, status: str) -> None:
    assert attacked.attempts[attempt].startswith("refused: ")
    assert status in attacked.attempts[attempt]


def test_the_allowed_host_gets_the_value_and_no_other(attacked: Attack, echo: Echo) -> None:
    allowed, other = echo.requests
    assert f"Authorization: Bearer {VALUE}\r\n" in allowed
    assert f"/{PLACEHOLDER} " in allowed
    assert f"Authorization: Bearer {PLACEHOLDER}\r\n" in other
    assert VALUE not in other


def test_the_environment_sees_the_placeholder_alone(attacked: Attack) -> None:
    assert f"Bearer {PLACEHOLDER}" in attacked.attempts["answer of api.exa.ai"]
    assert f"Bearer {PLACEHOLDER}" in attacked.attempts["answer of open.example.org"]
    variables = json.loads(attacked.attempts["variables"])
    assert variables["EXA_KEY"] == PLACEHOLDER
    assert PLACEHOLDER in attacked.attempts["files"]


def test_nothing_that_the_hub_receives_holds_the_value(attacked: Attack) -> None:
    hub = attacked.outcome.hub
    received = json.dumps([hub.batches, hub.endings])
    assert VALUE not in received
    assert VALUE[3:-3] not in received
    assert PLACEHOLDER in received


def test_refused_hosts_are_reported_by_name(attacked: Attack) -> None:
    assert attacked.codes["needs.host"]["details"] == {"names": ["evil.exa.ai"]}
    rows = attacked.outcome.hub.facts["connections"]
    reached = {row["host"]: row["route"] for row in rows if row["route"] != "refused"}
    refused = {(row["host"], row["port"]) for row in rows if row["route"] == "refused"}
    names = {"evil.exa.ai", "private.example.org", "rebinding.example.org", "localhost"}
    assert {(name, 443) for name in names} | {("open.example.org", 22)} <= refused
    assert reached["api.exa.ai"] == "secrets"
    assert reached["open.example.org"] == "tunnel"


def test_an_honest_environment_afterwards_finds_nothing(runner: Runner, attacked: Attack) -> None:
    after = runner.perform("honest", taskset_files("honest", payload("honest")), framework=True)
    assert after.outcome.result == ("succeeded", [])
    assert after.attempts["left"] == "[[], []]"
