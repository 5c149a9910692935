"""Why a connection was refused or ended, with the HTTP status and the sentence of its answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Reason = Literal[
    "not_approved", "disabled", "method", "address", "port", "connections", "head",
    "private_address", "not_found", "unreachable", "not_tls", "server_name", "handshake",
    "bytes", "idle", "time",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    sentence: str


ANSWERS: dict[Reason, _Answer] = {
    "not_approved": _Answer(403, "the host is not approved for this environment"),
    "disabled": _Answer(403, "this runner reaches no hosts (RUNNER_HOSTS)"),
    "method": _Answer(405, "only CONNECT is served: use https"),
    "address": _Answer(403, "only names of public hosts are served, no addresses"),
    "port": _Answer(403, "only port 443 is served"),
    "connections": _Answer(503, "too many connections are open"),
    "head": _Answer(400, "the request's head is too long or came too slowly"),
    "private_address": _Answer(403, "the name leads to an address that is not public"),
    "not_found": _Answer(502, "the name is not known"),
    "unreachable": _Answer(502, "the host does not answer"),
    "not_tls": _Answer(403, "the connection does not begin with a TLS ClientHello"),
    "server_name": _Answer(403, "the TLS server name is not the host of the CONNECT request"),
    "handshake": _Answer(403, "the TLS handshake with the runner failed"),
    "bytes": _Answer(403, "the run's bytes to and from hosts are used up"),
    "idle": _Answer(408, "no byte came for too long"),
    "time": _Answer(408, "the connection was open for too long"),
}


class Refused(Exception):
    """A connection is refused or ended; `host` and `port` are what it named, as far as known."""

    def __init__(self, reason: Reason, host: str = "", port: int = 0) -> None:
        super().__init__(ANSWERS[reason].sentence)
        self.reason: Reason = reason
        self.host, self.port = host, port

    @property
    def answer(self) -> bytes:
        """The HTTP response to a CONNECT request that was not established."""
        entry = ANSWERS[self.reason]
        body = f"{entry.sentence}\n".encode()
        head = (
            f"HTTP/1.1 {entry.status} Refused\r\nContent-Type: text/plain\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        return head.encode("ascii") + body
