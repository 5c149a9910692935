"""Common HTTP clients with their defaults, in a real sandbox, through the runner's proxy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import certifi
import pytest

from tests.worker.execution.with_framework.conftest import Runner
from tests.worker.proxy.hosts import PUBLIC, HostAuthority, Resolver, serving_in_thread
from tests.worker.proxy.intercepting import RealHost
from tests.worker.stub_judge import NAME, StubJudge

pytestmark = [pytest.mark.sandbox, pytest.mark.adapter, pytest.mark.timeout(400)]
HOST = "api.exa.ai"
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfound"
# Judge calls of one rollout, by the host that the wheel names; urllib's name no rollout.
CALLS = {"api.openai.com": 1, "api.anthropic.com": 1, "openrouter.ai": 4}
CLIENTS = ("openai", "anthropic", "requests", "httpx", "async httpx", "aiohttp", "urllib")


@pytest.fixture
def host(tmp_path: Path) -> Iterator[tuple[RealHost, Resolver, Path]]:
    """The approved host: a TLS server on loopback, whose authority the runner's machine trusts."""
    authority, real = HostAuthority.create(tmp_path, HOST), RealHost(ANSWER)
    trusted = tmp_path / "trusted.pem"
    trusted.write_bytes(Path(certifi.where()).read_bytes() + authority.bundle.read_bytes())
    with serving_in_thread(real.serve, authority.server_context()) as port:
        yield real, Resolver({HOST: [[PUBLIC]]}, {PUBLIC: port}), trusted


def test_every_client_reaches_the_judge_and_an_approved_host(
    runner: Runner, host: tuple[RealHost, Resolver, Path]
) -> None:
    real, resolver, trusted = host
    judge = StubJudge()
    run = runner.perform(
        "v0",
        {"__init__.py": "clients.py"},
        judge=judge,
        outside=resolver.outside,
        settings={"RUNNER_HOSTS": "yes", "SSL_CERT_FILE": str(trusted)},
        module="clients",
        judge_model=NAME,
        hosts=(HOST,),
        policies=("parrot",),
        tasks=1,
        attempts=1,
    )
    hub = run.outcome.hub
    assert run.outcome.result[0] == "succeeded", hub.log
    assert run.first == {"parrot/0/0": 1.0}, hub.log
    (rollout,) = hub.rollouts
    called = [exchange["host"] for exchange in rollout["transcript"]["judge"]]
    assert {name: called.count(name) for name in called} == CALLS
    assert hub.facts["judge"]["unnamed"] == 1
    questions = " ".join(request["messages"][-1]["content"] for request in judge.requests)
    assert all(client in questions for client in CLIENTS)
    routes = {(row["host"], row["route"]) for row in hub.facts["connections"]}
    assert routes == {(HOST, "tunnel"), *((name, "judge") for name in CALLS)}
    assert len(real.requests) >= 5
    assert all(request.startswith(b"GET /search HTTP/1.1\r\n") for request in real.requests)
    assert set(resolver.connected) == {f"{PUBLIC}:443"}
