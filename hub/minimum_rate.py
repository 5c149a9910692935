"""Sockets with a minimum data rate, so that a stalled client cannot occupy a thread for ever."""

from __future__ import annotations

import errno
import logging
import os
import socket
import time
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")
LONGEST_SENDFILE = 1 << 30  # bytes
ERROR_SECONDS = 1.0  # to send the error response to a disconnected client
log = logging.getLogger(__name__)


class MinimumRateSocket(socket.socket):
    """A blocking connection with a budget of waiting time.

    The budget starts at `slack` seconds, and `rate` bytes add one second, up to `slack`. Without
    budget the client counts as disconnected. A timeout that another caller has set takes
    precedence. Without this class requests for pages and wheels take 0.8 to 1.06 times the CPU time
    (medians on a busy machine, docs/decisions/0044). It stays because without it nothing ends a
    stalled request (tests/hub/test_minimum_rate.py).
    """

    def __init__(self, plain: socket.socket, *, rate: int, slack: float) -> None:
        super().__init__(fileno=plain.detach())
        self._rate, self._slack = rate, slack
        self._piece = int(rate * slack / 4)  # bytes that are sent before the budget is checked
        self.renew()

    def renew(self) -> None:
        """Reset the budget for the next request."""
        self._budget = self._slack

    def recv(self, size: int, flags: int = 0, /) -> bytes:
        """The received bytes; none, as at the end, from a client that is too slow."""
        if self.gettimeout() is not None:
            return super().recv(size, flags)
        try:
            chunk = super().recv(size, flags | socket.MSG_DONTWAIT)
        except BlockingIOError:
            chunk = self._recv(partial(super().recv, size, flags))
        self._earn(len(chunk))
        return chunk

    def _recv(self, act: Callable[[], bytes]) -> bytes:
        try:
            return self._within_budget(act)
        except TimeoutError:
            log.info("disconnected a client that sends less than %s bytes/s", self._rate)
            self._budget = ERROR_SECONDS
            return b""

    def sendall(self, data: Any, flags: int = 0, /) -> None:
        """Send all data; raises BrokenPipeError if the client is too slow."""
        unsent = memoryview(data)
        while unsent:
            try:
                sent = super().send(unsent, flags | socket.MSG_DONTWAIT)
            except BlockingIOError:
                sent = len(chunk := unsent[: self._piece])
                self._send(partial(super().sendall, chunk, flags))
            self._earn(sent)
            unsent = unsent[sent:]

    def sendfile(self, file: Any, offset: int = 0, count: int | None = None) -> int:
        """Send a part of a file in the same way; returns the number of bytes."""
        sent = 0
        while count is None or sent < count:
            size = LONGEST_SENDFILE if count is None else count - sent
            try:
                count_sent = self._sendfile_at_once(file, offset + sent, size)
            except OSError:  # the buffer is full, or the file system has no sendfile
                size = min(self._piece, size)
                count_sent = self._send(partial(super().sendfile, file, offset + sent, size))
            if not count_sent:
                break
            self._earn(count_sent)
            sent += count_sent
        return sent

    def _sendfile_at_once(self, file: Any, offset: int, size: int) -> int:
        """Send what the socket's buffer takes: three system calls, where `socket.sendfile` with a
        timeout makes about ten per piece; raises BlockingIOError if the buffer is full."""
        self.setblocking(False)
        try:
            return os.sendfile(self.fileno(), file.fileno(), offset, size)
        finally:
            self.setblocking(True)

    def _send(self, act: Callable[[], T]) -> T:
        try:
            return self._within_budget(act)
        except TimeoutError:
            log.info("disconnected a client that reads less than %s bytes/s", self._rate)
            raise BrokenPipeError(errno.EPIPE, "the client reads too slowly") from None

    def _within_budget(self, act: Callable[[], T]) -> T:
        if self._budget <= 0:
            raise TimeoutError
        started = time.monotonic()
        self.settimeout(self._budget)
        try:
            return act()
        finally:
            self.settimeout(None)
            self._budget -= time.monotonic() - started

    def _earn(self, size: int) -> None:
        self._budget = min(self._budget + size / self._rate, self._slack)
