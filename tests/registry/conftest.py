"""What the registry's tests share: the broker's queues, read as workers would read them."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from celery import current_app

from registry import dispatch

Commit = Callable[..., AbstractContextManager[Any]]


class Bells:
    """The messages that wait in the broker; reading takes them out."""

    def __init__(self, commit: Commit) -> None:
        self._commit = commit
        self.heard("hub")
        self.heard("runs")

    def heard(self, queue: str) -> list[tuple[str, dict[str, Any]]]:
        """Task and arguments of every message in the queue, oldest first; without the calls for
        the index's writer, which every listing makes."""
        messages = []
        with current_app.connection_for_read() as connection:
            simple = connection.SimpleQueue(queue)
            while simple.qsize():
                message = simple.get(block=False)
                message.ack()
                messages.append((message.headers["task"], message.payload[1]))
            simple.close()
        return [found for found in messages if found[0] != dispatch.PUBLISH]

    def committed(self) -> AbstractContextManager[Any]:
        """Run what was left for the commit at the end of the block."""
        return self._commit(execute=True)

    def work(self) -> list[str]:
        """Do what the hub's worker would do until its queue is empty; the tasks in order."""
        done = []
        while waiting := self.heard("hub"):
            for task, arguments in waiting:
                with self.committed():
                    current_app.tasks[task](**arguments)
                done.append(task)
        return done


@pytest.fixture
def bells(db: None, django_capture_on_commit_callbacks: Commit) -> Bells:
    """The broker, empty."""
    current_app.loader.import_default_modules()
    return Bells(django_capture_on_commit_callbacks)
