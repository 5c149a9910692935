"""JSON lines on an inherited socket: what this process reports to the runner.

Whatever an environment returns can end up in an event, so everything is cut and made JSON first.
"""

from __future__ import annotations

import json
import math
import os
import threading
import traceback
from typing import Any, Literal

from .raised import exception_facts, message_of

MAX_LINE = 512 * 1024
MAX_TEXT = 20_000
MAX_ITEMS = 400
MAX_DEPTH = 8

Fault = Literal["environment", "model", "platform"]


class Events:
    """The writing end, which later children do not get. Threads may share it."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._lock = threading.Lock()
        os.set_inheritable(fd, False)

    def emit(self, event: str, **fields: Any) -> None:
        """Write one line; never raises on content."""
        with self._lock:
            write_all(self._fd, encode({"event": event, **fields}))


def write_all(fd: int, data: bytes) -> None:
    """Write everything, however little the pipe takes at once."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def encode(event: dict[str, Any]) -> bytes:
    """The event as one line of at most MAX_LINE bytes; texts are cut further until it fits."""
    limit = MAX_TEXT
    while True:
        line = json.dumps(clean(event, limit), ensure_ascii=False, separators=(",", ":"))
        data = line.encode("utf-8", "replace") + b"\n"
        if len(data) <= MAX_LINE or limit < 100:
            break
        limit //= 4
    return data if len(data) <= MAX_LINE else _without_messages(event)


def _without_messages(event: dict[str, Any]) -> bytes:
    kept = {key: value for key, value in event.items() if not isinstance(value, list | dict)}
    return json.dumps(clean(kept, 100)).encode() + b"\n"


def clean(value: Any, limit: int = MAX_TEXT, depth: int = 0) -> Any:
    """The value as plain JSON: texts cut, not-finite numbers None, anything unknown as its type."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value) if abs(value) < 1 << 63 else None
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, str):
        return cut(str(value), limit)
    if depth >= MAX_DEPTH:
        return f"<{type(value).__name__}>"
    if isinstance(value, dict):
        items = list(value.items())[:MAX_ITEMS]
        return {cut(str(key), 200): clean(item, limit, depth + 1) for key, item in items}
    if isinstance(value, list | tuple):
        return [clean(item, limit, depth + 1) for item in value[:MAX_ITEMS]]
    return f"<{type(value).__name__}>"


def cut(text: str, limit: int) -> str:
    """At most `most` characters, with a mark where something is missing."""
    return text if len(text) <= limit else f"{text[:limit]}…[{len(text) - limit} more]"


def error_of(error: BaseException, fault: Fault = "environment") -> dict[str, Any]:
    """The fields of an exception for an event."""
    try:
        trace = "".join(traceback.format_exception(error))
    except BaseException as broken:
        trace = f"<its traceback could not be made: {type(broken).__name__}>"
    fields = failure(type(error).__name__, message_of(error), fault, trace)
    return fields | {"raised": exception_facts(error)}


def failure(kind: str, message: str, fault: Fault, trace: str = "") -> dict[str, Any]:
    """The error part of an event."""
    return {
        "type": cut(kind, 200),
        "message": cut(message, 4_000),
        "traceback": cut_middle(trace, 8_000),
        "fault": fault,
    }


def cut_middle(trace: str, limit: int) -> str:
    """A traceback within `most` characters: its end names the error, its beginning the first cause
    of a chain."""
    head = limit // 4
    if len(trace) <= limit:
        return trace
    return f"{trace[:head]}\n  ...\n{trace[head - limit + 7 :]}"
