"""What a run sent to hosts outside its sandbox, summed for its page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from envyard.contract.connections import Route, read_connections


@dataclass(frozen=True, slots=True)
class HostTraffic:
    """All connections of a run to one host that went the same way; `reason` as of Connection."""

    host: str
    port: int
    route: Route
    reason: str
    connections: int
    sent: int
    received: int
    seconds: float


def traffic(facts: dict[str, Any]) -> list[HostTraffic]:
    """The traffic in a run's facts, in the order of the first connection of each kind."""
    rows: dict[tuple[object, ...], HostTraffic] = {}
    for each in read_connections(facts.get("connections")) or []:
        key = (each.host, each.port, each.route, each.reason)
        row = rows.get(key) or HostTraffic(*key, 0, 0, 0, 0.0)
        rows[key] = replace(
            row,
            connections=row.connections + each.count,
            sent=row.sent + each.sent,
            received=row.received + each.received,
            seconds=row.seconds + each.seconds,
        )
    return list(rows.values())
