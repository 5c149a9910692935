"""The gunicorn worker class of web."""

from __future__ import annotations

import select
from typing import Any

from gunicorn.workers.gthread import ThreadWorker  # type: ignore[import-untyped]

from hub.minimum_rate import MinimumRateSocket

NEXT_REQUEST_MS = 5


class Worker(ThreadWorker):  # type: ignore[misc]
    """Keep a thread on its connection while the client sends its next request within 5 ms.

    gthread passes each connection from a thread to its main thread and back after every request.
    This worker does so only if other connections wait for a thread, the worker stops, or no request
    follows: with 2 connections gthread takes 1.4 times the CPU per page, with 16 the same
    (benchmarks/registry). A new connection that sends nothing returns to the main thread after
    5 ms, too, where gthread waits five seconds. A stalled client is disconnected: it may wait
    `slack` seconds per request, and one more for each `rate` bytes.
    """

    rate, slack = 4096, 30.0

    def handle(self, conn: Any) -> object:
        """Serve the request and those that follow; returns the result of gthread's last call."""
        if self.cfg.is_ssl:  # TLS replaces the socket by one without visible waiting
            return super().handle(conn)
        if not isinstance(conn.sock, MinimumRateSocket):  # before the parser refers to the socket
            conn.sock = MinimumRateSocket(conn.sock, rate=self.rate, slack=self.slack)
        if not conn.initialized:
            conn.init()
            if not _has_data(conn):
                return True  # as after a request: the main thread waits for data
        while True:
            conn.sock.renew()
            result = super().handle(conn)
            if result is not True or not self.alive or self._is_crowded() or not _has_data(conn):
                return result

    def _is_crowded(self) -> bool:
        """Whether more connections have a request than there are threads."""
        idle = len(self.keepalived_conns) + len(self.pending_conns)
        return bool(self.nr_conns - idle > self.cfg.threads)


def _has_data(conn: Any) -> bool:
    """Whether bytes of a request are buffered or arrive within 5 ms."""
    if conn.parser.unreader.buf.getvalue():
        return True
    poll = select.poll()
    poll.register(conn.sock, select.POLLIN)
    return bool(poll.poll(NEXT_REQUEST_MS))
