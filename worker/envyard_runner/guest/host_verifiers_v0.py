"""Classic verifiers: the environment's own rollout and rubric. Source: verifiers 0.1.9 to 0.3.1."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import importlib
import importlib.util
import logging
import os
from collections.abc import AsyncIterator, Sequence
from typing import Any

from . import seeds
from . import verifiers_v0_releases as releases
from .host_config import HostConfig
from .sampling import with_server_options

NO_KEY = "none"
SCORING_ERROR = "reward function"  # in the message of every release

scoring_errors: contextvars.ContextVar[list[str]] = contextvars.ContextVar("scoring_errors")


class LoadedEnv:
    """The environment and the first of its rows."""

    def __init__(self, config: HostConfig) -> None:
        os.environ.setdefault("HF_DATASETS_DISABLE_PROGRESS_BARS", "1")
        self.module = importlib.import_module(config.module)
        self._config = config
        load = self.module.load_environment
        self._env = load(**seeds.options(load, config.seed))
        _, self.rows = releases.first_rows(self._env, config.tasks)
        errors = ScoringErrors(logging.ERROR)  # after the import, which removes other handlers
        logging.getLogger("verifiers").addHandler(errors)

    def hash_of(self, task: int) -> str:
        """The row's hash."""
        return releases.row_hash(self.rows[task])

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """Nothing is shared by rollouts."""
        yield

    async def play(self, task: int, base_urls: Sequence[str]) -> list[float]:
        """The rewards of rollouts that are scored together; raises RuntimeError where one failed,
        or a reward function did."""
        errors: list[str] = []
        scoring_errors.set(errors)
        async with contextlib.AsyncExitStack() as clients:  # scoring may call the model too
            states = await asyncio.gather(
                *(self._generate(task, base_url, clients) for base_url in base_urls)
            )
            await releases.score_group(self._env, states)
            await releases.clean_up(self._env, states)
        failed = next((state["error"] for state in states if state.get("error")), None)
        if failed:
            raise RuntimeError(f"{type(failed).__name__}: {failed}")
        if errors:
            raise RuntimeError(errors[0])
        return [float(state.get("reward") or 0.0) for state in states]

    async def _generate(self, task: int, base_url: str, clients: contextlib.AsyncExitStack) -> Any:
        named = with_server_options(self._config.sampling)
        sampling = {**self._env.sampling_args, **named}
        client = _client(base_url)
        clients.push_async_callback(client.close)
        return await self._env.rollout(dict(self.rows[task]), client, self._config.model, sampling)


class ScoringErrors(logging.Handler):
    """Keeps the errors of reward functions, which a rubric logs and turns into a reward of zero."""

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one error for the group whose rewards are being computed."""
        if SCORING_ERROR in (message := record.getMessage()):
            scoring_errors.get([]).append(message[:500])


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
