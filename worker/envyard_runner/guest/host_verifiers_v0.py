"""Classic verifiers: the environment's own rollout and rubric. Source: verifiers 0.1.9 to 0.3.1."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
from collections.abc import AsyncIterator
from typing import Any

from . import seeds
from . import verifiers_v0_releases as releases
from .host_config import HostConfig

NO_KEY = "none"


class LoadedEnv:
    """The environment and the first of its rows."""

    def __init__(self, config: HostConfig) -> None:
        os.environ.setdefault("HF_DATASETS_DISABLE_PROGRESS_BARS", "1")
        module = importlib.import_module(config.module)
        self._config = config
        self._env = module.load_environment(**seeds.options(module.load_environment, config.seed))
        _, self.rows = releases.first_rows(self._env, config.tasks)

    def hash_of(self, task: int) -> str:
        """The row's hash."""
        return releases.row_hash(self.rows[task])

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """Nothing is shared by rollouts."""
        yield

    async def play(self, task: int, base_url: str) -> float:
        """The reward of one rollout; raises RuntimeError where it failed."""
        sampling = {**self._env.sampling_args, "max_tokens": self._config.max_tokens}
        client = _client(base_url)
        try:
            row = dict(self.rows[task])
            state = await self._env.rollout(row, client, self._config.model, sampling)
            await releases.score_group(self._env, [state])
            await releases.clean_up(self._env, [state])
        finally:
            await client.close()
        if failed := state.get("error"):
            raise RuntimeError(f"{type(failed).__name__}: {failed}")
        return float(state.get("reward") or 0.0)


def _client(base_url: str) -> Any:
    if importlib.util.find_spec(releases.CLIENTS) is None:
        from openai import AsyncOpenAI

        return AsyncOpenAI(base_url=base_url, api_key=NO_KEY, max_retries=0)
    from verifiers.clients import OpenAIChatCompletionsClient
    from verifiers.types import ClientConfig

    config = ClientConfig(api_base_url=base_url, api_key_var="NO_API_KEY", max_retries=0)
    return OpenAIChatCompletionsClient(config)


def load(config: HostConfig) -> LoadedEnv:
    """Import and load the environment."""
    return LoadedEnv(config)
