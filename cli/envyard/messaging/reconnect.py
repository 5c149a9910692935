"""Reconnect a Celery worker whose last acknowledgement was lost.

If the broker is away while a message is acknowledged, Celery only logs it: the message counts as
under way for ever, and a worker that takes one message at a time never requests another.
"""

from __future__ import annotations

from typing import Any, NoReturn

from celery import bootsteps
from celery.worker import state
from celery.worker.consumer import Consumer

CHECK_SECONDS = 2.0


class ReconnectAfterLostAck(bootsteps.StartStopStep):
    """Drop a connection that waits, in two checks in a row, for a message that is not under way.

    This happens only with brokers whose messages Celery counts itself, such as Redis.
    """

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def __init__(self, consumer: Consumer, **_: Any) -> None:
        self._timer: Any = None
        self._is_stuck = False

    def start(self, consumer: Consumer) -> None:
        """Check at intervals while connected."""
        self._is_stuck = False
        self._timer = consumer.timer.call_repeatedly(CHECK_SECONDS, self._check, (consumer,))

    def stop(self, consumer: Consumer) -> None:
        """Stop checking."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _check(self, consumer: Any) -> None:
        counted = getattr(consumer.task_consumer.channel, "qos", None)
        idle = not state.reserved_requests and not state.active_requests
        was_stuck, self._is_stuck = (
            self._is_stuck,
            bool(idle and counted and not counted.can_consume()),
        )
        if was_stuck and self._is_stuck:
            consumer.call_soon(_reconnect)


def _reconnect() -> NoReturn:
    raise ConnectionError("a message could not be acknowledged: reconnecting to the broker")
