"""The listening sockets of a sandbox: one an endpoint, opened inside and handed out."""

from __future__ import annotations

import socket
from typing import NamedTuple

PORTS = {"gateway": 8000, "data": 8001, "proxy": 8002}  # on 127.0.0.1 inside; the same in every run


class Listening(NamedTuple):
    """The socket of each endpoint, in the order of PORTS."""

    gateway: socket.socket
    data: socket.socket
    proxy: socket.socket

    def close(self) -> None:
        """Close all of them: nothing in the sandbox can connect any more."""
        for listening in self:
            listening.close()


def opened(fds: list[int]) -> Listening:
    """The sockets of these descriptors, non-blocking and not inherited."""
    sockets = [socket.socket(fileno=fd) for fd in fds]
    for listening in sockets:
        listening.setblocking(False)
        listening.set_inheritable(False)
    return Listening(*sockets)
