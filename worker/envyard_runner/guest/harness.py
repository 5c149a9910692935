"""The chat loop of a run's rollouts: it notes which of them wait for the model."""

from __future__ import annotations

import contextvars
from typing import Any

from . import chat_loop
from .adapter import Rollout

ID = chat_loop.ID
__all__ = ["GuestHarness"]

current: contextvars.ContextVar[Rollout] = contextvars.ContextVar("rollout")


class GuestHarness(chat_loop.ChatHarness):
    """Marks the current rollout as waiting during each call."""

    async def _ask(self, endpoint: str, headers: dict[str, str], body: dict[str, Any]) -> Any:
        rollout = current.get()
        rollout.waits_for_model = True
        try:
            return await super()._ask(endpoint, headers, body)
        finally:
            rollout.waits_for_model = False
