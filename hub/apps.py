"""Makes Django load the Celery app and the system checks."""

import atexit
import gc

from django.apps import AppConfig


class HubConfig(AppConfig):
    """Without the Celery app loaded here, `send_task` in a web process would go to no broker."""

    name = "hub"

    def ready(self) -> None:
        from hub import celery, checks  # noqa: F401

        # A process that ends would look through all of its objects once more: a third of a second.
        atexit.register(gc.freeze)
