"""A rollout's client for verifiers from 0.1.11 on, where rollouts take a client of its own kind.

Source: verifiers 0.1.11 to 0.3.1.
"""

from __future__ import annotations

import contextlib
from typing import Any

from verifiers.clients import OpenAIChatCompletionsClient
from verifiers.errors import EmptyModelResponseError
from verifiers.types import ClientConfig

from .adapter import Rollout

NO_KEY = "NO_API_KEY"


class RolloutClient(OpenAIChatCompletionsClient):  # type: ignore[misc]
    """One rollout's client: its own base URL, and no check of the model's replies."""

    def __init__(self, rollout: Rollout) -> None:
        super().__init__(ClientConfig(api_base_url=rollout.url, api_key_var=NO_KEY, max_retries=0))
        self.rollout = rollout

    async def get_response(self, *args: Any, **kwargs: Any) -> Any:
        """The framework's own, with a mark that the rollout waits for the model."""
        self.rollout.waits_for_model = True
        try:
            return await super().get_response(*args, **kwargs)
        finally:
            self.rollout.waits_for_model = False

    async def raise_from_native_response(self, response: Any) -> None:
        """Let an empty reply through: a policy may say nothing, and the verifier must judge it."""
        with contextlib.suppress(EmptyModelResponseError):
            await super().raise_from_native_response(response)

    async def from_native_response(self, response: Any) -> Any:
        """The framework's own, with an empty text where the model returned no content."""
        reply = await super().from_native_response(response)
        if reply.message.content is None and not reply.message.tool_calls:
            reply.message.content = ""
        return reply
