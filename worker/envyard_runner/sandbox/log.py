"""Reads a sandbox's standard output and error."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable

CHUNK = 1 << 16
PAUSE_SECONDS = 0.05


class OutputReader:
    """Passes on the bytes of a pipe as they come, slowly beyond `limit` of them.

    So a flood is bounded and its end is known; the receiver keeps as much as it has room for.
    """

    def __init__(self, fd: int, limit: int, on_chunk: Callable[[bytes], None]) -> None:
        self._fd, self._left, self._on_chunk = fd, limit, on_chunk
        self._loop = asyncio.get_running_loop()
        self._later: asyncio.TimerHandle | None = None
        os.set_blocking(fd, False)
        self._resume()

    def drain(self) -> None:
        """Read what is left and stop; everybody who could write is dead."""
        self._loop.remove_reader(self._fd)
        if self._later is not None:
            self._later.cancel()
        with contextlib.suppress(BlockingIOError):
            while chunk := os.read(self._fd, CHUNK):
                self._hand_on(chunk)

    def _resume(self) -> None:
        self._loop.add_reader(self._fd, self._read)

    def _read(self) -> None:
        chunk = os.read(self._fd, CHUNK)
        if not chunk:
            self._loop.remove_reader(self._fd)
        elif not self._hand_on(chunk):
            self._loop.remove_reader(self._fd)
            self._later = self._loop.call_later(PAUSE_SECONDS, self._resume)

    def _hand_on(self, chunk: bytes) -> bool:
        self._on_chunk(chunk)
        self._left -= len(chunk)
        return self._left > 0
