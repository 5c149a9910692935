"""A rollout's client for verifiers before 0.1.11, where rollouts take an `AsyncOpenAI`.

Source: verifiers 0.1.9 and 0.1.10; 0.1.10 refuses an empty reply, 0.1.9 does not.
"""

from __future__ import annotations

import contextvars
import functools
from typing import Any

import verifiers as vf
from openai import AsyncOpenAI
from verifiers.errors import EmptyModelResponseError

from .adapter import Rollout

NO_KEY = "none"
last_reply: contextvars.ContextVar[Any] = contextvars.ContextVar("last_reply")


class RolloutClient(AsyncOpenAI):  # type: ignore[misc]
    """One rollout's client: its own base URL, and no check of the model's replies."""

    def __init__(self, rollout: Rollout) -> None:
        super().__init__(base_url=rollout.url, api_key=NO_KEY, max_retries=0)
        self.rollout = rollout

    async def post(self, *args: Any, **kwargs: Any) -> Any:
        """The SDK's own, with a mark that the rollout waits for the model, and with an empty text
        where the model returned no content."""
        self.rollout.waits_for_model = True
        try:
            reply = await super().post(*args, **kwargs)
        finally:
            self.rollout.waits_for_model = False
        for choice in getattr(reply, "choices", None) or []:
            message = getattr(choice, "message", None)
            if message is not None and message.content is None and not message.tool_calls:
                message.content = ""
        last_reply.set(reply)
        return reply


def let_empty_replies_through() -> None:
    """Make every environment take an empty reply: the verifier must judge it."""
    get_response = vf.Environment.get_model_response

    @functools.wraps(get_response)
    async def get_any_response(self: Any, *args: Any, **kwargs: Any) -> Any:
        last_reply.set(None)
        try:
            return await get_response(self, *args, **kwargs)
        except EmptyModelResponseError:
            reply = last_reply.get()
            if not getattr(reply, "choices", None):
                raise
            return reply

    vf.Environment.get_model_response = get_any_response


let_empty_replies_through()
