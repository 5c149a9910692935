"""The Celery settings in which hub and runner must agree: messages, queues, broker transports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kombu import Exchange, Queue

from envyard.messaging.redis_keepalive import KEPT_ALIVE

FILESYSTEM = "filesystem://"
SETTINGS: dict[str, Any] = {
    "task_serializer": "json",
    "accept_content": ["json"],
    "task_ignore_result": True,
    "task_acks_late": True,
    "task_reject_on_worker_lost": True,
    "worker_prefetch_multiplier": 1,
    "worker_hijack_root_logger": False,
    # Remote control and gossip need fan-out exchanges, which filesystem:// does not support.
    "worker_enable_remote_control": False,
    "broker_connection_retry_on_startup": True,
}


def direct_queue(name: str) -> Queue:
    """The queue of that name, with a direct exchange of the same name."""
    return Queue(name, Exchange(name, type="direct"), routing_key=name)


def broker_settings(url: str) -> dict[str, Any]:
    """The settings for the kind of broker in the URL; empty where the defaults are right."""
    if url.startswith(FILESYSTEM):
        return {
            "broker_url": FILESYSTEM,
            "broker_transport": "envyard.messaging.filesystem_transport:Transport",
            "broker_transport_options": filesystem_options(url),
        }
    if url.startswith(("redis://", "rediss://")):
        return {"broker_transport_options": KEPT_ALIVE}
    return {}


def filesystem_options(url: str) -> dict[str, Any]:
    """Options of kombu for `filesystem:///folder`; kombu reads no path from the URL.

    Creates the folders. The input and output folders are the same, because every process sends and
    receives.
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
