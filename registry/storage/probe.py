"""Check the storage by writing, reading and deleting an object without a row."""

from __future__ import annotations

import os
import secrets
import socket
import time
from datetime import datetime, timedelta

from registry.storage.choice import get

PREFIX = "probe"
GRACE = timedelta(hours=1)  # older objects were left by a killed process


def run() -> None:
    """Write an object, read it back and delete it; raises the storage's error, or OSError where
    other bytes are read."""
    store, data = get(), secrets.token_bytes(64)
    key = f"{PREFIX}/{socket.gethostname() or 'hub'}-{os.getpid()}"
    store.write(key, data, content_type="application/octet-stream", stamp=int(time.time()))
    try:
        with store.open(key) as reader:
            content = reader.read()
    finally:
        store.delete(key)
    if content != data:
        raise OSError(f"{key}: {len(data)} bytes were written and {len(content)} other bytes read")


def discard_old(*, now: datetime) -> int:
    """Delete the objects of killed processes; returns their count."""
    store = get()
    old = [item.key for item in store.list(f"{PREFIX}/") if item.modified < now - GRACE]
    for key in old:
        store.delete(key)
    return len(old)
