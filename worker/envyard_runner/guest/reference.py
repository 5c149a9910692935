"""Send the reference replies of a task to the gateway before the policy is called.

One probe is answered with a task's own reference, one with another task's: a verifier that pays for
that pays for any well-shaped reply. Nothing in the sandbox may know which rollouts are theirs, so
both references are handed over in every rollout alike.
"""

from __future__ import annotations

import inspect
import json
from typing import Any

from .adapter import Message, Rollout, Task

CANDIDATES = 8
REQUEST_CHARACTERS = 1 << 20  # of one request


class OracleFailed(Exception):
    """The environment's own oracle() raised, or returned what is no reply."""


async def reference_reply(task: Task, messages: list[Message]) -> Message | None:
    """The task's reference reply to a conversation; raises OracleFailed."""
    if task.oracle is None:
        return None if task.answer is None else {"role": "assistant", "content": task.answer}
    try:
        answer = task.oracle(messages)
        if inspect.isawaitable(answer):
            answer = await answer
    except Exception as error:
        raise OracleFailed(f"oracle() raised {type(error).__name__}: {error}") from error
    if isinstance(answer, str):
        return {"role": "assistant", "content": answer}
    if isinstance(answer, dict):
        return {"role": "assistant", **answer}
    raise OracleFailed(f"oracle() must return a str or a dict, not {type(answer).__name__}")


async def find_other(task: Task, tasks: list[Task]) -> Task | None:
    """The next task whose reference differs here; None where there is none.

    With equal answers (two questions whose answer is yes) the other's reference is right, and must
    be paid.
    """
    own = await _opening_reply(task, task)
    others = [
        candidate
        for candidate in (*tasks[task.index + 1 :], *tasks[: task.index])
        if candidate.reference
    ]
    for candidate in others[:CANDIDATES]:
        answer = await _opening_reply(candidate, task)
        if answer is not None and answer != own:
            return candidate
    return None


async def _opening_reply(task: Task, here: Task) -> Message | None:
    """A task's reference reply to the opening of the task `here`; None if it cannot be computed
    yet."""
    try:
        return await reference_reply(task, list(here.opening))
    except OracleFailed:
        return None


async def send_all_references(rollouts: list[Rollout], http: Any) -> None:
    """Send both references of all rollouts whose references do not depend on the conversation, up
    to the size of one request; the others follow when they begin."""
    body: dict[str, Any] = {}
    room = REQUEST_CHARACTERS
    for rollout in rollouts:
        if not depends_on_conversation(rollout):
            references = await _references(rollout, [])
            room -= len(json.dumps(references))
            if room < 0:
                break
            body[rollout.id], rollout.references_sent = references, True
    if body:
        response = await http.put(f"{rollouts[0].job.gateway}/references", json=body)
        response.raise_for_status()


async def send_references(rollout: Rollout, messages: list[Message], http: Any) -> None:
    """Send both references for the next call; `http` is an httpx.AsyncClient.

    Once is enough where neither depends on the conversation.
    """
    if rollout.references_sent and not depends_on_conversation(rollout):
        return
    rollout.references_sent = True
    body = await _references(rollout, messages)
    if any(body.values()):
        response = await http.put(f"{rollout.gateway_url}/references", json=body)
        response.raise_for_status()


def depends_on_conversation(rollout: Rollout) -> bool:
    """Whether either reference may be another one in each turn."""
    return any(task and task.oracle for task in (rollout.task, rollout.task.other))


async def _references(rollout: Rollout, messages: list[Message]) -> dict[str, Any]:
    speakers = {"own": rollout.task, "other": rollout.task.other}
    return {name: await _reference(task, messages) for name, task in speakers.items()}


async def _reference(task: Task | None, messages: list[Message]) -> dict[str, Any] | None:
    """One reference for the gateway: a message, why there is none, or None."""
    if task is None:
        return None
    try:
        message = await reference_reply(task, messages)
    except OracleFailed as error:
        return {"error": str(error)}
    return None if message is None else {"message": message}
