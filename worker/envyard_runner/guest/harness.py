"""The chat loop of a run's rollouts: each call is preceded by its references."""

from __future__ import annotations

import contextvars
from typing import Any

from . import chat_loop
from .adapter import Rollout
from .reference import send_references

ID = "envyard-inside"
__all__ = ["GuestHarness"]

current: contextvars.ContextVar[Rollout] = contextvars.ContextVar("envyard_rollout")


class GuestHarness(chat_loop.ChatHarness):
    """Sends the references of the current rollout before each call."""

    async def _ask(self, endpoint: str, headers: dict[str, str], body: dict[str, Any]) -> Any:
        rollout = current.get()
        await send_references(rollout, body["messages"], self.http)
        rollout.waits_for_model = True
        try:
            return await super()._ask(endpoint, headers, body)
        finally:
            rollout.waits_for_model = False
