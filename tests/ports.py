"""Ports for servers that a test starts a moment later."""

from __future__ import annotations

import socket
from random import SystemRandom

# Below the ports that the kernel gives to outgoing connections, which take them at any time.
PORTS = range(23_000, 32_000)
_reserved: list[socket.socket] = []


def free_port() -> int:
    """A port of 127.0.0.1 where nobody listens; no later call gives it while this process lives.

    That holds for calls of other test processes too: each port has a name among the kernel's
    abstract sockets, which exactly one process binds (unix(7)).
    """
    random = SystemRandom()
    while True:
        port = random.choice(PORTS)
        reservation = socket.socket(socket.AF_UNIX)
        try:
            reservation.bind(f"\0envyard-test-port-{port}")
            _try_to_bind(port)
        except OSError:
            reservation.close()
            continue
        _reserved.append(reservation)
        return port


def _try_to_bind(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the servers do
        probe.bind(("127.0.0.1", port))
