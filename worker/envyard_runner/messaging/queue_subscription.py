"""Subscribe a worker to the queues of the runs that it may and can perform."""

from __future__ import annotations

import asyncio
import threading
from functools import partial
from typing import Any

import aiohttp
from celery import bootsteps
from celery.worker.consumer import Consumer

from envyard.contract.job import RUNS, queue_for
from envyard_runner.config import Config
from envyard_runner.hub_api.client import HubClient
from envyard_runner.messaging.heartbeat import RunnerStatus, sending_heartbeats
from envyard_runner.state.service import SelfCheck

STOP_SECONDS = 5.0


class QueueSubscription(bootsteps.StartStopStep):
    """Consume the queue of all runs and those of the models that are ready; none while drained or
    out of service.

    It runs in a thread of its own, because the worker's main thread may wait for its broker. Celery
    starts and stops this step with every connection to the broker.
    """

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def __init__(self, consumer: Consumer, **_: Any) -> None:
        self._config: Config = consumer.app.conf.envyard_config
        self._self_check: SelfCheck = consumer.app.conf.envyard_self_check
        self._loop = asyncio.new_event_loop()
        self._thread: threading.Thread | None = None
        self._stopping = asyncio.Event()
        self._queues = frozenset([RUNS])  # Celery's own beginning

    def start(self, consumer: Consumer) -> None:
        """Start updating the subscriptions."""
        self._stopping.clear()
        run = self._loop.run_until_complete
        self._thread = threading.Thread(
            target=lambda: run(self._follow_status(consumer)), daemon=True
        )
        self._thread.start()

    def stop(self, consumer: Consumer) -> None:
        """Stop updating; the subscriptions end with the connection."""
        if self._thread is not None:
            self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join(STOP_SECONDS)
            self._thread = None

    async def _follow_status(self, consumer: Consumer) -> None:
        config = self._config
        async with aiohttp.ClientSession() as session:
            hub = HubClient(session, url=config.hub_url, token=config.token or "")
            on_change = partial(self._update_queues, consumer)
            async with sending_heartbeats(config, hub, on_change, self_check=self._self_check):
                await self._stopping.wait()

    def _update_queues(self, consumer: Consumer, status: RunnerStatus) -> None:
        """Change the subscriptions on the worker's own thread: a connection is not safe for two
        threads."""
        names = ("", *status.models) if status.takes_runs else ()
        queues = frozenset(queue_for(name) for name in names)
        for queue in queues:  # also those before a reconnection
            consumer.call_soon(consumer.add_task_queue, queue)
        for queue in self._queues - queues:
            consumer.call_soon(consumer.cancel_task_queue, queue)
        self._queues = queues
