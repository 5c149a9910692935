"""The hub's Celery app: JSON messages, two queues, and the schedule of periodic tasks.

A message is only a notification: the database row is the truth, and `sweep` and `ring` repeat
what a lost message would have started.
"""

import os
from pathlib import Path
from typing import Any

from celery import Celery
from celery.signals import setup_logging
from django.conf import settings
from kombu import Exchange, Queue

from envyard.messaging.reconnect import ReconnectAfterLostAck
from envyard.messaging.redis_keepalive import KEPT_ALIVE

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hub.settings")

FILESYSTEM = "filesystem://"
BROKER_SECONDS = 2.0

app = Celery("hub")
app.config_from_object("django.conf:settings", namespace="CELERY")


def filesystem_options(url: str) -> dict[str, Any]:
    """Options of kombu for `filesystem:///folder`; kombu reads no path from the URL.

    The input and output folders are the same, because every process sends and receives.
    """
    folder = Path(url.removeprefix(FILESYSTEM))
    for part in ("messages", "control"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    return {
        "data_folder_in": str(folder / "messages"),
        "data_folder_out": str(folder / "messages"),
        "control_folder": str(folder / "control"),
        "polling_interval": 0.2,
    }


def _queue(name: str) -> Queue:
    return Queue(name, Exchange(name, type="direct"), routing_key=name)


def _periodic(seconds: float, task: str) -> dict[str, Any]:
    """An entry of the schedule; a message expires when the next one is sent."""
    return {"task": task, "schedule": seconds, "options": {"expires": seconds}}


app.conf.update(
    task_serializer="json",
    result_serializer="json",
    accept_content=["json"],
    task_ignore_result=True,
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    worker_hijack_root_logger=False,
    # Remote control and gossip need fan-out exchanges, which filesystem:// does not support.
    worker_enable_remote_control=False,
    broker_connection_retry_on_startup=True,
    task_soft_time_limit=300,
    task_time_limit=330,
    # `hub` is the queue of the hub worker; `runs` notifies the runners, which are other programs.
    task_queues=[_queue("hub"), _queue("runs")],
    task_default_queue="hub",
    task_default_exchange="hub",
    task_default_routing_key="hub",
    beat_schedule={
        "sweep": _periodic(settings.HUB_SWEEP_SECONDS, "registry.sweep"),
        "ring": _periodic(1.5 * settings.HUB_SWEEP_SECONDS, "registry.ring"),
        "index": _periodic(15.0, "registry.publish_index"),
        "recount": _periodic(300.0, "registry.recount"),
        "prune": _periodic(3600.0, "registry.prune"),
    },
    beat_schedule_filename=str(settings.HUB_HOME / "beat"),
)
if settings.CELERY_BROKER_URL.startswith(FILESYSTEM):
    app.conf.update(
        broker_url=FILESYSTEM,
        broker_transport="envyard.messaging.filesystem_transport:Transport",
        broker_transport_options=filesystem_options(settings.CELERY_BROKER_URL),
    )

elif settings.CELERY_BROKER_URL.startswith(("redis://", "rediss://")):
    # Without bounds an upload would wait for as long as Redis is silent.
    app.conf.broker_transport_options = KEPT_ALIVE | {
        "socket_connect_timeout": BROKER_SECONDS,
        "socket_timeout": BROKER_SECONDS,
    }

app.steps["consumer"].add(ReconnectAfterLostAck)
app.autodiscover_tasks(["registry"])


@setup_logging.connect
def keep_django_logging(**_: Any) -> None:
    """Celery leaves logging alone when anybody listens here: settings.LOGGING is in force."""
