"""The HTTP server on the sandbox's listening socket: OpenAI's API, one base URL per rollout.

Every other address is the judge's.
"""

from __future__ import annotations

import asyncio
import logging
import random
import socket
import time
from collections.abc import Sequence
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler

from envyard.contract.code_checks.scoring_constants import NO_CONSTANTS, ScoringConstants
from envyard.contract.job import MODEL, JobSpec
from envyard.contract.probes import ALL_OPTIONS, FORMAT, MALFORMED, ORACLE, PROBES, reference_of
from envyard.contract.transcript import clean_message
from envyard.contract.values import text
from envyard_runner.gateway import openai
from envyard_runner.gateway.form_trial import POLICY as FORM
from envyard_runner.gateway.judge.live import LiveVerdicts
from envyard_runner.gateway.judge.server import Judge
from envyard_runner.gateway.judge.usage import JudgeUsage
from envyard_runner.gateway.model import Model
from envyard_runner.gateway.model_proxy import (
    DONE,
    MODEL_NAME,
    STREAMING,
    ModelProxy,
    begin_stream,
    json_response,
    sse_event,
    without_usage,
)
from envyard_runner.gateway.openai import Call
from envyard_runner.gateway.plan import Plan
from envyard_runner.gateway.replays import Repeated
from envyard_runner.gateway.reply import Refusal, Reply
from envyard_runner.gateway.rollout_records import Record, RolloutRecords
from envyard_runner.mutation.forms import Form
from envyard_runner.probing.chat_text import plain_text
from envyard_runner.probing.probes import REPLIES, Message, NoReference, ProbeCall
from envyard_runner.socket_server import SocketServer

log = logging.getLogger(__name__)

MAX_BODY = 4 << 20
MAX_CONNECTIONS = 256
BODY_SECONDS = 30.0
GIVE_OTHERS = (ALL_OPTIONS, FORMAT, MALFORMED)  # probes that use another task's answer
COMPARED = 8  # calls of a rollout, of which one must show its task's prompt
BEGINNING = 100  # characters of a first call that a finding repeats
# Of the rollouts of a run, and of those that a trainer's host plays.
BASES = ("/rollouts/{rollout}", "/{rollout:[0-9a-f]{16}}")
JUDGE_PATHS, JUDGE_ROUTE = "/{judge:.*}", "/{judge}"  # all that no other route has

SERVER, OWNER = "uvicorn", "vllm"  # as vLLM's server has them: a trainer's gateway is no other


async def _name_server(_: web.Request, response: web.StreamResponse) -> None:
    response.headers["Server"] = SERVER


class Gateway:
    """Answers one run's calls and keeps the record of every rollout in `records`.

    Rollouts have the aliases of `plan` in the sandbox, and no answer names a policy. `model` is
    None for a run of probes only, and `proxy` forwards calls to it. `judge` answers the calls that
    the environment sends by itself, by `judge_model` where there is one. A gateway with `replays`
    plans and answers those only, by recorded replies and verdicts. `failure` names an exception of
    the gateway's own, which must not be blamed on the environment. No record holds one of
    `secrets`. Some probes reply with the `constants` of the scoring code. Replies name
    `model_name`, and their Server header is that of vLLM. `rollouts` is how many
    are played where not all tasks of the job are.
    """

    def __init__(
        self,
        job: JobSpec,
        model: Model | None,
        *,
        judge_model: Model | None = None,
        replays: Repeated | None = None,
        secrets: Sequence[str] = (),
        form: Form | None = None,
        constants: ScoringConstants = NO_CONSTANTS,
        model_name: str = MODEL_NAME,
        rollouts: int = 0,
    ) -> None:
        keys = [server.key for server in (model, judge_model) if server and server.key]
        self.records = RolloutRecords(job, secrets=[*keys, *secrets], rollouts=rollouts)
        self.plan = Plan(job, self.records.judge, form, constants)
        self.proxy = ModelProxy(job, model)
        usage = JudgeUsage(job.limits)
        self.judge = Judge(
            replays.judge if replays else LiveVerdicts(judge_model, usage),
            usage,
            self.records.judge,
            replays.name if replays else self.plan.name,
            concurrency=job.concurrency,
        )
        self.failure, self._constants = "", constants
        self._job, self._replays, self._model_name = job, replays, model_name
        self._slots = asyncio.Semaphore(2 * job.concurrency)
        self._comparing = asyncio.Lock()
        self._server = SocketServer(self._application(), connections=MAX_CONNECTIONS, name=__name__)

    async def open(self, listening: socket.socket) -> None:
        """Serve on the socket that the sandbox handed out, which is closed with the gateway."""
        await self._server.open(listening)

    async def close(self) -> None:
        """Close the socket and end every call."""
        await self._server.close()

    def _application(self) -> web.Application:
        application = web.Application(middlewares=[self._guard], client_max_size=MAX_BODY)
        application.on_response_prepare.append(_name_server)
        for base in BASES:
            application.add_routes(
                [
                    web.post(f"{base}/v1/chat/completions", self._chat),
                    web.post(f"{base}/v1/completions", self._complete),
                    web.get(f"{base}/v1/models", self._models),
                ]
            )
        application.add_routes(
            [
                web.route("*", "/rollouts/{path:.*}", _no_route),
                web.route("*", JUDGE_PATHS, self.judge.handle),
            ]
        )
        return application

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Bound every call in time and number; what goes wrong is answered in OpenAI's shape.

        The judge has bounds of its own: its calls take nothing of the policy's.
        """
        resource = request.match_info.route.resource
        if resource is not None and resource.canonical == JUDGE_ROUTE:
            return await handler(request)
        try:
            async with asyncio.timeout(self._job.limits.rollout_seconds), self._slots:
                return await handler(request)
        except Refusal as error:
            refusal = error
        except web.HTTPException as error:
            refusal = Refusal(error.status, "bad_request", error.text or error.reason)
        except TimeoutError:
            refusal = Refusal(408, "timeout", "the call took longer than a rollout may")
        except ConnectionError:
            raise
        except Exception as error:
            log.exception("run %s: a call through the gateway failed", self._job.run)
            self.failure = f"{type(error).__name__}: {error}"
            refusal = Refusal(500, "gateway_error", "the gateway failed")
        if STREAMING in request:  # too late for another status: the broken stream must say it
            raise ConnectionResetError(refusal.message)
        return web.json_response(refusal.to_dict(), status=refusal.status)

    async def groups(self) -> list[list[dict[str, Any]]]:
        """The groups of rollouts to be played, by their aliases, once they are planned."""
        return await (self._replays or self.plan).groups()

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        record, call, number = await self._accept(request, openai.read_chat)
        ident = f"chatcmpl-{request.match_info['rollout']}-{number}"
        if record.policy == MODEL:
            return await self.proxy.forward("chat/completions", request, record, call, ident)
        reply = await self._play(record, call, number)
        if not call.stream:
            return json_response(openai.completion(reply, model=self._model_name, ident=ident))
        parts = openai.chunks(reply, model=self._model_name, ident=ident)
        response = await begin_stream(request)
        kept = without_usage(parts, include_usage=call.include_usage)
        await response.write_eof(b"".join(map(sse_event, kept)) + DONE)
        return response

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        record, call, number = await self._accept(request, openai.read_completion)
        ident = f"cmpl-{request.match_info['rollout']}-{number}"
        if record.policy == MODEL:
            return await self.proxy.forward("completions", request, record, call, ident)
        reply = await self._play(record, call, number)
        return json_response(openai.text_completion(reply, model=self._model_name, ident=ident))

    async def _models(self, request: web.Request) -> web.Response:
        self._record(request)
        entry = {"id": self._model_name, "object": "model", "created": 0, "owned_by": OWNER}
        return web.json_response({"object": "list", "data": [entry]})

    async def _refer(self, record: Record, call: Call) -> None:
        """Look up the references of a probe's call: the one it repeats, and the right reply."""
        task, references = int(record.rollout.split("/")[1]), self.plan.references
        own = await references.own(task, call.messages)
        if own is not None and not own.error:
            record.right_answer = clean_message(own.message) | {"role": "assistant"}
        kind = "own" if record.policy == FORM else reference_of(record.policy)
        used = (
            own if kind == "own" else await references.other(task, call.messages) if kind else None
        )
        # Beyond its first reply a probe is somewhere the reference may never come: it then repeats
        # the last one. The policy that plays the reference needs each.
        if used is not None and not (used.error and record.reference and record.policy != ORACLE):
            record.reference = clean_message(used.message) | {"role": "assistant"}
            record.reference_error = text(used.error, 2000)
        if record.policy in GIVE_OTHERS and record.other_answer is None:
            other = await references.other(task, call.messages)
            if other is not None and not other.error:
                record.other_answer = clean_message(other.message)

    async def _accept(self, request: web.Request, read: Any) -> tuple[Record, Call, int]:
        record = self._record(request)
        call: Call = read(await _body(request))
        number = self.records.spend(record)
        is_repeated = record.replies_to_repeat is not None
        if number <= COMPARED and not is_repeated and not record.prompt_shown:
            # In a thread: texts may be long, and this loop also holds the limits of the sandbox.
            async with self._comparing:
                await asyncio.to_thread(self._compare, record, call, first=number == 1)
        if number == 1 and not is_repeated and record.policy != FORM:
            began = time.monotonic()
            await self.plan.forms.wait()
            record.model_seconds += time.monotonic() - began
        return record, call, number

    def _compare(self, record: Record, call: Call, *, first: bool) -> None:
        """Note whether a call shows its task's prompt; the first may be to a planner."""
        task = int(record.rollout.split("/")[1])
        shown = self.plan.prompts.shown(task, call.messages)
        record.prompt_shown = record.prompt_shown or shown  # another call may have been faster
        if shown is False and first:
            record.first_call = text(plain_text(call.messages[-1].get("content")), BEGINNING)

    def _record(self, request: web.Request) -> Record:
        alias = request.match_info["rollout"]
        if self._replays is not None:
            record = self._replays.record(alias)
        elif name := self.plan.name(alias):
            record = self.records.open(name)
        else:  # a survey changes the references that it played
            record = self.plan.replays.mutants.record(alias)
        if record is None:
            raise Refusal(404, "no_such_rollout", f"rollout {alias[:40]!r} is not part of this run")
        return record

    async def _play(self, record: Record, call: Call, number: int) -> Reply:
        """The probe's reply, recorded; raises Refusal 409 if it has no reference to repeat. A
        replay's reply is the one recorded before, and leaves no record of its own."""
        if record.replies_to_repeat is not None:
            recorded = record.replies_to_repeat.answer(call)
            record.completion_tokens += recorded.completion_tokens
            return recorded
        await self._refer(record, call)
        if record.reference_error:
            raise Refusal(409, "no_reference", record.reference_error)
        limits = self._job.limits
        rng = random.Random(f"{self._job.seed}/{record.rollout}/{number}")  # noqa: S311  (repeatable on purpose)
        reference = self._in_form(record, record.reference, call)
        own = self._in_form(record, record.right_answer, call)
        other = self._in_form(record, record.other_answer, call)
        probe_call = ProbeCall(
            call.messages,
            call.tools,
            reference,
            rng,
            limits.max_tokens,
            own,
            other,
            self.plan.references.answers,
            self._constants,
            int(record.rollout.split("/")[1]),
        )
        try:
            message = REPLIES[ORACLE if record.policy == FORM else record.policy](probe_call)
        except NoReference:
            raise Refusal(409, "no_reference", "the task has no reference reply") from None
        if record.policy in PROBES and PROBES[record.policy].floor:
            texts = [_only_text(each) for each in (record.right_answer, own) if each]
            is_right = _only_text(message) in [each for each in texts if each is not None]
            before = number == 1 or record.gave_right_reply  # one right move of several is luck
            record.gave_right_reply = is_right and before
        reply = openai.scripted(message, call, limits.max_tokens)
        record.add(call, reply, 0.0)
        return reply

    def _in_form(self, record: Record, reference: Message | None, call: Call) -> Message | None:
        """The reference in the form that the environment pays; None where there is none."""
        if reference is None:
            return None
        return self.plan.forms.in_form(reference, record.rollout, call.messages)


def _only_text(message: Message) -> str | None:
    """A reply's text without case and white space; None for one that calls tools."""
    if message.get("tool_calls"):
        return None
    return " ".join(plain_text(message.get("content")).casefold().split())


async def _no_route(request: web.Request) -> web.StreamResponse:
    raise web.HTTPNotFound


async def _body(request: web.Request) -> bytes:
    async with asyncio.timeout(BODY_SECONDS):
        return await request.read()
