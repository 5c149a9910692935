"""Fixtures of the registry's tests: the queues of the broker, read as workers read them."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from celery import current_app

from registry import dispatch

Commit = Callable[..., AbstractContextManager[Any]]


class Queues:
    """The messages that wait in the broker; reading removes them."""

    def __init__(self, commit: Commit) -> None:
        self._commit = commit
        self.read("hub")
        self.read("runs")

    def read(self, queue: str) -> list[tuple[str, dict[str, Any]]]:
        """Task and arguments of every message in the queue, oldest first; without those for the
        index writer, which every listing sends."""
        messages = []
        with current_app.connection_for_read() as connection:
            simple = connection.SimpleQueue(queue)
            while simple.qsize():
                message = simple.get(block=False)
                message.ack()
                messages.append((message.headers["task"], message.payload[1]))
            simple.close()
        return [message for message in messages if message[0] != dispatch.PUBLISH]

    def committed(self) -> AbstractContextManager[Any]:
        """Run the `on_commit` callbacks at the end of the block."""
        return self._commit(execute=True)

    def work(self) -> list[str]:
        """Run the tasks of the hub's worker until its queue is empty; returns their names in
        order."""
        done = []
        while waiting := self.read("hub"):
            for task, arguments in waiting:
                with self.committed():
                    current_app.tasks[task](**arguments)
                done.append(task)
        return done


@pytest.fixture
def queues(db: None, django_capture_on_commit_callbacks: Commit) -> Queues:
    """The queues of the broker, empty."""
    current_app.loader.import_default_modules()
    return Queues(django_capture_on_commit_callbacks)
