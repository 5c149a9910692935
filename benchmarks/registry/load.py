"""The loads: requests by wrk, uploads by four clients, cold installs by uv."""

from __future__ import annotations

import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import requests

from benchmarks.registry import machine, servers
from benchmarks.registry.servers import Server
from tests.registry.uploads.forms import form_of

CONNECTIONS, CLIENTS = 16, 4
UNITS = {"us": 0.001, "ms": 1.0, "s": 1000.0, "m": 60000.0}


@dataclass(frozen=True, slots=True)
class Reading:
    """Requests per second, 99th percentile in ms, and the server's CPU time per request in us."""

    per_second: float
    p99_ms: float
    cpu_us: float


def read(server: Server, url: str, accept: str, *, seconds: int, headers: str = "") -> Reading:
    """Request one address without pauses; raises RuntimeError on a response of 4xx or 5xx."""
    wrk = shutil.which("wrk")
    if wrk is None:
        raise RuntimeError("wrk is missing: apt-get install wrk")
    command = [wrk, "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency", "--timeout", "20s"]
    command += ["-H", f"Accept: {accept}", *(("-H", headers) if headers else ()), url]
    before = _cpu(server)
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    spent = _cpu(server) - before
    if "Non-2xx" in output or "Socket errors" in output:
        raise RuntimeError(f"{server.label} {url}:\n{output}")
    count = int(_search(r"(\d+) requests in", output)[1])
    p99 = _search(r"99%\s+([\d.]+)(us|ms|s|m)\b", output)
    per_second = float(_search(r"Requests/sec:\s+([\d.]+)", output)[1])
    return Reading(per_second, float(p99[1]) * UNITS[p99[2]], spent / max(count, 1) * 1e6)


def middle(readings: Sequence[Reading]) -> Reading:
    """The median of each figure."""
    return Reading(
        statistics.median(reading.per_second for reading in readings),
        statistics.median(reading.p99_ms for reading in readings),
        statistics.median(reading.cpu_us for reading in readings),
    )


def upload(server: Server, wheels: Sequence[Path], *, also: Sequence[int] = ()) -> Reading:
    """Upload the wheels from four concurrent clients; each must be accepted. `also` are further
    processes of the server, such as those of its database.

    The clients share the processors with the servers. So their requests are prepared before, as
    twine sends them, and sent over bare sockets: 0.2 ms per upload, where `requests` took 8.
    """
    sent = [_request(server, path) for path in wheels]
    parts = urlsplit(server.upload)
    address = (parts.hostname or "", parts.port or 80)
    before, started = _cpu(server, also), time.perf_counter()
    with ThreadPoolExecutor(CLIENTS) as clients:
        seconds = sorted(clients.map(lambda request: _send(server.label, address, request), sent))
    wall = time.perf_counter() - started
    p99 = statistics.quantiles(seconds, n=100)[98] * 1000
    return Reading(len(wheels) / wall, p99, (_cpu(server, also) - before) / len(wheels) * 1e6)


def postmaster(database: str) -> tuple[int]:
    """The parent of all processes of that PostgreSQL."""
    with psycopg.connect(database) as connection:
        row = connection.execute("SHOW data_directory").fetchone()
    assert row is not None
    return (int(Path(row[0], "postmaster.pid").read_text().split()[0]),)


def install(server: Server, *, times: int) -> float:
    """Median seconds of `uv pip install` into an empty environment with an empty cache."""
    requirement, index = servers.needy(server)
    uv = Path(sys.executable).with_name("uv")
    seconds = []
    for _ in range(times):
        with tempfile.TemporaryDirectory(prefix="bench-install-") as scratch:
            folder = Path(scratch)
            environ = servers.clean() | {"UV_CACHE_DIR": str(folder / "cache")}
            subprocess.run([uv, "venv", "-q", folder / "venv"], check=True, env=environ)
            command = [uv, "pip", "install", "-q", "-p", folder / "venv/bin/python"]
            command += ["--default-index", index, requirement]
            started = time.perf_counter()
            subprocess.run(command, check=True, env=environ, cwd=folder)
            seconds.append(time.perf_counter() - started)
    return statistics.median(seconds)


def growth_mib(server: Server, *, requests: int, seconds: int) -> tuple[float, float]:
    """Resident MiB of the server after 10,000 pages and after at least `requests` more."""
    url, accept, _ = servers.addresses(server)["environment, JSON"]
    count = _pages(server, url, accept, 10_000, seconds)
    before = machine.resident_mib(server.roots[0])
    count = 0
    while count < requests:
        count += _pages(server, url, accept, requests - count, seconds)
    return before, machine.resident_mib(server.roots[0])


def _pages(server: Server, url: str, accept: str, requests: int, seconds: int) -> int:
    count = 0
    while count < requests:
        count += int(read(server, url, accept, seconds=seconds).per_second * seconds)
    return count


def _cpu(server: Server, also: Sequence[int] = ()) -> float:
    return sum(machine.cpu_seconds(root) for root in (*server.roots, *also))


def _request(server: Server, path: Path) -> bytes:
    """The bytes of an upload as twine sends it, on a connection of its own."""
    form = form_of(path.read_bytes())
    files = {"content": (path.name, path.read_bytes())}
    request = requests.Request("POST", server.upload, server.headers, files, form, auth=server.auth)
    ready = request.prepare()
    assert isinstance(ready.body, bytes)
    headers = {**ready.headers, "Host": urlsplit(server.upload).netloc, "Connection": "close"}
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"POST {ready.path_url} HTTP/1.1\r\n{head}\r\n".encode() + ready.body


def _send(label: str, address: tuple[str, int], request: bytes) -> float:
    """Seconds until the response is complete; raises RuntimeError unless it is a 200."""
    started = time.perf_counter()
    with socket.create_connection(address, timeout=60) as wire:
        wire.sendall(request)
        answer = b"".join(_chunks(wire.recv))
    if not answer.startswith((b"HTTP/1.1 200", b"HTTP/1.0 200")):
        raise RuntimeError(f"{label}: {answer[:1000].decode(errors='replace')}")
    return time.perf_counter() - started


def _chunks(receive: Callable[[int], bytes]) -> Sequence[bytes]:
    return list(iter(lambda: receive(65536), b""))


def _search(pattern: str, text: str) -> re.Match[str]:
    match = re.search(pattern, text)
    if match is None:
        raise RuntimeError(f"unexpected output of wrk:\n{text}")
    return match
