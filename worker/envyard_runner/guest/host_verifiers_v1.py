"""verifiers v1: one episode of the loaded Env for each rollout. Source: verifiers 0.4.0."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import AsyncIterator, Sequence
from typing import Any

import httpx
import verifiers.v1 as vf

from . import chat_loop
from .host_config import HostConfig
from .sampling import SERVER_OPTIONS
from .verifiers_v1_config import local_config


class LoadedEnv:
    """The Env and the first of its tasks."""

    def __init__(self, config: HostConfig) -> None:
        sys.modules[chat_loop.ID.replace("-", "_")] = chat_loop
        local = local_config(
            config.module,
            seed=config.seed,
            max_turns=config.max_turns,
            loop=chat_loop.ChatHarnessConfig,
        )
        self._config = config
        self._env = vf.load_environment(local.config)
        self.tasks = list(self._env.taskset.take(config.tasks))

    def hash_of(self, task: int) -> str:
        """The task's hash."""
        return str(self.tasks[task].hash)

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """The framework's interception and shared tool servers."""
        async with httpx.AsyncClient(timeout=None) as http, self._env.serving():
            chat_loop.ChatHarness.http = http
            yield

    async def play(self, task: int, base_urls: Sequence[str]) -> list[float]:
        """The reward of each episode; raises RuntimeError where one failed."""
        return [await self._play_one(task, base_url) for base_url in base_urls]

    async def _play_one(self, task: int, base_url: str) -> float:
        context = vf.ModelContext(
            model=self._config.model,
            client=vf.EvalClientConfig(base_url=base_url, api_key_var="NO_API_KEY"),
            sampling=vf.SamplingConfig(**self._config.sampling, **SERVER_OPTIONS),
        )
        (slot,) = self._env.slots(self.tasks[task])
        episode = await self._env.run_slot(slot, context)
        if not episode.ok:
            errors = [*episode.errors, *(t.last_error for t in episode.traces if not t.ok)]
            first = next((error for error in errors if error is not None), None)
            raise RuntimeError(f"{first.type}: {first.message}" if first else "it failed")
        trained = [trace for trace in episode.traces if trace.agent.trainable] or episode.traces
        return sum(_total(trace) for trace in trained) / len(trained)


def _total(trace: Any) -> float:
    rewards = [reward for reward in trace.rewards.values() if reward is not None]
    return float(sum(reward.score * reward.weight for reward in rewards))


def load(config: HostConfig) -> LoadedEnv:
    """Import and load the environment."""
    return LoadedEnv(config)
