"""What a perfect policy would say, and telling it to the gateway before the model is asked.

The probe `oracle` is answered with it. The probe `swapped` gets another task's reference: a
verifier that pays for it pays for any well-shaped reply.
"""

from __future__ import annotations

import inspect
from typing import Any

from .play import Message, Rollout, Task

POLICIES = ("oracle", "swapped")
CANDIDATES = 8


class OracleFailed(Exception):
    """The environment's own oracle() raised, or returned what is no reply."""


async def reply(task: Task, messages: list[Message]) -> Message | None:
    """The task's reference reply to a conversation; raises OracleFailed."""
    if task.oracle is None:
        return None if task.answer is None else {"role": "assistant", "content": task.answer}
    try:
        said = task.oracle(messages)
        if inspect.isawaitable(said):
            said = await said
    except Exception as error:
        raise OracleFailed(f"oracle() raised {type(error).__name__}: {error}") from error
    if isinstance(said, str):
        return {"role": "assistant", "content": said}
    if isinstance(said, dict):
        return {"role": "assistant", **said}
    raise OracleFailed(f"oracle() must return a str or a dict, not {type(said).__name__}")


async def speaker(policy: str, task: Task, tasks: list[Task]) -> Task | None:
    """The task whose reference this policy speaks in this task; None where there is none.

    For `swapped` that is the next task that would answer otherwise here: with equal answers (two
    questions whose answer is yes) the other's reference is right, and must be paid.
    """
    if policy == "oracle":
        return task if task.reference else None
    own = await _opening_reply(task, task)
    others = [
        other for other in (*tasks[task.index + 1 :], *tasks[: task.index]) if other.reference
    ]
    for other in others[:CANDIDATES]:
        theirs = await _opening_reply(other, task)
        if theirs is not None and theirs != own:
            return other
    return None


async def _opening_reply(task: Task, here: Task) -> Message | None:
    """What a task's reference says first in this task; None where that cannot be said yet."""
    try:
        return await reply(task, list(here.opening))
    except OracleFailed:
        return None


async def tell(rollout: Rollout, messages: list[Message], http: Any) -> None:
    """Give the gateway the reference for the next call; `http` is an httpx.AsyncClient."""
    if rollout.says is None:
        return
    message = await reply(rollout.says, messages)
    url = rollout.url.removesuffix("/v1") + "/reference"
    response = await http.put(url, json={"message": message})
    response.raise_for_status()
