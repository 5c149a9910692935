"""The messages of `filesystem://`, each of which appears whole."""

import time
import uuid
from pathlib import Path
from typing import Any

from kombu.transport import filesystem
from kombu.utils.json import dumps

MOMENT = 0.2  # seconds


class Channel(filesystem.Channel):
    """kombu's own writes a file that readers may already take: an empty one ends a worker."""

    def _put(self, queue: str, payload: Any, **_: Any) -> None:  # type: ignore[override]
        name = f"{round(time.monotonic() * 1000)}_{uuid.uuid4()}.{queue}.msg"
        written = Path(self.data_folder_out, f"{name}.part")
        written.write_text(dumps(payload), encoding="utf-8")
        written.rename(written.with_name(name))


class Transport(filesystem.Transport):
    """kombu's, with that channel; a worker that waits for mail hears at once that it shall stop."""

    Channel = Channel

    def drain_events(  # type: ignore[override]
        self, connection: Any, timeout: float | None = None
    ) -> None:
        """Celery asks for two seconds at a time, and looks only in between whether to stop."""
        super().drain_events(connection, timeout=timeout and min(timeout, MOMENT))
