"""References: plain answers of the tasks, and replies of a process that calls oracle()."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import ClientSession, web

from envyard_runner.gateway.references import ReferenceProcess, References, process_routes
from tests.worker.gateway.served_gateway import USER, ServedGateway, job, run_scenario

HOOKED = [{"index": i, "hash": f"h{i}", "hook": True} for i in range(3)]
CALL = {"id": "a", "type": "function", "function": {"name": "add", "arguments": "{}"}}


class Process:
    """A client that reports tasks and replies as the process in the sandbox does."""

    def __init__(self, client: ClientSession, port: int) -> None:
        self.client, self.requests = client, []
        self.url = f"http://127.0.0.1:{port}/references"

    async def report(self, *tasks: dict[str, Any]) -> None:
        async with self.client.put(f"{self.url}/tasks", json=tasks) as sent:
            assert sent.status == 200

    async def take(self) -> None:
        """Take the next request without a reply."""
        async with self.client.get(f"{self.url}/requests") as response:
            (request,) = await response.json()
        self.requests.append(request)

    async def reply(self, *bodies: dict[str, Any]) -> None:
        """Answer one request after the other."""
        for body in bodies:
            await self.take()
            answer = {"id": self.requests[-1]["id"], **body}
            async with self.client.put(f"{self.url}/replies", json=answer) as sent:
                assert sent.status == 200


@asynccontextmanager
async def process_of(process: ReferenceProcess) -> AsyncIterator[Process]:
    application = web.Application()
    application.add_routes(process_routes(lambda: process))
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    async with ClientSession() as client:
        yield Process(client, runner.addresses[0][1])
    await runner.cleanup()


def content(body: dict[str, Any]) -> Any:
    return body["choices"][0]["message"]["content"]


def test_plain_answers_need_no_process_and_the_other_is_one_with_another_answer() -> None:
    async def scenario(served: ServedGateway) -> None:
        references = served.gateway.plan.references
        answers = ["yes", "yes", "no"]
        references.add_tasks(
            [{"index": i, "hash": str(i), "answer": text} for i, text in enumerate(answers)]
        )
        assert not references.needs_process
        assert references.others == {0: 2, 1: 2, 2: 0}
        for name, reply in (("oracle/0/0", "yes"), ("swapped/0/0", "no"), ("silent/0/0", "")):
            assert content((await served.chat(name))[1]) == reply

    run_scenario(scenario)


def test_a_task_without_a_reference_refuses_the_probe_that_repeats_it() -> None:
    async def scenario(served: ServedGateway) -> None:
        served.gateway.plan.references.add_tasks([{"index": 0, "hash": "0"}])
        for name in ("oracle/0/0", "swapped/0/0"):
            status, body = await served.chat(name)
            assert (status, body["error"]["code"]) == (409, "no_reference")

    run_scenario(scenario)


def test_an_answer_that_was_cut_in_its_event_is_computed_by_the_process() -> None:
    references = References.of(job())
    references.add_tasks([{"index": 0, "hash": "0", "answer": "lon…", "answer_characters": 9}])
    assert references.needs_process


def test_a_run_without_probes_needs_no_references() -> None:
    references = References.of(job(policies=("model",)))
    references.add_tasks(HOOKED)
    assert not references.needs_process


def test_an_oracle_gets_the_messages_of_each_call_and_its_tool_calls_are_the_reply() -> None:
    async def scenario(served: ServedGateway) -> None:
        references = served.gateway.plan.references
        references.add_tasks(HOOKED)
        async with process_of(references.process) as process:
            tasks = [{"hash": f"h{i}", "reference": True, "other": (i + 1) % 3} for i in (2, 0, 1)]
            await process.report(*tasks)  # in another order
            replying = asyncio.create_task(
                process.reply(
                    {"message": {"content": None, "tool_calls": [CALL]}},
                    {"message": {"content": "done"}},
                )
            )
            _, first = await served.chat("oracle/0/0")
            _, second = await served.chat("oracle/0/0", USER, {"role": "user", "content": "more"})
            await replying
            assert first["choices"][0]["message"]["tool_calls"] == [CALL]
            assert content(second) == "done"
            assert [request["task"] for request in process.requests] == [1, 1]
            assert [len(request["messages"]) for request in process.requests] == [1, 2]

    run_scenario(scenario)


def test_a_swapped_reply_is_the_one_that_the_process_paired() -> None:
    async def scenario(served: ServedGateway) -> None:
        references = served.gateway.plan.references
        references.add_tasks(HOOKED)
        async with process_of(references.process) as process:
            await process.report(
                {"hash": "h0", "reference": True, "other": 1},
                {"hash": "h1", "reference": True, "other": 99},
                {"hash": "another", "reference": True, "other": 0},
            )
            assert references.others == {0: 1}
            assert [references.knows(task) for task in range(3)] == [True, True, False]
            replies = [{"message": {"content": "own"}}, {"message": {"content": "other"}}]
            replying = asyncio.create_task(process.reply(*replies))
            assert content((await served.chat("swapped/0/0"))[1]) == "other"
            await replying
            assert [request["task"] for request in process.requests] == [0, 1]

    run_scenario(scenario)


def test_an_oracle_that_raises_and_a_process_that_ends_refuse_the_call_with_the_reason() -> None:
    async def scenario(served: ServedGateway) -> None:
        references = served.gateway.plan.references
        references.add_tasks(HOOKED)
        async with process_of(references.process) as process:
            await process.report({"hash": "h0", "reference": True, "other": None})
            replying = asyncio.create_task(process.reply({"error": "oracle() raised KeyError"}))
            status, body = await served.chat("oracle/0/0")
            await replying
            assert (status, body["error"]["message"]) == (409, "oracle() raised KeyError")
            waiting = asyncio.create_task(served.chat("oracle/0/0"))
            await process.take()
            references.process.end("it ended with status 7")
            for status, body in (await waiting, await served.chat("oracle/0/0")):
                assert (status, body["error"]["message"]) == (409, "it ended with status 7")
            assert content((await served.chat("silent/0/0"))[1]) == ""
        assert references.knows(2)  # its rollouts fail with the reason

    run_scenario(scenario)


def test_a_probe_repeats_the_last_reference_where_its_own_replies_made_the_oracle_fail() -> None:
    async def scenario(served: ServedGateway) -> None:
        served.gateway.plan.references.add_tasks(HOOKED)
        async with process_of(served.gateway.plan.references.process) as process:
            task = {"reference": True, "other": 0}
            await process.report({"hash": "h0", **task}, {"hash": "h1", **task})
            shape, none = {"message": {"content": "Code: 1123"}}, {"error": "IndexError"}
            replying = asyncio.create_task(process.reply(shape, shape, none, none))
            replies = [await served.chat("swapped/1/0", *[USER] * turn) for turn in (1, 2)]
            await replying
            assert [content(body) for _, body in replies] == ["Code: 1123"] * 2
            replying = asyncio.create_task(process.reply(shape, none))
            assert (await served.chat("oracle/1/0"))[0] == 200
            assert (await served.chat("oracle/1/0", USER, USER))[0] == 409
            await replying

    run_scenario(scenario)


def test_an_oracle_that_never_replies_is_waited_for_a_bounded_time() -> None:
    async def scenario() -> None:
        process = ReferenceProcess()
        reference = await process.ask(0, [USER], seconds=0.05)
        assert reference is not None
        assert reference.error == "oracle() did not reply within 0.05 seconds"

    asyncio.run(scenario())


def test_replies_of_any_shape_are_read() -> None:
    async def scenario(served: ServedGateway) -> None:
        references = served.gateway.plan.references
        references.add_tasks(HOOKED)
        async with process_of(references.process) as process:
            await process.report({"hash": "h0", "reference": True}, {"hash": 5})
            bodies: list[dict[str, Any]] = [
                {"message": 5},
                {"error": ""},
                {"message": {"content": 7}},
            ]
            replying = asyncio.create_task(process.reply(*bodies))
            statuses = [(await served.chat("oracle/0/0"))[0] for _ in bodies]
            await replying
            assert statuses == [409, 409, 200]

    run_scenario(scenario)
