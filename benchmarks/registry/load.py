"""The loads: requests by wrk, uploads by four clients, cold installs by uv."""

from __future__ import annotations

import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from benchmarks.registry import machine, servers
from benchmarks.registry.servers import Server
from tests.registry.uploads.forms import form_of

CONNECTIONS, CLIENTS = 16, 4
UNITS = {"us": 0.001, "ms": 1.0, "s": 1000.0, "m": 60000.0}


@dataclass(frozen=True, slots=True)
class Reading:
    """Requests a second, 99th percentile in ms, and the server's processor time a request in us."""

    per_second: float
    p99_ms: float
    cpu_us: float


def read(server: Server, url: str, accept: str, *, seconds: int, headers: str = "") -> Reading:
    """Ask for one address as fast as answers come; raises RuntimeError on an answer of 4xx, 5xx."""
    wrk = shutil.which("wrk")
    if wrk is None:
        raise RuntimeError("wrk is missing: apt-get install wrk")
    command = [wrk, "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency", "--timeout", "20s"]
    command += ["-H", f"Accept: {accept}", *(("-H", headers) if headers else ()), url]
    before = _cpu(server)
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    spent = _cpu(server) - before
    if "Non-2xx" in said or "Socket errors" in said:
        raise RuntimeError(f"{server.label} {url}:\n{said}")
    count = int(_found(r"(\d+) requests in", said)[1])
    p99 = _found(r"99%\s+([\d.]+)(us|ms|s|m)\b", said)
    per_second = float(_found(r"Requests/sec:\s+([\d.]+)", said)[1])
    return Reading(per_second, float(p99[1]) * UNITS[p99[2]], spent / max(count, 1) * 1e6)


def middle(readings: Sequence[Reading]) -> Reading:
    """The median of each figure."""
    return Reading(
        statistics.median(one.per_second for one in readings),
        statistics.median(one.p99_ms for one in readings),
        statistics.median(one.cpu_us for one in readings),
    )


def upload(server: Server, wheels: Sequence[Path]) -> Reading:
    """Upload them from four clients at once; each must be taken."""
    forms = [form_of(path.read_bytes()) for path in wheels]
    taken: list[float] = []

    def one(path: Path, form: dict[str, list[str]]) -> None:
        started = time.perf_counter()
        answer = servers.post(server, path, form)
        if not answer.ok:
            raise RuntimeError(f"{server.label}: {answer.status_code} {answer.text[:300]}")
        taken.append((time.perf_counter() - started) * 1000)

    before, started = _cpu(server), time.perf_counter()
    with ThreadPoolExecutor(CLIENTS) as clients:
        list(clients.map(one, wheels, forms))
    wall = time.perf_counter() - started
    p99 = statistics.quantiles(taken, n=100)[98]
    return Reading(len(wheels) / wall, p99, (_cpu(server) - before) / len(wheels) * 1e6)


def install(server: Server, *, times: int) -> float:
    """Median seconds of `uv pip install` into an empty environment with an empty cache."""
    what, index = servers.needy(server)
    uv = Path(sys.executable).with_name("uv")
    taken = []
    for _ in range(times):
        with tempfile.TemporaryDirectory(prefix="bench-install-") as scratch:
            place = Path(scratch)
            environ = servers.clean() | {"UV_CACHE_DIR": str(place / "cache")}
            subprocess.run([uv, "venv", "-q", place / "venv"], check=True, env=environ)
            command = [uv, "pip", "install", "-q", "-p", place / "venv/bin/python"]
            command += ["--default-index", index, what]
            started = time.perf_counter()
            subprocess.run(command, check=True, env=environ, cwd=place)
            taken.append(time.perf_counter() - started)
    return statistics.median(taken)


def growth_mib(server: Server, *, requests: int, seconds: int) -> tuple[float, float]:
    """Resident MiB of the server after 10,000 pages and after at least `requests` more."""
    url, accept, _ = servers.addresses(server)["environment, JSON"]
    done = _pages(server, url, accept, 10_000, seconds)
    before = machine.resident_mib(server.roots[0])
    done = 0
    while done < requests:
        done += _pages(server, url, accept, requests - done, seconds)
    return before, machine.resident_mib(server.roots[0])


def _pages(server: Server, url: str, accept: str, wanted: int, seconds: int) -> int:
    done = 0
    while done < wanted:
        done += int(read(server, url, accept, seconds=seconds).per_second * seconds)
    return done


def _cpu(server: Server) -> float:
    return sum(machine.cpu_seconds(root) for root in server.roots)


def _found(pattern: str, text: str) -> re.Match[str]:
    found = re.search(pattern, text)
    if found is None:
        raise RuntimeError(f"wrk says something else:\n{text}")
    return found
