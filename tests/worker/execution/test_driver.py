"""The driver outside a sandbox: what it requests, passes on and refuses."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from envyard_runner.execution.driver import Driver, Group
from envyard_runner.sandbox import Exit
from tests.worker.scripted_sandbox import EXITED

BEGAN = ["started", "environment_began"]
LOADED = [*BEGAN, "imported", "loaded"]
GROUPS: list[Group] = [[{"rollout": name, "task": 0}] for name in "abcd"]


@dataclass
class Worker:
    """A worker that sends `events`, then plays each requested group and ends; `end` is how.

    `before` are lines that it sends in reply to the first request. A worker that `dies` plays none.
    """

    events: list[str]
    end: Exit = EXITED
    before: list[dict[str, Any]] = field(default_factory=list)
    dies: bool = False
    requests: asyncio.Queue[bytes | None] = field(default_factory=asyncio.Queue)
    sent: list[bytes] = field(default_factory=list)
    finished: int = 0

    async def lines(self) -> AsyncIterator[bytes]:
        for event in self.events:
            yield line(event)
        while not self.dies and (request := await self.requests.get()) is not None:
            if request:
                for event in self.before:
                    yield json.dumps(event).encode()
                self.before = []
                for row in json.loads(request):
                    yield line("rollout", rollout=row["rollout"])

    async def send(self, request: bytes) -> None:
        self.sent.append(request)
        self.requests.put_nowait(request)

    def finish(self) -> None:
        self.finished += 1
        self.requests.put_nowait(None)

    async def wait(self) -> Exit:
        return self.end


def line(event: str, **fields: Any) -> bytes:
    return json.dumps({"event": event, **fields}).encode()


def drive(worker: Worker, groups: list[Group] = GROUPS, concurrency: int = 2) -> list[Any]:
    """The events that the driver passes on, as the kind, with the rollout where there is one."""

    async def planned() -> list[Group]:
        return groups

    async def run() -> list[Any]:
        driver = Driver(worker, planned, concurrency=concurrency)
        events = [json.loads(each) async for each in driver.lines()]
        return [
            (event["event"], event["rollout"]) if "rollout" in event else event for event in events
        ]

    return asyncio.run(asyncio.wait_for(run(), 20))


def kinds(events: list[Any]) -> list[str]:
    return [event[0] if isinstance(event, tuple) else event["event"] for event in events]


def test_rollouts_are_requested_a_few_at_a_time_and_the_run_ends_with_the_last() -> None:
    worker = Worker(LOADED)
    events = drive(worker)
    assert kinds(events[:2]) == ["environment_began", "loaded"]
    assert events[2:4] == [("rollout_started", "a"), ("rollout_started", "b")]
    assert events.index(("rollout", "a")) < events.index(("rollout_started", "c"))
    assert {("rollout", name) for name in "abcd"} <= {e for e in events if isinstance(e, tuple)}
    assert events[-1] == {"event": "done"}
    assert worker.finished == 1
    assert worker.sent[0] == b""  # its environment may begin
    assert [json.loads(each) for each in worker.sent[1:]] == GROUPS


def test_a_worker_without_rollouts_is_done_at_once() -> None:
    assert kinds(drive(Worker(LOADED), [])) == ["environment_began", "loaded", "done"]


def test_the_next_group_waits_for_the_whole_earlier_one() -> None:
    pairs: list[Group] = [[{"rollout": name + end, "task": 0} for end in "12"] for name in "ab"]
    events = drive(Worker(LOADED), pairs, concurrency=1)
    assert events.index(("rollout", "a2")) < events.index(("rollout_started", "b1"))


@pytest.mark.parametrize(
    "forged",
    [
        {"event": "done"},
        {"event": "rollout_started", "rollout": "d"},
        {"event": "rollout", "rollout": "d", "reward": 1.0},
        {"event": "rollout", "rollout": "nothing", "reward": 1.0},
    ],
)
def test_a_worker_cannot_end_the_run_or_report_what_was_not_requested(forged: Any) -> None:
    events = drive(Worker(LOADED, before=[forged]), concurrency=1)
    refused = [each for each in kinds(events) if each not in ("rollout", "rollout_started")]
    assert refused[:2] == ["environment_began", "loaded"]
    assert refused[2] in (
        "done from inside",
        "rollout_started from inside",
        "d was not requested",
        "nothing was not requested",
    )
    assert refused[3:] == ["done"]
    assert kinds(events).count("rollout") == kinds(events).count("rollout_started") == 4


@pytest.mark.parametrize("kind", [{"a": 1}, ["done"], 3, None])
def test_an_event_of_no_kind_is_passed_on_to_be_refused(kind: Any) -> None:
    events = drive(Worker(LOADED, before=[{"event": kind}]))
    assert {"event": kind} in events
    assert events[-1] == {"event": "done"}


def test_the_fatal_error_of_a_worker_is_passed_on_and_ends_the_run() -> None:
    worker = Worker(LOADED, before=[{"event": "fatal", "stage": "run", "error": {}}])
    events = drive(worker)
    assert kinds(events)[-1] == "fatal"
    assert worker.finished == 1


@pytest.mark.parametrize(
    ("events", "end", "stage", "message"),
    [
        ([], {"code": None, "signal": 9}, "start", "the host's process was killed by signal 9"),
        (["started"], {"code": 1}, "framework", "the host's process ended with status 1"),
        (BEGAN, {"signal": 9}, "import", "the environment's process was killed by signal 9"),
        (
            [*BEGAN, "imported"],
            {"code": 3},
            "load",
            "the environment's process ended with status 3",
        ),
        ([*BEGAN, "started"], {}, "import", "the environment's process ended with status 0"),
    ],
)
def test_a_process_that_ends_early_is_reported_with_its_stage(
    events: list[str], end: dict[str, Any], stage: str, message: str
) -> None:
    fatal = drive(Worker(events, replace(EXITED, **end), dies=True))[-1]
    assert (fatal["event"], fatal["stage"], fatal["error"]["message"]) == ("fatal", stage, message)


def test_a_process_that_ends_while_it_plays_names_the_rollouts() -> None:
    class Dying(Worker):
        async def lines(self) -> AsyncIterator[bytes]:
            for event in self.events:
                yield line(event)
            while await self.requests.get() != b"":
                pass
            await self.requests.get()

    fatal = drive(Dying(LOADED, replace(EXITED, code=7)), concurrency=1)[-1]
    assert fatal["error"]["message"] == (
        "the environment's process ended with status 7 while a ran"
    )


def test_a_process_that_reached_a_limit_is_not_explained() -> None:
    worker = Worker(BEGAN, replace(EXITED, reason="memory", code=None), dies=True)
    assert kinds(drive(worker)) == ["environment_began"]


def test_a_plan_that_cannot_be_made_is_the_runners_own_failure() -> None:
    async def broken() -> list[Group]:
        raise RuntimeError("no plan")

    async def run() -> None:
        async for _ in Driver(Worker(LOADED), broken, concurrency=1).lines():
            pass

    with pytest.raises(RuntimeError, match="no plan"):
        asyncio.run(asyncio.wait_for(run(), 20))


def test_a_second_round_is_requested_once_the_first_has_ended() -> None:
    worker = Worker(LOADED)

    async def first() -> list[Group]:
        return GROUPS

    async def second() -> list[Group]:
        ended = [json.loads(each) for each in worker.sent[1:]]
        assert ended == GROUPS
        return [[{"rollout": "z", "task": 1}]]

    async def run() -> list[Any]:
        driver = Driver(worker, first, concurrency=2, then=second)
        return [json.loads(each) async for each in driver.lines()]

    events = asyncio.run(asyncio.wait_for(run(), 20))
    names = [(event["event"], event["rollout"]) for event in events if "rollout" in event]
    assert names[-2:] == [("rollout_started", "z"), ("rollout", "z")]
    assert events[-1] == {"event": "done"}
