"""Celery messages to workers and runners. The database row is the truth: a lost message costs time,
because a sweep sends it again, and a duplicate changes nothing, because every task reads the row.
"""

from __future__ import annotations

import logging
from functools import partial

from celery import current_app
from django.db import transaction

from registry.space import is_full

log = logging.getLogger(__name__)

CHECK, JUDGE = "registry.check_version", "registry.judge"
CONCLUDE = "registry.conclude_run"
PUBLISH = "registry.publish_index"
RUN = "envyard.run"  # the runners' task; their queues are those of contract.job.queue_for


def enqueue(task: str, *, queue: str = "hub", **kwargs: str | int) -> bool:
    """Send one message by task name; False, and logged, where the broker did not accept it."""
    try:
        current_app.send_task(task, kwargs=kwargs, queue=queue, retry=False)
    except Exception as error:  # errors differ by broker; none may undo the saved rows
        if is_full(error):
            log.error("message %s not sent, no disk space left; a sweep sends it again", task)
        else:
            log.exception("message %s not sent, the sweep will send it again", task)
        return False
    return True


def enqueue_after_commit(task: str, *, queue: str = "hub", **kwargs: str | int) -> None:
    """Send one message once the running transaction is committed, at once where there is none."""
    transaction.on_commit(partial(enqueue, task, queue=queue, **kwargs))
