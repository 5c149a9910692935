"""A kombu transport for `filesystem://` that writes each message file atomically."""

import time
import uuid
from pathlib import Path
from typing import Any

from kombu.transport import filesystem
from kombu.utils.json import dumps

MAX_WAIT_SECONDS = 0.2


class Channel(filesystem.Channel):
    """Write a message to a temporary file and rename it: kombu's own channel writes a file that
    readers may already take, and an empty one ends a worker."""

    def _put(self, queue: str, payload: Any, **_: Any) -> None:  # type: ignore[override]
        name = f"{round(time.monotonic() * 1000)}_{uuid.uuid4()}.{queue}.msg"
        written = Path(self.data_folder_out, f"{name}.part")
        written.write_text(dumps(payload), encoding="utf-8")
        written.rename(written.with_name(name))


class Transport(filesystem.Transport):
    """kombu's transport with the atomic channel and a short wait, so that a worker notices a stop
    request at once."""

    Channel = Channel

    def drain_events(  # type: ignore[override]
        self, connection: Any, timeout: float | None = None
    ) -> None:
        """Wait at most MAX_WAIT_SECONDS: Celery waits two seconds at a time and checks only in
        between whether to stop."""
        super().drain_events(connection, timeout=timeout and min(timeout, MAX_WAIT_SECONDS))
