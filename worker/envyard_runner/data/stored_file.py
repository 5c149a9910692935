"""A verified file of the mirror while runs read it, and its removal once none does."""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A verified file, open and locked against removal until `close`."""

    fd: int
    sha256: str
    size: int

    def read(self, offset: int, length: int) -> bytes:
        """At most `length` bytes from `offset` on."""
        return os.pread(self.fd, length, offset)

    def close(self) -> None:
        """Let the file be removed again."""
        os.close(self.fd)


def remove_unused(path: Path) -> bool:
    """Delete the file unless a run holds it; whether it is gone."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink(missing_ok=True)
    except BlockingIOError:
        return False
    else:
        return True
    finally:
        os.close(fd)


async def to_end(function: Callable[..., T], *args: Any) -> T:
    """Call it in a thread, and wait for its end even where the caller is cancelled."""
    task = asyncio.create_task(asyncio.to_thread(function, *args))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        if not task.exception() and isinstance(stored := task.result(), StoredFile):
            stored.close()
        raise
