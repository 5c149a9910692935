"""What one run's proxy counted: the evidence for `needs.host`, and what the run's page shows."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

from envyard.contract.connections import MAX_CONNECTIONS, OUTSIDE, Connection, Route
from envyard_runner.proxy.names import HTTPS, among
from envyard_runner.proxy.refused import ANSWERS, Reason, Refused

MAX_NAMED = 20  # hosts that a finding names
# Hosts that libraries contact by themselves and do without: no run needs them.
UNNEEDED = (
    "datasets-server.huggingface.co", "*.i.posthog.com", "app.posthog.com", "api.segment.io",
    "*.ingest.sentry.io", "*.ingest.us.sentry.io", "api.smith.langchain.com", "api.wandb.ai",
)  # fmt: skip


@dataclass(slots=True)
class Transfer:
    """One connection while it is open."""

    host: str = ""
    port: int = 0
    route: Route = "refused"
    reason: Reason | None = None
    sent: int = 0
    received: int = 0
    at: float = field(default_factory=time.time)
    began: float = field(default_factory=time.monotonic)

    def result(self) -> Connection:
        """Its record."""
        return Connection(
            host=self.host,
            port=self.port,
            route=self.route,
            reason=ANSWERS[self.reason].sentence if self.reason else "",
            sent=self.sent,
            received=self.received,
            seconds=round(time.monotonic() - self.began, 3),
            at=round(self.at, 3),
        )


@dataclass(slots=True)
class HostUsage:
    """Counts of one run, of all its sandboxes; `max_bytes` bounds both directions together.

    `refused` counts connections to hosts that are not approved, by host; `unreachable` has approved
    ones that did not answer. `last_sent` is when the environment last sent a byte to a host outside
    (monotonic seconds).
    """

    max_bytes: int
    bytes: int = 0
    refused: dict[str, int] = field(default_factory=dict)
    unreachable: dict[str, Reason] = field(default_factory=dict)
    last_sent: float = float("-inf")
    last_refused: float = float("-inf")
    _records: dict[tuple[object, ...], Connection] = field(default_factory=dict)

    @property
    def connections(self) -> list[Connection]:
        """All that was recorded, in the order of the first of each kind."""
        return list(self._records.values())

    @property
    def targets(self) -> list[str]:
        """The names and ports of refused connections."""
        rows = [row for row in self.connections if row.route == "refused" and row.host]
        return list(dict.fromkeys(f"{row.host}:{row.port or 80}" for row in rows))

    @property
    def attempts(self) -> int:
        """How many connections were refused."""
        return sum(row.count for row in self.connections if row.route == "refused")

    @property
    def needed(self) -> list[str]:
        """Refused hosts that are not known to be contacted in passing."""
        return [host for host in self.refused if not among(host, UNNEEDED)]

    def send(self, transfer: Transfer, size: int) -> int:
        """Count bytes from the environment; returns how many of them are within the limit."""
        if transfer.route in OUTSIDE:
            self.last_sent = time.monotonic()
        allowed = self._take(transfer, size)
        transfer.sent += allowed
        return allowed

    def receive(self, transfer: Transfer, size: int) -> int:
        """Count bytes to the environment; returns how many of them are within the limit."""
        allowed = self._take(transfer, size)
        transfer.received += allowed
        return allowed

    def _take(self, transfer: Transfer, size: int) -> int:
        if transfer.route not in OUTSIDE:  # the judge has budgets of its own
            return size
        allowed = max(0, min(size, self.max_bytes - self.bytes))
        self.bytes += allowed
        return allowed

    def refuse(self, transfer: Transfer, error: Refused) -> None:
        """Note why a connection was refused or ended."""
        transfer.reason = error.reason
        transfer.host = transfer.host or error.host
        transfer.port = transfer.port or error.port
        if error.reason in ("not_approved", "disabled") and transfer.port == HTTPS:
            self.last_refused = time.monotonic()
            if error.host in self.refused or len(self.refused) < MAX_NAMED:
                self.refused[error.host] = self.refused.get(error.host, 0) + 1
        elif error.reason in ("not_found", "unreachable") and len(self.unreachable) < MAX_NAMED:
            self.unreachable.setdefault(error.host, error.reason)

    def end(self, transfer: Transfer) -> None:
        """Record a connection that ended. Refused ones of one kind are one record, and so are all
        of one kind beyond the first hundreds."""
        row = transfer.result()
        kind = (row.host, row.port, row.route, row.reason)
        room = len(self._records) < MAX_CONNECTIONS // 2
        key = kind if row.route == "refused" or not room else (*kind, len(self._records))
        kept = self._records.get(key)
        if kept is not None:
            row = replace(
                kept,
                sent=kept.sent + row.sent,
                received=kept.received + row.received,
                seconds=round(kept.seconds + row.seconds, 3),
                count=kept.count + 1,
            )
        elif len(self._records) >= MAX_CONNECTIONS:
            return self._end_beyond(row)
        self._records[key] = row
        return None

    def _end_beyond(self, row: Connection) -> None:
        """Count one more of too many kinds with the last record of its route."""
        for key, kept in reversed(self._records.items()):
            if kept.route == row.route:
                self._records[key] = replace(
                    kept,
                    sent=kept.sent + row.sent,
                    received=kept.received + row.received,
                    count=kept.count + 1,
                )
                return
