"""A worker listens to a model's queue for as long as the model is ready on its machine."""

from __future__ import annotations

import asyncio
import threading
from functools import partial
from typing import Any

import aiohttp
from celery import bootsteps
from celery.worker.consumer import Consumer

from envyard.contract.job import queue_for
from envyard_runner.config import Config
from envyard_runner.link import Hub
from envyard_runner.presence import announcing

STOP_SECONDS = 5.0


class ListenForModels(bootsteps.StartStopStep):
    """Looks for models from a thread of its own: the worker's main one may wait for its broker.

    Celery starts and stops this with every connection to the broker.
    """

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def __init__(self, consumer: Consumer, **_: Any) -> None:
        self._config: Config = consumer.app.conf.envyard_config
        self._loop = asyncio.new_event_loop()
        self._thread: threading.Thread | None = None
        self._stopping = asyncio.Event()
        self._heard: frozenset[str] = frozenset()

    def start(self, consumer: Consumer) -> None:
        """Listen to what is ready from now on."""
        self._stopping.clear()
        run = self._loop.run_until_complete
        self._thread = threading.Thread(target=lambda: run(self._look(consumer)), daemon=True)
        self._thread.start()

    def stop(self, consumer: Consumer) -> None:
        """Look no longer; what was listened to ends with the connection."""
        if self._thread is not None:
            self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join(STOP_SECONDS)
            self._thread = None

    async def _look(self, consumer: Consumer) -> None:
        config = self._config
        async with aiohttp.ClientSession() as session:
            hub = Hub(session, url=config.hub_url, token=config.token or "")
            async with announcing(config, hub, partial(self._hear, consumer)):
                await self._stopping.wait()

    def _hear(self, consumer: Consumer, ready: frozenset[str]) -> None:
        """Change what the worker listens to, on its own thread: no connection is safe for two."""
        for name in ready:  # those heard before are asked for again after a reconnection
            consumer.call_soon(consumer.add_task_queue, queue_for(name))
        for name in self._heard - ready:
            consumer.call_soon(consumer.cancel_task_queue, queue_for(name))
        self._heard = ready
