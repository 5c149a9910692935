"""Counts what a sandbox tried to send to addresses outside it.

The kernel counts packets without a route in each network namespace. An open file of
/proc/PID/net keeps its namespace readable after the processes ended, so nothing is missed.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

FILES = ("snmp", "snmp6")


@dataclass(frozen=True, slots=True)
class Attempts:
    """The open counters of one sandbox's network namespace; empty where they cannot be read."""

    fds: tuple[int, ...]

    @classmethod
    def of(cls, pid: int) -> Attempts:
        """Open the counters of the namespace that `pid` is in."""
        try:
            return cls(tuple(os.open(f"/proc/{pid}/net/{name}", os.O_RDONLY) for name in FILES))
        except OSError:
            return cls(())

    def count(self) -> int | None:
        """Connections and datagrams refused by now for want of a route."""
        texts = [os.pread(fd, 1 << 16, 0).decode("ascii") for fd in self.fds]
        if not texts:
            return None
        names, values = (line.split() for line in texts[0].splitlines() if line.startswith("Ip:"))
        six = (line.split() for line in texts[1].splitlines())
        four = dict(zip(names[1:], values[1:], strict=True))
        return int(four["OutNoRoutes"]) + sum(int(n) for name, n in six if name == "Ip6OutNoRoutes")

    def close(self) -> None:
        """Close the counters."""
        for fd in self.fds:
            os.close(fd)
