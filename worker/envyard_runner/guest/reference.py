"""The reference replies of tasks, computed in a process that plays no rollout.

One probe is answered with a task's own reference, one with another task's: a verifier that pays for
that pays for any well-shaped reply.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .answers import plain_answer
from .loop_alarm import RolloutTimeout

Message = dict[str, Any]
CANDIDATES = 8


class OracleFailed(Exception):
    """The environment's own oracle() raised, did not end, or returned what is no reply."""


@dataclass(slots=True)
class ReferenceTask:
    """One loaded task: its plain answer, its own oracle(), and the messages that it begins with."""

    index: int
    hash: str
    answer: str | None
    oracle: Callable[[list[Message]], Any] | None = None
    opening: tuple[Message, ...] = ()

    @property
    def reference(self) -> bool:
        """Whether anything is known about what a perfect policy would say."""
        return self.oracle is not None or self.answer is not None


def tasks_of(env: Any, adapter: str) -> list[ReferenceTask]:
    """The tasks of a LoadedEnv of the adapter's host module."""
    return _TASKS[adapter](env)


def _tasks_v0(env: Any) -> list[ReferenceTask]:
    own = importlib.import_module(".verifiers_v0_oracle", __package__)
    wire = importlib.import_module(".verifiers_v0_messages", __package__).wire
    known = own.function(env.module)
    return [
        ReferenceTask(
            index,
            env.hash_of(index),
            plain_answer(row.get("answer")) or None,
            None if known is None else own.bound(known, row),
            tuple(wire(row.get("prompt"))),
        )
        for index, row in enumerate(env.rows)
    ]


def _tasks_v1(env: Any) -> list[ReferenceTask]:
    opening = importlib.import_module(".chat_loop", __package__).opening
    tasks = []
    for index, task in enumerate(env.tasks):
        oracle = getattr(task, "oracle", None)
        tasks.append(
            ReferenceTask(
                index,
                env.hash_of(index),
                plain_answer(getattr(task.data, "answer", None)),
                oracle if callable(oracle) else None,
                tuple(opening(task.data)),
            )
        )
    return tasks


_TASKS = {"verifiers_v0": _tasks_v0, "verifiers_v1": _tasks_v1}


async def reference_reply(
    task: ReferenceTask, messages: list[Message], seconds: float
) -> Message | None:
    """The task's reference reply to a conversation, None where it has none; raises OracleFailed,
    also where it takes longer than so many seconds."""
    if task.oracle is None:
        return None if task.answer is None else {"role": "assistant", "content": task.answer}
    late = f"oracle() took longer than {seconds:g} seconds"
    try:
        answer = task.oracle(messages)
        if inspect.isawaitable(answer):
            computing = asyncio.ensure_future(answer)
            if not (await asyncio.wait({computing}, timeout=seconds))[0]:
                computing.cancel()
                raise OracleFailed(late)
            answer = computing.result()
    except OracleFailed:
        raise
    except RolloutTimeout as error:
        raise OracleFailed(late) from error
    except (Exception, SystemExit) as error:
        raise OracleFailed(f"oracle() raised {type(error).__name__}: {error}") from error
    if isinstance(answer, str):
        return {"role": "assistant", "content": answer}
    if isinstance(answer, dict):
        return {"role": "assistant", **answer}
    raise OracleFailed(f"oracle() must return a str or a dict, not {type(answer).__name__}")


async def find_other(
    task: ReferenceTask, tasks: list[ReferenceTask], seconds: float
) -> ReferenceTask | None:
    """The next task whose reference differs here; None where there is none.

    With equal answers (two questions whose answer is yes) the other's reference is right, and must
    be paid.
    """
    own = await _opening_reply(task, task, seconds)
    others = [
        candidate
        for candidate in (*tasks[task.index + 1 :], *tasks[: task.index])
        if candidate.reference
    ]
    for candidate in others[:CANDIDATES]:
        answer = await _opening_reply(candidate, task, seconds)
        if answer is not None and answer != own:
            return candidate
    return None


async def _opening_reply(
    task: ReferenceTask, here: ReferenceTask, seconds: float
) -> Message | None:
    """A task's reference reply to the opening of the task `here`; None if it cannot be computed
    yet."""
    try:
        return await reference_reply(task, list(here.opening), seconds)
    except OracleFailed:
        return None
