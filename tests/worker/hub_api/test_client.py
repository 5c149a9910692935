"""The link to the hub, against a real HTTP server that can fail, refuse and come back."""

from __future__ import annotations

import asyncio
import hashlib
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from envyard.contract.findings import finding
from envyard.contract.runner_events import RolloutResult
from envyard.contract.transcript import Exchange, Node, Transcript
from envyard_runner.hub_api.client import (
    HubClient,
    HubRefused,
    HubUnreachable,
    Superseded,
    WheelChanged,
)
from envyard_runner.hub_api.event_outbox import Cancelled, EventOutbox
from tests.ports import free_port
from tests.worker.stub_hub import RUN_TOKEN, TOKEN, StubHub, contents, job, serving

pytestmark = pytest.mark.slow

PORT = free_port()


def with_hub(
    scenario: Callable[[HubClient, StubHub], Awaitable[None]],
    stub: StubHub | None = None,
    **changes: Any,
) -> None:
    async def play() -> None:
        hub = stub or StubHub()
        async with serving(hub.application(), PORT) as url, aiohttp.ClientSession() as session:
            options: dict[str, Any] = {"url": url, "token": TOKEN, "patience": 3.0} | changes
            await scenario(HubClient(session, **options), hub)

    asyncio.run(play())


def rollout(task: int, content: str = "hi") -> RolloutResult:
    transcript = Transcript([Node(-1, {"role": "user", "content": content})], [Exchange(asked=0)])
    return RolloutResult("silent", task, 0, ok=True, reward=0.0, transcript=transcript)


def test_a_job_is_given_once() -> None:
    async def scenario(hub: HubClient, stub: StubHub) -> None:
        stub.job = job()
        assert await hub.poll({}) == job()
        assert await hub.poll({}) is None

    with_hub(scenario)


def test_the_first_lock_of_a_platform_is_everybodys() -> None:
    async def scenario(hub: HubClient, stub: StubHub) -> None:
        assert await hub.lock(job(), "cpython-311", None) is None
        assert await hub.lock(job(), "cpython-311", "dep==1") == "dep==1"
        assert await hub.lock(job(), "cpython-311", "dep==2") == "dep==1"
        assert await hub.lock(job(), "cpython-313", "") == ""

    with_hub(scenario)


def test_whoami_names_the_runner_and_a_wrong_token_is_refused_at_once() -> None:
    async def known(hub: HubClient, _: StubHub) -> None:
        assert (await hub.whoami()).name == "box"

    async def unknown(hub: HubClient, _: StubHub) -> None:
        with pytest.raises(HubRefused, match="401") as caught:
            await hub.whoami()
        assert caught.value.code == "token.invalid"

    with_hub(known)
    with_hub(unknown, token="hubr_wrong")


def test_a_call_to_a_hub_that_fails_for_a_moment_is_retried() -> None:
    async def scenario(hub: HubClient, stub: StubHub) -> None:
        stub.failing = 2
        assert (await hub.whoami()).name == "box"

    with_hub(scenario)


def test_a_hub_that_stays_away_is_given_up() -> None:
    async def scenario() -> None:
        async with aiohttp.ClientSession() as session:
            hub = HubClient(session, url=f"http://127.0.0.1:{PORT}", token=TOKEN, patience=0.8)
            began = time.monotonic()
            with pytest.raises(HubUnreachable):
                await hub.whoami()
            assert 0.2 < time.monotonic() - began < 3

    asyncio.run(scenario())


def test_a_job_that_cannot_be_read_hints_at_an_upgrade() -> None:
    async def scenario(hub: HubClient, stub: StubHub) -> None:
        stub.job = replace(job(), limits={"new": 1})  # type: ignore[arg-type]
        with pytest.raises(HubRefused, match="version of the runner"):
            await hub.poll({})

    with_hub(scenario)


def test_a_wheel_is_taken_only_with_the_right_bytes(tmp_path: Path) -> None:
    async def scenario(hub: HubClient, stub: StubHub) -> None:
        stub.wheel = b"x" * 200_000
        good = replace(
            job().wheel, sha256=hashlib.sha256(stub.wheel).hexdigest(), size=len(stub.wheel)
        )
        stub.failing = 1
        await hub.download(good, RUN_TOKEN, tmp_path / "a.whl")
        assert (tmp_path / "a.whl").read_bytes() == stub.wheel
        for wrong in (replace(good, sha256="0" * 64), replace(good, size=good.size + 1)):
            with pytest.raises(WheelChanged):
                await hub.download(wrong, RUN_TOKEN, tmp_path / "b.whl")
        with pytest.raises(WheelChanged):
            await hub.download(replace(good, size=100), RUN_TOKEN, tmp_path / "c.whl")
        assert (tmp_path / "c.whl").stat().st_size <= 100
        with pytest.raises(HubRefused):
            await hub.download(good, "hubrun_other", tmp_path / "d.whl")

    with_hub(scenario)


async def outlast(reports: EventOutbox, seconds: float) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(seconds):
            await reports.keep_sending()


def test_news_goes_out_in_about_a_second_and_without_news_a_heartbeat_does() -> None:
    async def scenario(hub: HubClient, stub: StubHub) -> None:
        reports = EventOutbox(hub, job(lease_seconds=6.0))
        reports.add_output(b"caf\xc3")
        talking = asyncio.create_task(reports.keep_sending())
        await asyncio.sleep(0.2)
        assert stub.log == "caf"
        reports.add_output(b"\xa9\n")
        reports.add_rollout(rollout(0))
        reports.add_facts(load_seconds=1.5)
        await asyncio.sleep(1.3)
        assert stub.log == "café\n"
        assert [r["task"] for r in stub.rollouts] == [0]
        assert stub.facts == {"load_seconds": 1.5}
        assert stub.batches[-1]["done"] == 1
        known = len(stub.batches)
        await asyncio.sleep(2.5)  # a third of the lease, and a little
        assert len(stub.batches) == known + 1
        talking.cancel()

    with_hub(scenario)


def test_a_batch_is_sent_again_unchanged_until_the_hub_has_it() -> None:
    async def scenario(hub: HubClient, stub: StubHub) -> None:
        reports = EventOutbox(hub, job())
        reports.add_rollout(rollout(0))
        stub.failing = 2
        talking = asyncio.create_task(reports.keep_sending())
        await asyncio.sleep(0.1)
        reports.add_rollout(rollout(1))
        await asyncio.sleep(3)
        talking.cancel()
        assert [[r["task"] for r in b["rollouts"]] for b in stub.batches] == [[0], [1]]
        assert [b["seq"] for b in stub.batches] == [1, 2]

    with_hub(scenario)


def test_what_was_under_way_when_talking_stopped_is_sent_before_the_ending() -> None:
    async def scenario(hub: HubClient, stub: StubHub) -> None:
        reports = EventOutbox(hub, job())
        stub.failing = 1
        reports.add_output(b"last words\n")
        await outlast(reports, 0.1)
        reports.add_rollout(rollout(2))
        await reports.finish("failed", [finding("run.crashed")])
        assert stub.log == "last words\n"
        assert [r["task"] for r in stub.rollouts] == [2]
        ending = stub.endings[0]
        assert (ending["outcome"], ending["findings"][0]["code"]) == ("failed", "run.crashed")

    with_hub(scenario)


def test_large_news_is_cut_into_several_batches() -> None:
    async def scenario(hub: HubClient, stub: StubHub) -> None:
        reports = EventOutbox(hub, job())
        reports.add_output(b"x" * 250_000)
        for task in range(6):
            reports.add_rollout(rollout(task, "漢" * 100_000))
        await reports.finish("succeeded", [])
        assert len(stub.log) == 250_000
        assert [r["task"] for r in stub.rollouts] == list(range(6))
        assert len(stub.batches) >= 3
        assert [b["done"] for b in stub.batches][-1] == 6

    with_hub(scenario)


def test_a_lone_surrogate_in_a_conversation_does_not_stop_the_reports() -> None:
    async def scenario(hub: HubClient, stub: StubHub) -> None:
        reports = EventOutbox(hub, job())
        reports.add_rollout(rollout(0, "\ud800"))
        await reports.finish("succeeded", [])
        assert contents(stub.rollouts[0]) == ["?"]

    with_hub(scenario)


def test_a_superseded_or_cancelled_run_stops_the_talk() -> None:
    async def superseded(hub: HubClient, stub: StubHub) -> None:
        stub.superseded = True
        with pytest.raises(Superseded):
            await EventOutbox(hub, job()).keep_sending()

    async def cancelled(hub: HubClient, stub: StubHub) -> None:
        stub.cancel = True
        reports = EventOutbox(hub, job())
        with pytest.raises(Cancelled):
            await reports.keep_sending()
        await reports.finish("cancelled", [])
        assert stub.endings[0]["outcome"] == "cancelled"

    with_hub(superseded)
    with_hub(cancelled)


def test_a_hub_silent_for_two_leases_ends_the_talk() -> None:
    async def scenario(hub: HubClient, stub: StubHub) -> None:
        reports = EventOutbox(hub, job(lease_seconds=0.5))
        stub.failing = 999
        with pytest.raises(HubUnreachable):
            await reports.keep_sending()

    with_hub(scenario)


def test_a_log_past_its_bound_comes_with_the_end_of_every_batch() -> None:
    async def scenario(hub: HubClient, stub: StubHub) -> None:
        reports = EventOutbox(hub, job(limits={"log_bytes": 150_000}))
        talking = asyncio.create_task(reports.keep_sending())
        for number in range(4):
            reports.add_output(f"begin {number}\n{'x' * 60_000}\nend {number}\n".encode())
            await asyncio.sleep(0.7)
        talking.cancel()
        reports.log_line("bye")
        await reports.finish("failed", [finding("run.crashed")])
        assert "begin 2" in stub.log
        assert stub.log.endswith("end 3\n[runner] bye\n")
        assert stub.log.count("characters are left out here\n") == 2
        assert len(stub.log) < 150_000 + 4 * 4200

    with_hub(scenario)


def test_a_flood_for_a_hub_that_is_away_is_bounded_in_memory() -> None:
    async def scenario(hub: HubClient, stub: StubHub) -> None:
        reports = EventOutbox(hub, job())
        for number in range(400):
            reports.add_output(b"x" * 65_536 + f"{number}\n".encode())
        await reports.finish("failed", [finding("run.crashed")])
        assert len(stub.log) < 2 << 20
        assert stub.log.endswith("x399\n")
        assert "characters are left out here" in stub.log

    with_hub(scenario)


def test_what_a_killed_runner_logged_is_there_up_to_the_last_second(tmp_path: Path) -> None:
    """A process of its own writes a numbered line every 50 ms until it is killed."""
    program = tmp_path / "talker.py"
    program.write_text(TALKER)

    async def scenario(hub: HubClient, stub: StubHub) -> None:
        url = f"http://127.0.0.1:{PORT}"
        talker = await asyncio.create_subprocess_exec(
            sys.executable, str(program), url, stdout=asyncio.subprocess.PIPE
        )
        assert talker.stdout is not None
        written = 0
        while written < 60:
            written = int(await talker.stdout.readline())
        talker.kill()
        await talker.wait()
        lines = [int(line) for line in stub.log.splitlines()]
        assert lines == list(range(len(lines)))
        assert written - len(lines) <= 20  # a second's lines

    with_hub(scenario)


TALKER = """
import asyncio, sys
import aiohttp
from envyard_runner.hub_api.client import HubClient
from envyard_runner.hub_api.event_outbox import EventOutbox
from tests.worker.stub_hub import TOKEN, job

async def main():
    async with aiohttp.ClientSession() as session:
        reports = EventOutbox(HubClient(session, url=sys.argv[1], token=TOKEN), job())
        talking = asyncio.create_task(reports.keep_sending())
        for number in range(10_000):
            reports.add_output(f"{number}\\n".encode())
            print(number, flush=True)
            await asyncio.sleep(0.05)

asyncio.run(main())
"""
