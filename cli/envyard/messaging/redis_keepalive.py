"""TCP keepalive options for connections to a Redis broker."""

from __future__ import annotations

import socket
from typing import Any

# Seconds between probes, and how many may stay unanswered; not every system has all three.
PROBES = {"TCP_KEEPIDLE": 15, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3}
# A worker that waits for a message sends nothing. If Redis disappears without closing its
# connections, as when its machine loses power, the worker would drop one dead connection after 47
# seconds and then wait on the next for ever. RabbitMQ has heartbeats of its own.
KEPT_ALIVE: dict[str, Any] = {
    "socket_keepalive": True,
    "socket_keepalive_options": {
        getattr(socket, name): value for name, value in PROBES.items() if hasattr(socket, name)
    },
}
