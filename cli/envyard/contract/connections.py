"""Connections of a run to hosts outside its sandbox, as the runner's proxy counted them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from envyard.contract.values import count, finite, record, records, text

# How the bytes went: unread to the host, through the runner, which adds secrets, to the judge, or
# not at all.
Route = Literal["tunnel", "secrets", "judge", "refused"]
ROUTES: tuple[Route, ...] = ("tunnel", "secrets", "judge", "refused")
OUTSIDE: tuple[Route, ...] = ("tunnel", "secrets")
MAX_CONNECTIONS = 200  # of one run that are reported; equal ones are reported as one


@dataclass(frozen=True, slots=True)
class Connection:
    """One connection, or `count` similar ones together.

    `reason` is why it was refused or ended by a limit, empty where neither happened. `sent` and
    `received` are bytes, from the environment and to it; `at` is in seconds since the epoch.
    """

    host: str
    port: int
    route: Route
    reason: str = ""
    sent: int = 0
    received: int = 0
    seconds: float = 0.0
    at: float = 0.0
    count: int = 1

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Connection:
        """Read an untrusted JSON form."""
        route = data.get("route")
        return cls(
            host=text(data.get("host"), 260),
            port=count(data.get("port")),
            route=route if route in ROUTES else "refused",
            reason=text(data.get("reason"), 200),
            sent=_size(data.get("sent")),
            received=_size(data.get("received")),
            seconds=finite(data.get("seconds")) or 0.0,
            at=finite(data.get("at")) or 0.0,
            count=max(1, count(data.get("count"))),
        )


def read_connections(value: Any) -> list[Connection] | None:
    """The connections of an untrusted JSON list; None for any other shape."""
    if not isinstance(value, list):
        return None
    return [Connection.from_dict(record(row)) for row in records(value, MAX_CONNECTIONS)]


def _size(value: Any) -> int:
    """Bytes, exact in JSON."""
    return int(min(max(finite(value) or 0.0, 0.0), 1 << 53))
