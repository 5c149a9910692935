"""A run whose environment calls a judge by an address that is written into its code."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import aiohttp
import pytest

from tests.worker.scripted_sandbox import BEGAN, SPEC, ScriptedSandbox, loaded, perform_run
from tests.worker.stub_judge import NAME, StubJudge

pytestmark = pytest.mark.slow

HOSTS = ("api.openai.com", "api.anthropic.com", "api.pinference.ai", "openrouter.ai")


async def ask(sandbox: ScriptedSandbox, host: str, rollout: str) -> int:
    """The status of a judge call through the proxy, as a client inside makes it."""
    context = ssl.create_default_context(cadata=sandbox.certificates.decode())
    body = {"model": "gpt-4.1", "messages": [{"role": "user", "content": f"right, {host}?"}]}
    async with (
        aiohttp.ClientSession() as session,
        session.post(
            f"https://{host}/api/v1/chat/completions",
            json=body,
            headers={"X-Rollout": rollout},
            proxy=sandbox.proxy_url,
            ssl=context,
        ) as response,
    ):
        return response.status


async def judged_by_hosts(sandbox: ScriptedSandbox) -> AsyncIterator[dict[str, Any]]:
    """Call every known judge's host in each rollout, and swallow what comes of it."""
    yield BEGAN
    yield loaded()
    async for (item,) in sandbox.groups():
        word, task = item["rollout"], item["task"]
        await sandbox.complete(word, f"question {task}")
        statuses = [await ask(sandbox, host, word) for host in HOSTS]
        yield {"event": "rollout", "rollout": word, "ok": True, "reward": statuses.count(200) / 4}


def test_hard_coded_hosts_reach_the_judge() -> None:
    judge = StubJudge()
    run = perform_run(judged_by_hosts, spec=replace(SPEC, judge_model=NAME), judge=judge)
    assert run.result == ("succeeded", [])
    assert len(judge.requests) >= 4 * len(HOSTS)
    for rollout in run.hub.rollouts:
        assert rollout["reward"] == 1.0
        assert [call["host"] for call in rollout["transcript"]["judge"]] == list(HOSTS)
    replays = [row["replay"] for batch in run.hub.batches for row in batch["replays"]]
    assert [replay["reward"] for replay in replays] == [1.0] * 4
    assert {row["route"] for row in run.hub.facts["connections"]} == {"judge"}


@pytest.mark.parametrize("approved", [(), ("api.openai.com",)])
def test_without_a_judge_a_hard_coded_host_needs_one(approved: tuple[str, ...]) -> None:
    run = perform_run(judged_by_hosts, spec=replace(SPEC, hosts=approved))
    assert run.result == ("errored", ["needs.judge"])
