"""The reference replies of a run's tasks, which some probes repeat or change.

A plain answer comes with the task. The environment's own oracle() is called in a process that plays
no rollout (`ReferenceProcess`), with the messages of a call that the gateway received before.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from envyard.contract.job import JobSpec
from envyard.contract.probes import PROBES, reference_of
from envyard.contract.values import count, count_or_none, records, text
from envyard_runner.gateway.openai import Reference
from envyard_runner.probing.probes import Message

POLL_SECONDS = 20.0
SLACK_SECONDS = 5.0  # in which a reply may arrive after the process's own limit
CANDIDATES = 8
MAX_ERROR = 2000
MAX_TASKS = 200_000
MAX_ANSWERS = 200
OPENING_CHARACTERS = 400


@dataclass(frozen=True, slots=True)
class LoadedTask:
    """One task as the process loaded it; `other` is a task of its own whose reference differs.

    `opening` is what oracle() replies to what the task begins with, empty where that is not known.
    """

    hash: str
    reference: bool
    other: int | None
    opening: str = ""

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> LoadedTask:
        """Read an untrusted JSON form."""
        reference = data.get("reference") is True
        return cls(
            text(data.get("hash"), 64),
            reference,
            count_or_none(data.get("other")),
            text(data.get("opening"), OPENING_CHARACTERS),
        )


class ReferenceProcess:
    """The process that calls oracle(), by the requests that it sends.

    It reports its tasks once, then polls for requests and sends a reply to each, until it is
    requested to load other tasks. `error` states why it answers no more.
    """

    def __init__(self) -> None:
        self.ready = asyncio.Event()
        self.tasks: list[LoadedTask] = []
        self.error = ""
        self._numbers = itertools.count()
        self._requests: list[dict[str, Any]] = []
        self._requested = asyncio.Event()
        self._replies: dict[int, asyncio.Future[Reference | None]] = {}
        self._fetched = asyncio.Event()

    async def load_others(self, **configuration: Any) -> None:
        """Have it load its tasks again with these fields of its configuration; returns once it has
        fetched the request. What it sends from then on is another ReferenceProcess's."""
        self._fetched.clear()
        self._requests.append({"load": configuration})
        self._requested.set()
        await self._fetched.wait()

    async def ask(self, task: int, messages: Sequence[Message], seconds: float) -> Reference | None:
        """The reply of its task to the messages; None where the task has none. Never raises."""
        if self.error:
            return Reference({}, self.error)
        number = next(self._numbers)
        reply = self._replies[number] = asyncio.get_running_loop().create_future()
        self._requests.append({"id": number, "task": task, "messages": messages})
        self._requested.set()
        try:
            return await asyncio.wait_for(reply, seconds)
        except TimeoutError:
            return Reference({}, f"oracle() did not reply within {seconds:g} seconds")
        finally:
            del self._replies[number]

    def end(self, error: str) -> None:
        """Fail all requests, present and future; the first error counts."""
        self.error = self.error or error
        for reply in self._replies.values():
            if not reply.done():
                reply.set_result(Reference({}, self.error))

    async def set_tasks(self, request: web.Request) -> web.Response:
        """Store the tasks that it loaded."""
        if not self.ready.is_set():
            rows = records(await request.json(), MAX_TASKS)
            self.tasks = [LoadedTask.from_dict(row) for row in rows]
            self.ready.set()
        return web.json_response({})

    async def get_requests(self, _: web.Request) -> web.Response:
        """What it is to compute next, once there is something or POLL_SECONDS have passed."""
        try:
            await asyncio.wait_for(self._requested.wait(), POLL_SECONDS)
        except TimeoutError:
            return web.json_response([])
        requests, self._requests = self._requests, []
        self._requested.clear()
        self._fetched.set()
        return web.json_response(requests)

    async def set_reply(self, request: web.Request) -> web.Response:
        """Store one reply: a message, the reason why there is none, or neither."""
        body = await request.json()
        body = body if isinstance(body, dict) else {}
        reply = self._replies.get(count(body.get("id")))
        if reply is not None and not reply.done():
            reply.set_result(_read_reply(body))
        return web.json_response({})


def process_routes(current: Callable[[], ReferenceProcess]) -> list[web.RouteDef]:
    """The addresses that a process calls; each call is for the `current` one."""

    async def set_tasks(request: web.Request) -> web.Response:
        return await current().set_tasks(request)

    async def get_requests(request: web.Request) -> web.Response:
        return await current().get_requests(request)

    async def set_reply(request: web.Request) -> web.Response:
        return await current().set_reply(request)

    return [
        web.put("/references/tasks", set_tasks),
        web.get("/references/requests", get_requests),
        web.put("/references/replies", set_reply),
    ]


def _read_reply(body: dict[str, Any]) -> Reference | None:
    if isinstance(error := body.get("error"), str):
        return Reference({}, text(error, MAX_ERROR) or "oracle() failed")
    message = body.get("message")
    return Reference(message, "") if isinstance(message, dict) else None


@dataclass(slots=True)
class References:
    """The references of one run, known once its tasks are loaded.

    `loaded` is set then. `wanted`: probes are played, `pairs`: one of them with another task's
    reference. `needs_process`: some reference is not in the tasks' own fields.
    """

    seconds: float
    wanted: bool
    pairs: bool
    process: ReferenceProcess = field(default_factory=ReferenceProcess)
    loaded: asyncio.Event = field(default_factory=asyncio.Event)
    needs_process: bool = False
    _hashes: dict[int, str] = field(default_factory=dict)
    _answers: dict[int, str] = field(default_factory=dict)
    _fields: dict[int, str] = field(default_factory=dict)
    _places: dict[int, int] = field(default_factory=dict)
    _others: dict[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, job: JobSpec) -> References:
        """None are known yet; each may take half of a rollout's time."""
        wanted = any(policy in PROBES for policy in job.policies)
        pairs = any(reference_of(policy) == "other" for policy in job.policies)
        return cls(job.limits.rollout_seconds / 2, wanted, pairs)

    def add_tasks(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Read the rows of a `loaded` event."""
        for row in rows:
            index, answer = count(row.get("index")), row.get("answer")
            self._hashes[index] = text(row.get("hash"), 64)
            whole = isinstance(answer, str) and row.get("answer_characters") in (None, len(answer))
            if isinstance(answer, str) and whole:
                self._fields[index] = answer
            if isinstance(answer, str) and whole and row.get("hook") is not True:
                self._answers[index] = answer
            elif self.wanted and (row.get("hook") is True or isinstance(answer, str)):
                self.needs_process = True
        self.loaded.set()

    def knows(self, task: int) -> bool:
        """Whether the task has a reference, as far as that was computed without an error."""
        if task in self._answers or not self.needs_process or self.process.error:
            return True
        place = self._place(task)
        return place is not None and self.process.tasks[place].reference

    def answer(self, task: int) -> str:
        """The answer that is a field of the task; empty where it has none, or an oracle()."""
        return self._answers.get(task, "")

    def field(self, task: int) -> str:
        """The task's `answer` field, even where an oracle() replies; empty where it has none."""
        return self._fields.get(task, "")

    @property
    def answers(self) -> list[str]:
        """The answers that are fields of tasks, MAX_ANSWERS at most."""
        return list(itertools.islice(self._answers.values(), MAX_ANSWERS))

    @property
    def others(self) -> Mapping[int, int]:
        """The task whose reference is wrong in each; by the process's own indices where it
        computes them."""
        if not self._others:
            self._others = self._process_others() if self.needs_process else self._other_answers()
        return self._others

    @property
    def openings(self) -> dict[int, str]:
        """What oracle() replies to what tasks begin with, where that is known."""
        tasks = self.process.tasks
        places = {task: self._place(task) for task in self._hashes} if tasks else {}
        known = {task: tasks[place].opening for task, place in places.items() if place is not None}
        return {task: opening for task, opening in known.items() if opening.strip()}

    async def own(self, task: int, messages: Sequence[Message]) -> Reference | None:
        """The reply of the task's own reference to the messages; None where it has none."""
        if task in self._answers:
            return _text_reply(self._answers[task])
        if not self.needs_process:
            return None
        return await self._ask(self._place(task), messages)

    async def other(self, task: int, messages: Sequence[Message]) -> Reference | None:
        """The reply of the other task's reference; None where there is none."""
        other = self.others.get(task)
        if other is None or self.needs_process:
            return await self._ask(other, messages) if self.needs_process else None
        return _text_reply(self._answers[other])

    async def _ask(self, place: int | None, messages: Sequence[Message]) -> Reference | None:
        if self.process.error:
            return Reference({}, self.process.error)
        if place is None:
            return None
        return await self.process.ask(place, messages, self.seconds + SLACK_SECONDS)

    def _place(self, task: int) -> int | None:
        """The index in the process of the task with this one's hash, which may have another order
        there."""
        if not self._places and self.process.ready.is_set():
            by_hash: dict[str, int] = {}
            for place, loaded in enumerate(self.process.tasks):
                by_hash.setdefault(loaded.hash, place)
            for index, known in self._hashes.items():
                same = self.process.tasks[index : index + 1]
                alike = bool(same) and same[0].hash == known
                if (place := index if alike else by_hash.get(known, -1)) >= 0:
                    self._places[index] = place
        return self._places.get(task)

    def _process_others(self) -> dict[int, int]:
        tasks = self.process.tasks
        places = {task: self._place(task) for task in self._hashes}
        others = {task: tasks[place].other for task, place in places.items() if place is not None}
        return {t: other for t, other in others.items() if other is not None and other < len(tasks)}

    def _other_answers(self) -> dict[int, int]:
        """For each task with an answer one of the next ones with another answer."""
        indices, others = sorted(self._answers), {}
        for at, task in enumerate(indices):
            following = itertools.islice(itertools.cycle(indices), at + 1, at + len(indices))
            for candidate in itertools.islice(following, CANDIDATES):
                if self._answers[candidate] != self._answers[task]:
                    others[task] = candidate
                    break
        return others


def _text_reply(content: str) -> Reference:
    return Reference({"role": "assistant", "content": content}, "")
