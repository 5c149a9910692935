"""Time requests one after the other on one connection, and say how long they took."""

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

from benchmarks.registry.process import cpu_seconds

WARM_UP = 5


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds from the request's first byte to the answer's last, and of the web process's
    processor a request: that is much the same on a busy machine."""

    case: str
    requests: int
    p50: float
    p95: float
    p99: float
    cpu: float


class Client:
    """One connection that is kept."""

    def __init__(self, port: int, pid: int) -> None:
        self._pid = pid
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def get(self, path: str) -> bytes:
        """The body; raises for any status but 200, with a chunked answer read to its end."""
        self._connection.request("GET", path)
        answer = self._connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"GET {path}: {answer.status} {body[:200]!r}")
        return body

    def time(self, case: str, paths: Sequence[str], number: int) -> Timing:
        """Ask for the paths in turn, so many times in all."""
        for path in islice(cycle(paths), WARM_UP):
            self.get(path)
        used, took = cpu_seconds(self._pid), []
        for path in islice(cycle(paths), number):
            began = time.perf_counter()
            self.get(path)
            took.append((time.perf_counter() - began) * 1000)
        took.sort()
        p50, p95, p99 = (took[min(int(len(took) * share), len(took) - 1)] for share in QUANTILES)
        used = (cpu_seconds(self._pid) - used) * 1000 / number
        return Timing(case, number, p50, p95, p99, used)


QUANTILES = (0.5, 0.95, 0.99)


def table(timings: Sequence[Timing]) -> str:
    """Aligned columns for people."""
    width = max(len(timing.case) for timing in timings)
    lines = [f"{'':{width}}  {'p50':>7} {'p95':>7} {'p99':>7} {'cpu':>7}  ms"]
    lines += [
        f"{t.case:{width}}  " + " ".join(f"{v:7.1f}" for v in (t.p50, t.p95, t.p99, t.cpu))
        for t in timings
    ]
    return "\n".join(lines)


def write(path: Path, timings: Sequence[Timing], **about: object) -> None:
    """The same as JSON, with what it was measured on."""
    machine = {
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
    }
    body = {"about": machine | about, "timings": [asdict(timing) for timing in timings]}
    path.write_text(json.dumps(body, indent=2) + "\n")
