"""A run whose environment reaches hosts: its ending, its facts, and what is played again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.worker.proxy.hosts import PUBLIC, HostAuthority, Resolver, echo, serving
from tests.worker.proxy.served_proxy import ENDED
from tests.worker.scripted_sandbox import (
    BEGAN,
    SPEC,
    Outcome,
    Program,
    ScriptedSandbox,
    loaded,
    perform_run,
    play_all,
)

HOST = "api.exa.ai"


async def connect(sandbox: ScriptedSandbox, host: str) -> bool:
    """Request a connection as an environment would, and send a TLS ClientHello."""
    port = int(sandbox.proxy_url.rpartition(":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(f"CONNECT {host}:443 HTTP/1.1\r\n\r\n".encode())
        answer = await reader.readuntil(b"\r\n\r\n")
        if not answer.startswith(b"HTTP/1.1 200 "):
            return False
        from tests.worker.proxy.test_hostile_clients import client_hello

        writer.write(client_hello(host))
        await reader.readexactly(5)
        return True
    except ENDED:
        return False
    finally:
        writer.transport.abort()


def perform(
    program: Program,
    tmp_path: Path,
    *hosts: str,
    answers: dict[str, list[list[str]]] | None = None,
    **changes: Any,
) -> Outcome:
    """Perform a run for which `hosts` are approved; api.exa.ai is a server of the test's own."""
    resolver = Resolver(answers if answers is not None else {HOST: [[PUBLIC]]})
    authority = HostAuthority.create(tmp_path, HOST)

    async def serve(stub: object, stopping: asyncio.Event) -> None:
        async with serving(echo, authority.server_context()) as port:
            resolver.ports[PUBLIC] = port
            ready.set()
            await ended.wait()

    ready, ended = asyncio.Event(), asyncio.Event()

    async def until_served(sandbox: ScriptedSandbox) -> AsyncIterator[dict[str, Any]]:
        await ready.wait()
        async for event in program(sandbox):
            yield event
        if sandbox.starts == 2:
            ended.set()

    settings = changes.pop("settings", {"RUNNER_HOSTS": "yes"})
    if changes.pop("single", False):  # the program ends after its first sandbox

        async def once(sandbox: ScriptedSandbox) -> AsyncIterator[dict[str, Any]]:
            async for event in until_served(sandbox):
                yield event
            ended.set()

        return perform_run(
            once, spec=replace(SPEC, hosts=hosts, **changes), meanwhile=serve,
            outside=resolver.outside, settings=settings,
        )  # fmt: skip
    return perform_run(
        until_served, spec=replace(SPEC, hosts=hosts, **changes), meanwhile=serve,
        outside=resolver.outside, settings=settings,
    )  # fmt: skip


async def load_with_host(sandbox: ScriptedSandbox) -> AsyncIterator[dict[str, Any]]:
    """Load from the host, or fail as a client does without it."""
    yield BEGAN
    if await connect(sandbox, HOST):
        async for event in play_all(sandbox):
            if event != BEGAN:
                yield event
    else:
        error = {"type": "ConnectError", "message": "403 Refused"}
        yield {"event": "fatal", "stage": "load", "error": error}


async def use_host_in_rollouts(sandbox: ScriptedSandbox) -> AsyncIterator[dict[str, Any]]:
    """Contact the host during the rollouts of task 1, and swallow what comes of it."""
    yield BEGAN
    yield loaded()
    async for (item,) in sandbox.groups():
        word, task = item["rollout"], item["task"]
        if task == 1:
            await connect(sandbox, HOST)
        await sandbox.complete(word, f"question {task}")
        yield {"event": "rollout", "rollout": word, "ok": True, "reward": 0.25}


async def fail_rollouts_without_host(sandbox: ScriptedSandbox) -> AsyncIterator[dict[str, Any]]:
    yield BEGAN
    yield loaded()
    async for (item,) in sandbox.groups():
        word, task = item["rollout"], item["task"]
        await sandbox.complete(word, f"question {task}")
        ok = await connect(sandbox, HOST)
        error = None if ok else {"type": "ConnectError", "message": "403 Refused"}
        reward = 0.25 if ok else None
        yield {"event": "rollout", "rollout": word, "ok": ok, "reward": reward, "error": error}


def test_a_run_reaches_its_approved_host_and_reports_it(tmp_path: Path) -> None:
    run = perform(load_with_host, tmp_path, HOST)
    assert run.result == ("succeeded", [])
    rows = run.hub.facts["connections"]
    assert [(row["host"], row["route"]) for row in rows] == [(HOST, "tunnel")] * 2
    assert rows[0]["sent"] > 100


def test_a_run_that_fails_without_a_host_needs_it(tmp_path: Path) -> None:
    run = perform(load_with_host, tmp_path, single=True)
    assert run.result == ("errored", ["needs.host"])
    (finding,) = run.hub.endings[0]["findings"]
    assert finding["details"] == {"names": [HOST]}
    assert "not approved" in finding["message"]
    assert run.hub.facts["connections"][0]["route"] == "refused"


def test_a_runner_without_hosts_names_its_setting(tmp_path: Path) -> None:
    settings = {"RUNNER_HOSTS": "no"}
    run = perform(load_with_host, tmp_path, HOST, single=True, settings=settings)
    assert run.result == ("errored", ["needs.host"])
    assert "RUNNER_HOSTS" in run.hub.endings[0]["findings"][0]["message"]


def test_rollouts_that_fail_without_a_host_need_it(tmp_path: Path) -> None:
    run = perform(fail_rollouts_without_host, tmp_path, single=True)
    assert run.result == ("errored", ["needs.host"])


def test_a_run_that_succeeds_without_a_host_is_warned(tmp_path: Path) -> None:
    run = perform(use_host_in_rollouts, tmp_path)
    assert run.result == ("succeeded", ["run.network"])
    (finding,) = run.hub.endings[0]["findings"]
    assert finding["details"]["targets"] == [f"{HOST}:443"]
    assert finding["severity"] == "warning"


def test_an_approved_host_that_is_away_is_the_platforms_fault(tmp_path: Path) -> None:
    run = perform(load_with_host, tmp_path, HOST, single=True, answers={})
    assert run.result == ("errored", ["run.host_unreachable"])
    assert HOST in run.hub.endings[0]["findings"][0]["message"]


def test_a_limit_that_ends_a_run_needs_no_host(tmp_path: Path) -> None:
    async def contact_and_stop(sandbox: ScriptedSandbox) -> AsyncIterator[dict[str, Any]]:
        yield BEGAN
        await connect(sandbox, HOST)
        sandbox.end = replace(sandbox.end, reason="memory", code=None, signal=9)

    run = perform(contact_and_stop, tmp_path, single=True)
    assert run.result[0] == "failed"
    assert run.result[1][0] == "run.memory"


def test_rollouts_that_used_the_network_are_not_played_again(tmp_path: Path) -> None:
    run = perform(load_with_host, tmp_path, HOST)
    replays = {row["task"]: row["replay"] for batch in run.hub.batches for row in batch["replays"]}
    assert all("hosts outside" not in replay["left_out"] for replay in replays.values())

    run = perform(use_host_in_rollouts, tmp_path, HOST)
    rows = [row for batch in run.hub.batches for row in batch["replays"]]
    reasons = [row["replay"]["left_out"] for row in rows if row["task"] == 1]
    assert len(reasons) == 2
    assert all("hosts outside" in reason for reason in reasons)


def test_a_declared_host_is_needed_although_the_run_succeeds(tmp_path: Path) -> None:
    run = perform(use_host_in_rollouts, tmp_path, declared_hosts=("*.exa.ai",), single=True)
    assert run.result == ("errored", ["needs.host"])
    assert run.hub.endings[0]["findings"][0]["details"] == {"names": [HOST]}


async def read_a_key(sandbox: ScriptedSandbox) -> AsyncIterator[dict[str, Any]]:
    """Load as verifiers does where a key is missing."""
    yield BEGAN
    message = "Missing required environment variable(s): EXA_API_KEY, SERPER_API_KEY"
    raised = [{"types": ["verifiers.utils.env.MissingKeyError"], "message": message}]
    error = {"type": "MissingKeyError", "message": message, "raised": raised}
    yield {"event": "fatal", "stage": "load", "error": error}


def test_a_key_that_is_not_set_is_a_need(tmp_path: Path) -> None:
    run = perform(read_a_key, tmp_path, single=True)
    assert run.result == ("errored", ["needs.secret"])
    (finding,) = run.hub.endings[0]["findings"]
    assert finding["details"] == {"names": ["EXA_API_KEY", "SERPER_API_KEY"]}
    assert "It read keys that were not set" in finding["message"]


def test_a_key_that_is_set_is_no_need(tmp_path: Path) -> None:
    variables = {"EXA_API_KEY": "x", "SERPER_API_KEY": "y"}
    run = perform(read_a_key, tmp_path, single=True, variables=variables)
    assert run.result == ("failed", ["run.load_failed"])
