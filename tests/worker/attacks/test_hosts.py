"""Wheels that attack the proxy and the secrets that pass through it."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pytest

from envyard.contract.job import BoundSecret
from envyard_runner.proxy.refused import ANSWERS, Reason
from tests.worker.attacks.conftest import MIB, Attack, Runner, payload, taskset_files
from tests.worker.proxy.hosts import PUBLIC, HostAuthority, Resolver, echo, serving_in_thread
from tests.worker.proxy.intercepting import RealHost
from tests.worker.stub_hub import StubHub

pytestmark = [pytest.mark.sandbox, pytest.mark.adapter, pytest.mark.timeout(300)]
HOST, OTHER = "api.exa.ai", "other.exa.ai"
VALUE = "exa-live/9f4b+2c7e8d1a=="
FORMS = (VALUE, quote(VALUE, safe=""), base64.b64encode(VALUE.encode()).decode(), VALUE[:-2])
APPROVED = (HOST, "private.exa.ai", "mixed.exa.ai", "rebind.exa.ai")


@dataclass
class Network:
    """What the proxy looked up and connected to."""

    resolver: Resolver
    attack: Attack


@pytest.fixture(scope="module")
def attacked(runner: Runner, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Network]:
    """A wheel that uses every connection and byte that a run has."""
    authority = HostAuthority.create(tmp_path_factory.mktemp("host"), *APPROVED)
    answers = {
        HOST: [[PUBLIC]],
        "private.exa.ai": [["10.0.0.7"]],
        "mixed.exa.ai": [[PUBLIC, "169.254.169.254"]],
        "rebind.exa.ai": [[PUBLIC], ["127.0.0.1"]],
        "evil.example.org": [[PUBLIC]],
    }
    with serving_in_thread(echo, authority.server_context()) as port:
        resolver = Resolver(answers, {PUBLIC: port})
        attack = runner.perform(
            "hosts", taskset_files("hosts", payload("hosts")), framework=True,
            job={"hosts": APPROVED}, outside=resolver.outside,
            settings={"RUNNER_HOSTS": "yes", "RUNNER_HOSTS_MB": "1"},
        )  # fmt: skip
        yield Network(resolver, attack)


def test_every_attempt_to_reach_another_host_is_refused(attacked: Network) -> None:
    attempts = attacked.attack.attempts
    assert attempts["approved"] == "b'x'"
    ended = {name: how for name, how in attempts.items() if how.startswith(("refus", "REACH"))}
    assert len(ended) == 18
    assert {name: how for name, how in ended.items() if not how.startswith("refused: ")} == {}
    assert set(attacked.resolver.connected) == {f"{PUBLIC}:443"}
    assert set(attacked.resolver.looked_up) == set(APPROVED)  # a look-up would carry data


def test_connections_and_bytes_end_at_their_limits(attacked: Network) -> None:
    attempts = attacked.attack.attempts
    assert "too many connections" in attempts["crowd"]
    assert int(attempts["opened"]) >= 60
    assert 0 < int(attempts["spent"]) < MIB
    rows = attacked.attack.outcome.hub.facts["connections"]
    assert sum(row["sent"] + row["received"] for row in rows) <= MIB


def test_refused_hosts_are_reported_by_name(attacked: Network) -> None:
    outcome = attacked.attack.outcome
    assert outcome.result == ("succeeded", ["run.network"])
    targets = attacked.attack.codes["run.network"]["details"]["targets"]
    assert "evil.example.org:443" in targets
    reasons = {row["reason"] for row in outcome.hub.facts["connections"]}
    wanted: tuple[Reason, ...] = (
        "address",
        "port",
        "method",
        "private_address",
        "server_name",
        "connections",
        "bytes",
    )
    assert {ANSWERS[reason].sentence for reason in wanted} <= reasons


def test_a_secret_is_a_placeholder_wherever_the_wheel_writes_it(
    runner: Runner, attacked: Network, tmp_path: Path
) -> None:
    """It runs on the machine of the attack before, which takes no host and no byte from it."""
    authority = HostAuthority.create(tmp_path, HOST, OTHER)
    body = f"found with {VALUE}".encode()
    head = f"HTTP/1.1 200 OK\r\nX-Echo: {VALUE}\r\nContent-Length: {len(body)}\r\n"
    real = RealHost(f"{head}Connection: close\r\n\r\n".encode() + body)
    files = taskset_files("search-env", payload("secrets"))
    module = "search_env/__init__.py"
    files[module] = files[module].replace(
        'prompt = f"Answer', 'prompt = f"Your key is {payload.KEY}. Answer'
    )
    hub = StubHub(secrets={"A_KEY": VALUE})
    with serving_in_thread(real.serve, authority.server_context()) as port:
        resolver = Resolver({HOST: [[PUBLIC]], OTHER: [[PUBLIC]]}, {PUBLIC: port})
        attack = runner.perform(
            "search-env", files, framework=True, hub=hub, outside=resolver.outside,
            job={"hosts": (HOST, OTHER), "secrets": (BoundSecret("A_KEY", (HOST,)),)},
            settings={"RUNNER_HOSTS": "yes", "SSL_CERT_FILE": str(authority.bundle)},
        )  # fmt: skip
    placeholder = "envyard-secret-A_KEY"
    assert attack.attempts["key"] == placeholder
    assert f"found with {placeholder}" in attack.attempts[HOST]
    assert len(attack.attempts["files"].split(",")) == 2

    received = {b"bound": b"", b"other": b""}
    for request in real.requests:
        received[b"bound" if HOST.encode() in request else b"other"] += request
    assert VALUE.encode() in received[b"bound"]
    assert base64.b64encode(f"user:{VALUE}".encode()) in received[b"bound"]
    first_line, _, rest = received[b"bound"].partition(b"\r\n")
    assert VALUE.encode() not in first_line + rest.partition(b"\r\n\r\n")[2]
    assert received[b"other"]
    assert not any(form.encode() in received[b"other"] for form in FORMS)

    kept = json.dumps([hub.batches, hub.endings, hub.facts, hub.log])
    assert f"Your key is {placeholder}" in kept
    assert f"RuntimeError: {placeholder}" in kept or f'"{placeholder}' in kept
    secret = attack.attempts[OTHER]  # that host's own words: it received no secret
    assert VALUE not in secret
    assert not any(json.dumps(form)[1:-1] in kept for form in FORMS)
