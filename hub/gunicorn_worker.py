"""How gunicorn's threads serve a connection."""

from __future__ import annotations

import select
from typing import Any

from gunicorn.workers.gthread import _DEFER, ThreadWorker  # type: ignore[import-untyped]

from hub.minimum_rate import Paced

PATIENCE_MS = 5


class Worker(ThreadWorker):  # type: ignore[misc]
    """A thread stays with its connection while the client's next request follows at once.

    gthread hands every request from the thread that waits for all connections to another one and
    back, which takes longer than a page. Nobody waits for the sake of this: where connections
    wait for a thread, or the worker has to stop, all is as in gthread. A client that says nothing
    yet holds a thread no longer than that either; gthread gives it five seconds. One that stalls
    loses its connection: `slack` seconds of waiting a request, and one more for each `rate` bytes.
    """

    rate, slack = 4096, 30.0

    def handle(self, conn: Any) -> object:
        """Serve its request, and those that follow; what gthread says of the last one."""
        if not conn.initialized and not conn.wait_for_data(PATIENCE_MS / 1000):
            return _DEFER
        if self.cfg.is_ssl:  # it swaps the socket for one whose waiting cannot be seen from here
            return super().handle(conn)
        if not isinstance(conn.sock, Paced):
            conn.sock = Paced(conn.sock, rate=self.rate, slack=self.slack)
        while True:
            conn.sock.renew()
            kept = super().handle(conn)
            if kept is not True or not self.alive or self._crowded() or not _follows(conn):
                return kept

    def _crowded(self) -> bool:
        """Whether more connections have something to serve than there are threads."""
        idle = len(self.keepalived_conns) + len(self.pending_conns)
        return bool(self.nr_conns - idle > self.cfg.threads)


def _follows(conn: Any) -> bool:
    if conn.parser.unreader.buf.getvalue():  # it came with the last one
        return True
    waiting = select.poll()
    waiting.register(conn.sock, select.POLLIN)
    return bool(waiting.poll(PATIENCE_MS))
