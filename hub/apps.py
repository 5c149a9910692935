"""Load the Celery app and the system checks with Django."""

import atexit
import gc

from django.apps import AppConfig


class HubConfig(AppConfig):
    """Load the Celery app, because `send_task` in a web process needs its broker."""

    name = "hub"

    def ready(self) -> None:
        from hub import celery, checks  # noqa: F401

        # Without this a process collects garbage once more at its end: a third of a second.
        atexit.register(gc.freeze)
