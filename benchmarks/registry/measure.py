"""Time requests on one kept connection, or on several at the same time."""

from __future__ import annotations

import http.client
import json
import os
import platform
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
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
    connections: int = 1


class Client:
    """One kept connection; `database` is the database server's process if it is local."""

    def __init__(self, port: int, *, web: int, database: int | None) -> None:
        self._web, self._database, self._port = web, database, port
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    @property
    def address(self) -> str:
        """The hub's URL, without a slash at the end."""
        return f"http://127.0.0.1:{self._port}"

    def get(self, path: str) -> bytes:
        """The body; raises for any status but 200."""
        return _get(self._connection, path)[0]

    def time(
        self,
        case: str,
        paths: Sequence[str],
        number: int,
        *,
        connections: int = 1,
        source: str = "",
    ) -> Timing:
        """Request the paths in turn, `number` requests in all, after one request to each; from that
        address of this machine, as some pages limit the requests of an address."""
        opened = [self._connect(source) for _ in range(connections)]
        for path in islice(paths, number):
            _get(opened[0], path)
        used, share = self._used(), number // connections

        def send(each: int) -> list[float]:
            return [
                _get(opened[each], path)[1] for path in islice(cycle(paths), each, each + share)
            ]

        with ThreadPoolExecutor(connections) as threads:
            milliseconds = sorted(
                time for times in threads.map(send, range(connections)) for time in times
            )
        web, database = (
            (after - before) * 1000 / len(milliseconds)
            for before, after in zip(used, self._used(), strict=True)
        )
        for connection in opened:
            connection.close()
        p50, p95 = (milliseconds[int(len(milliseconds) * part)] for part in (0.5, 0.95))
        sent, longest = len(milliseconds), milliseconds[-1]
        return Timing(case, sent, p50, p95, longest, web, database, connections)

    def time_pages(
        self, cases: Iterable[tuple[str, Sequence[str]]], number: int, *, connections: int
    ) -> Iterator[Timing]:
        """`time` of each case, each from another address of this machine."""
        for at, (case, paths) in enumerate(cases, 1):
            source = f"127.0.{connections}.{at}"
            yield self.time(case, paths, number, connections=connections, source=source)

    def _connect(self, source: str) -> http.client.HTTPConnection:
        address = (source, 0) if source else None
        return http.client.HTTPConnection(
            "127.0.0.1", self._port, timeout=60, source_address=address
        )

    def _used(self) -> tuple[float, float]:
        return cpu_seconds(self._web), cpu_seconds(self._database) if self._database else 0.0


def _get(connection: http.client.HTTPConnection, path: str) -> tuple[bytes, float]:
    """Body and milliseconds; raises for any status but 200 and 302."""
    began = time.perf_counter()
    connection.request("GET", path)
    response = connection.getresponse()
    body = response.read()
    elapsed = (time.perf_counter() - began) * 1000
    if response.status not in (200, 302):
        raise RuntimeError(f"GET {path}: {response.status} {body[:200]!r}")
    return body, elapsed


def table(timings: Sequence[Timing]) -> str:
    """Aligned columns for people."""
    width = max(len(timing.case) for timing in timings)
    heads = " ".join(f"{name:>6}" for name in ("p50", "p95", "max", "web", "db"))
    lines = [f"{'milliseconds':{width}}  at {heads}"]
    lines += [
        f"{t.case:{width}} {t.connections:3} "
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
