"""The limits of one sandbox's connections through the proxy."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProxyLimits:
    """Seconds, and connections at once; the run's bytes are counted by HostUsage.

    `opening_seconds` bounds a request's head, a ClientHello and a TLS handshake, each.
    """

    connections: int = 64
    opening_seconds: float = 10.0
    idle_seconds: float = 120.0
    connection_seconds: float = 900.0
