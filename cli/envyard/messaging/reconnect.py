"""A Celery worker that has gone deaf connects anew.

Where the broker is away just when a message is acknowledged, Celery only logs it: the message
counts as under way for ever, and a worker that takes one at a time never asks for another.
"""

from __future__ import annotations

from typing import Any, NoReturn

from celery import bootsteps
from celery.worker import state
from celery.worker.consumer import Consumer

LOOK_SECONDS = 2.0


class ReconnectAfterLostAck(bootsteps.StartStopStep):
    """Drops a connection that waits, twice in a row, for the end of what is not under way.

    Only brokers whose messages Celery counts itself, such as Redis, can get there.
    """

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def __init__(self, consumer: Consumer, **_: Any) -> None:
        self._timer: Any = None
        self._deaf = False

    def start(self, consumer: Consumer) -> None:
        """Look from time to time while connected."""
        self._deaf = False
        self._timer = consumer.timer.call_repeatedly(LOOK_SECONDS, self._look, (consumer,))

    def stop(self, consumer: Consumer) -> None:
        """Look no longer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self, consumer: Any) -> None:
        counted = getattr(consumer.task_consumer.channel, "qos", None)
        idle = not state.reserved_requests and not state.active_requests
        was, self._deaf = self._deaf, bool(idle and counted and not counted.can_consume())
        if was and self._deaf:
            consumer.call_soon(_reconnect)


def _reconnect() -> NoReturn:
    raise ConnectionError("a message could not be acknowledged: connecting to the broker anew")
