"""verifiers v1: tasksets and environments of today's API, played through their own Env.

Runtime, harness, endpoint and model are ours in every role, whatever the author's defaults are:
those name a paid remote machine. Source: verifiers 0.4.0, resolve_env_config and Env.run_slot.
"""

from __future__ import annotations

import contextlib
import inspect
import json
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any

import verifiers
import verifiers.v1 as vf
from verifiers.v1 import runtimes
from verifiers.v1.dialects.chat import message_to_wire
from verifiers.v1.errors import SandboxError
from verifiers.v1.utils import loaders

from . import chat_loop, containers, web
from . import harness as our_harness
from .adapter import Message, Outcome, Rollout, Task
from .answers import plain_answer
from .events import Fault, error_of, failure
from .job import GuestJob
from .sampling import sampling_of
from .toolservers import ForkServer, install
from .verifiers_v1_config import local_config
from .verifiers_v1_splits import EVAL, evaluation_taskset, split_name

FAULTS: dict[str, Fault] = {
    "ProviderError": "model",
    "InterceptionError": "platform",
    "TunnelError": "platform",
}
NO_KEY = "NO_API_KEY"


class VerifiersV1:
    """Plays one taskset, alone or with the Env its module exports."""

    compares = False  # v1 scores every episode by itself
    seed_entry = "the taskset's configuration"

    def __init__(self, job: GuestJob) -> None:
        self.job = job
        self.version = str(verifiers.__version__)
        self.env: Any = None
        self.http: Any = None
        self.seeds: dict[str, int] = {}

    def prepare(self) -> None:
        """Make the client, and have runtimes that are containers report their images."""
        self.http = web.client()
        containers.refuse_runtimes(runtimes, SandboxError)

    def import_environment(self) -> None:
        """Import the module, and fork the nursery while nothing else of it runs."""
        taskset = loaders.taskset_class(self.job.module)
        if _has_tools(taskset):
            install(ForkServer())

    @property
    def bounded(self) -> bool:
        """Whether the taskset states that its tasks end."""
        return bool(self.env.taskset.bounded)

    def load(self) -> list[Task]:
        """The first tasks of the taskset with its default configuration."""
        sys.modules[our_harness.ID.replace("-", "_")] = our_harness
        self.env = vf.load_environment(self._config())
        return [*self.every_task(self.job.tasks)]

    def every_task(self, limit: int) -> Iterator[Task]:
        """The tasks of the taskset from the first."""
        return (self._task(i, task) for i, task in enumerate(self.env.taskset.take(limit)))

    def evaluation_tasks(self, limit: int) -> Iterator[Task] | None:
        """The tasks of the same taskset with another value of its option `split`."""
        other = evaluation_taskset(self.env.taskset)
        if other is None:
            return None
        return (self._task(i, task, EVAL) for i, task in enumerate(other.take(limit)))

    def fields(self, task: Task) -> dict[str, Any]:
        """The task's data."""
        data: dict[str, Any] = task.source.data.model_dump(mode="json", exclude_defaults=True)
        return data

    @contextlib.asynccontextmanager
    async def shared_resources(self) -> AsyncIterator[None]:
        """The framework's interception and shared tool servers, and one HTTP client."""
        async with self.http, self.env.serving():
            our_harness.GuestHarness.http = self.http
            yield

    async def play(self, rollouts: list[Rollout]) -> list[Outcome]:
        """One episode; its failures are data on it."""
        (rollout,) = rollouts
        our_harness.current.set(rollout)
        context = vf.ModelContext(
            model=self.job.model,
            client=vf.EvalClientConfig(base_url=rollout.url, api_key_var=NO_KEY),
            sampling=vf.SamplingConfig(
                **sampling_of(self.job.temperature, self.job.top_p, self.job.max_tokens)
            ),
        )
        (slot,) = self.env.slots(rollout.task.source)
        return [outcome(await self.env.run_slot(slot, context))]

    def _config(self) -> Any:
        local = local_config(
            self.job.module, seed=self.job.seed, max_turns=self.job.max_turns, loop=_loop
        )
        if local.own_containers:
            containers.need(None)
        self.seeds = local.seeds
        self.several_roles = local.several_roles  # another may speak first
        return local.config

    def _task(self, index: int, task: Any, split: str | None = None) -> Task:
        data = task.data
        if _needs_container(task):
            containers.need(data.image)
        oracle = inspect.getattr_static(task, "oracle", None)  # runs none of the task's code
        split = split or getattr(data, "split", None)
        split = split or getattr(self.env.taskset.config, "split", None)
        return Task(
            index=index,
            hash=task.hash,
            prompt=data.prompt_text or _row(data),
            prompted=bool(data.prompt_text) and not self.several_roles,
            answer=plain_answer(getattr(data, "answer", None)),
            split=split_name(split),
            hook=callable(getattr(oracle, "__func__", oracle)),
            source=task,
        )


def _loop(**tools: bool) -> Any:
    return chat_loop.ChatHarnessConfig(id=our_harness.ID, **tools)


def _has_tools(taskset: Any) -> bool:
    """Whether any tool server may be started: the author overrode one of the two hooks, for the
    task type or for one derived from it."""
    types = [taskset.task_type()]
    for task_type in types:
        types += task_type.__subclasses__()
    shared = taskset.toolsets.__func__ is not vf.Taskset.toolsets.__func__
    return shared or any(each.toolsets.__func__ is not vf.Task.toolsets.__func__ for each in types)


def _needs_container(task: Any) -> bool:
    """Whether the task runs in a container alone: one names its image, its user or its network."""
    data = task.data
    network = "*" not in data.network_allow or data.network_block
    return bool(type(task).NEEDS_CONTAINER or data.image or data.agent_user or network)


def _row(data: Any) -> str:
    """The fields that identify a task without a prompt."""
    return json.dumps(data.model_dump(mode="json", exclude_defaults=True, exclude={"idx"}))


def outcome(episode: Any) -> Outcome:
    """An episode as one outcome.

    Where several roles were trained, each counts alike: scores keep their value, weights are shared
    out, so that the sum stays the mean over roles that trainers report.
    """
    traces = episode.traces
    scored = [trace for trace in traces if trace.agent.trainable] or traces
    labelled = list(zip(_labels(traces), traces, strict=True))
    result = Outcome(
        messages=[message for label, trace in labelled for message in _messages(label, trace)],
        turns=sum(trace.num_turns for trace in traces),
        stop=traces[-1].stop_condition if traces else None,
        truncated=any(trace.is_truncated for trace in traces),
        scoring_seconds=sum(trace.timing.scoring.duration for trace in traces),
        error=None if episode.ok else _error(episode),
    )
    for label, trace in labelled:
        share = 1.0 / len(scored) if any(trace is other for other in scored) else 0.0
        for name, reward in trace.rewards.items():
            if reward is not None and share:
                result.rewards[label + name] = (reward.score, reward.weight * share)
        for name, value in trace.metrics.items():
            if value is not None:
                result.metrics[label + name] = value
    return result


def _labels(traces: list[Any]) -> list[str]:
    """Nothing for a single trace; else `role.`, numbered where a role played more than once."""
    if len(traces) == 1:
        return [""]
    names = [trace.agent.name for trace in traces]
    return [
        f"{name}{names[: place + 1].count(name)}." if names.count(name) > 1 else f"{name}."
        for place, name in enumerate(names)
    ]


def _messages(label: str, trace: Any) -> list[Message]:
    speaker = {"agent": label[:-1]} if label else {}
    return [{**message_to_wire(message), **speaker} for message in trace.messages]


def _error(episode: Any) -> dict[str, str]:
    """The failure that ended an episode: its own, else its first failed trace's last one."""
    errors = [*episode.errors, *(t.last_error for t in episode.traces if not t.ok)]
    present = [error for error in errors if error is not None]
    if not present:
        return error_of(RuntimeError("the episode failed without saying why"))
    first = present[0]
    fault = FAULTS.get(first.type, "environment")
    return failure(first.type, first.message, fault, first.traceback or "")
