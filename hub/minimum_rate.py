"""Sockets whose client must keep a pace, so that one that stalls holds no thread for ever."""

from __future__ import annotations

import errno
import logging
import socket
import time
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")
ANSWER = 1.0  # seconds for telling a client that it was cut off
log = logging.getLogger(__name__)


class Paced(socket.socket):
    """A blocking connection on which each second of waiting is paid for.

    There are `slack` seconds to begin with, and `rate` bytes earn one more, up to that number. A
    client that has none left looks like one that went away. Where somebody else has set a time-out,
    that one counts. What needs no waiting is one system call, as without a pace.
    """

    def __init__(self, plain: socket.socket, *, rate: int, slack: float) -> None:
        super().__init__(fileno=plain.detach())
        self._rate, self._slack = rate, slack
        self._piece = int(rate * slack / 4)  # bytes that are sent before the time is looked at
        self.renew()

    def renew(self) -> None:
        """Begin anew, as with the next request."""
        self._left = self._slack

    def recv(self, size: int, flags: int = 0, /) -> bytes:
        """What came; nothing, as at its end, from a client that is too slow."""
        if self.gettimeout() is not None:
            return super().recv(size, flags)
        try:
            piece = super().recv(size, flags | socket.MSG_DONTWAIT)
        except BlockingIOError:
            piece = self._recv(partial(super().recv, size, flags))
        self._earn(len(piece))
        return piece

    def _recv(self, act: Callable[[], bytes]) -> bytes:
        try:
            return self._in_time(act)
        except TimeoutError:
            log.info("a client that sends less than %s bytes/s is cut off", self._rate)
            self._left = ANSWER
            return b""

    def sendall(self, data: Any, flags: int = 0, /) -> None:
        """Send it; raises BrokenPipeError where the client is too slow."""
        left = memoryview(data)
        while left:
            try:
                sent = super().send(left, flags | socket.MSG_DONTWAIT)
            except BlockingIOError:
                sent = len(piece := left[: self._piece])
                self._send(partial(super().sendall, piece, flags))
            self._earn(sent)
            left = left[sent:]

    def sendfile(self, file: Any, offset: int = 0, count: int | None = None) -> int:
        """The same for a part of a file; how many bytes it had."""
        sent = 0
        while count is None or sent < count:
            size = self._piece if count is None else min(self._piece, count - sent)
            done = self._send(partial(super().sendfile, file, offset + sent, size))
            self._earn(done)
            sent += done
            if done < size:
                break
        return sent

    def _send(self, act: Callable[[], T]) -> T:
        try:
            return self._in_time(act)
        except TimeoutError:
            log.info("a client that reads less than %s bytes/s is cut off", self._rate)
            raise BrokenPipeError(errno.EPIPE, "the client reads too slowly") from None

    def _in_time(self, act: Callable[[], T]) -> T:
        if self._left <= 0:
            raise TimeoutError
        began = time.monotonic()
        self.settimeout(self._left)
        try:
            return act()
        finally:
            self.settimeout(None)
            self._left -= time.monotonic() - began

    def _earn(self, size: int) -> None:
        self._left = min(self._left + size / self._rate, self._slack)
