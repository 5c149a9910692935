"""The hub's Celery app: JSON messages, two queues, and the schedule of periodic tasks.

A message is only a notification: the database row is the truth, and `sweep` and `ring` repeat
what a lost message would have started.
"""

import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging
from django.conf import settings

from envyard.contract.job import RUNS
from envyard.messaging.celery_settings import SETTINGS, broker_settings, direct_queue
from envyard.messaging.reconnect import ReconnectAfterLostAck

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hub.settings")

BROKER_SECONDS = 2.0

app = Celery("hub")
app.config_from_object("django.conf:settings", namespace="CELERY")


def _periodic(seconds: float, task: str) -> dict[str, Any]:
    """An entry of the schedule; a message expires when the next one is sent."""
    return {"task": task, "schedule": seconds, "options": {"expires": seconds}}


app.conf.update(
    SETTINGS,
    result_serializer="json",
    task_soft_time_limit=300,
    task_time_limit=330,
    # `hub` is the queue of the hub worker; `runs` notifies the runners, which are other programs.
    task_queues=[direct_queue("hub"), direct_queue(RUNS)],
    task_default_queue="hub",
    task_default_exchange="hub",
    task_default_routing_key="hub",
    beat_schedule={
        "sweep": _periodic(settings.HUB_SWEEP_SECONDS, "registry.sweep"),
        "ring": _periodic(1.5 * settings.HUB_SWEEP_SECONDS, "registry.ring"),
        "index": _periodic(15.0, "registry.publish_index"),
        "notify": _periodic(10.0, "registry.notify"),
        "webhooks": _periodic(10.0, "registry.send_webhooks"),
        "remeasure": _periodic(600.0, "registry.remeasure"),
        "recount": _periodic(300.0, "registry.recount"),
        "prune": _periodic(3600.0, "registry.prune"),
    },
    beat_schedule_filename=str(settings.HUB_HOME / "beat"),
)
app.conf.update(broker_settings(settings.CELERY_BROKER_URL))
if settings.CELERY_BROKER_URL.startswith(("redis://", "rediss://")):
    # Without bounds an upload would wait for as long as Redis is silent.
    app.conf.broker_transport_options = app.conf.broker_transport_options | {
        "socket_connect_timeout": BROKER_SECONDS,
        "socket_timeout": BROKER_SECONDS,
    }

app.steps["consumer"].add(ReconnectAfterLostAck)
app.autodiscover_tasks(["registry"])


@setup_logging.connect
def keep_django_logging(**_: Any) -> None:
    """Celery leaves logging alone when this signal has a receiver: settings.LOGGING applies."""
