"""The broker that delivers run notifications: the configured one, or the folder of a hub on this
machine."""

from __future__ import annotations

import os
from pathlib import Path

from kombu import Connection

SECONDS = 5


class BrokerUnusable(Exception):
    """The broker cannot be used; the message names what to set or install."""


def message_folder() -> Path:
    """The folder of message files of a hub on this machine that has no other broker."""
    return Path(os.environ.get("HUB_HOME") or ".hub").expanduser().absolute() / "broker"


def display_name(url: str | None) -> str:
    """The broker's URL without its password; raises BrokerUnusable if it cannot be one."""
    if url is None:
        if message_folder().exists():
            return str(message_folder())
        raise BrokerUnusable(
            "HUB_BROKER_URL is not set, and no hub on this machine keeps its messages in "
            f"{message_folder()}: give --poll, or set HUB_BROKER_URL to the hub's broker"
        )
    try:
        return Connection(url).as_uri()
    except (AttributeError, ImportError, KeyError, ValueError) as error:
        scheme = url.partition(":")[0]
        raise BrokerUnusable(
            f"HUB_BROKER_URL begins with {scheme}:, which this runner does not support: use "
            "amqp:// or redis:// (which needs `pip install 'celery[redis]'`), or give --poll"
        ) from error


def connect(url: str) -> str:
    """Connect once and return the broker's name; raises BrokerUnusable if it refuses the
    connection."""
    label = display_name(url)
    try:
        with Connection(url, connect_timeout=SECONDS) as connection:
            connection.ensure_connection(max_retries=1, timeout=SECONDS)
    except Exception as error:
        raise BrokerUnusable(
            f"{label} refuses the connection: {error}; see HUB_BROKER_URL"
        ) from error
    return label
