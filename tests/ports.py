"""Ports for servers that a test starts a moment later."""

from __future__ import annotations

import socket
from random import SystemRandom

# Below the ports that the kernel gives to outgoing connections, which take them at any time.
PORTS = range(23_000, 32_000)


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on just now."""
    random = SystemRandom()
    while True:
        port = random.choice(PORTS)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the servers do
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
