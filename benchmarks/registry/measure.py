"""Time requests one after the other on one connection."""

from __future__ import annotations

import http.client
import json
import os
import platform
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import cycle, islice
from pathlib import Path

from benchmarks.registry.machine import cpu_seconds


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds from the first byte of the request to the last of the response, and CPU time per
    request in web and in the database's server, which other load of the machine affects little."""

    case: str
    requests: int
    p50: float
    p95: float
    max: float
    web_cpu: float
    database_cpu: float


class Client:
    """One kept connection; `database` is the database server's process if it is local."""

    def __init__(self, port: int, *, web: int, database: int | None) -> None:
        self._web, self._database = web, database
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def get(self, path: str) -> bytes:
        """The body; raises for any status but 200."""
        self._connection.request("GET", path)
        response = self._connection.getresponse()
        body = response.read()
        if response.status != 200:
            raise RuntimeError(f"GET {path}: {response.status} {body[:200]!r}")
        return body

    def time(self, case: str, paths: Sequence[str], number: int) -> Timing:
        """Request the paths in turn, `number` requests in all, after one request to each."""
        for path in islice(paths, number):
            self.get(path)
        used, milliseconds = self._used(), []
        for path in islice(cycle(paths), number):
            began = time.perf_counter()
            self.get(path)
            milliseconds.append((time.perf_counter() - began) * 1000)
        milliseconds.sort()
        p50, p95 = (milliseconds[int(len(milliseconds) * share)] for share in (0.5, 0.95))
        web, database = (
            (after - before) * 1000 / number
            for before, after in zip(used, self._used(), strict=True)
        )
        return Timing(case, number, p50, p95, milliseconds[-1], web, database)

    def _used(self) -> tuple[float, float]:
        return cpu_seconds(self._web), cpu_seconds(self._database) if self._database else 0.0


def table(timings: Sequence[Timing]) -> str:
    """Aligned columns for people."""
    width = max(len(timing.case) for timing in timings)
    lines = [f"{'milliseconds':{width}}  {'p50':>6} {'p95':>6} {'max':>6} {'web':>6} {'db':>6}"]
    lines += [
        f"{t.case:{width}}  "
        + " ".join(f"{v:6.1f}" for v in (t.p50, t.p95, t.max, t.web_cpu, t.database_cpu))
        for t in timings
    ]
    return "\n".join(lines)


def write(path: Path, timings: Sequence[Timing], **parameters: object) -> None:
    """The same as JSON, with facts about the machine."""
    machine = {
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
    }
    body = {"about": machine | parameters, "timings": [asdict(timing) for timing in timings]}
    path.write_text(json.dumps(body, indent=2) + "\n")
