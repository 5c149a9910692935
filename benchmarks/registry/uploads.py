"""Uploads from four clients, to the hub and its peers in turn: how many a second, at what cost.

    python -m benchmarks.registry.uploads [--uploads 200] [--rounds 3] [--sqlite] [--json FILE]

The clients share the processors with the servers. So their requests are made beforehand, as twine
sends them, and go out over bare sockets: a client costs some 0.2 ms an upload, requests 8 ms.
"""

from __future__ import annotations

import argparse
import json
import socket
import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import psycopg
import requests

from benchmarks.registry import __main__ as comparison
from benchmarks.registry import load, machine, material, servers
from benchmarks.registry.load import Reading
from benchmarks.registry.servers import Server
from tests import postgresql
from tests.registry.uploads.forms import form_of

CLIENTS = 4


def main() -> None:
    """Start the three, measure in turn, print, stop."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.registry.uploads")
    parser.add_argument("--uploads", type=int, default=200, help="of each round, to each server")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sqlite", action="store_true", help="the hub on SQLite, not PostgreSQL")
    parser.add_argument("--json", type=Path, help="write all figures there")
    options = parser.parse_args()
    with ExitStack() as stack:
        kept = TemporaryDirectory(prefix="bench-uploads-", ignore_cleanup_errors=True)
        scratch = Path(stack.enter_context(kept))
        made = material.make(scratch / "wheels", uploads=options.uploads * options.rounds)
        database = "" if options.sqlite else stack.enter_context(postgresql.server(durable=True))
        every = [servers.hub(scratch, made, database=database)[0]]
        stack.callback(every[0].stop)
        for peer in (servers.pypiserver, servers.devpi):
            every.append(peer(scratch, made, comparison.installed(peer.__name__)))
            stack.callback(every[-1].stop)
        read: dict[str, list[Reading]] = {one.label: [] for one in every}
        for start in range(0, len(made.uploads), options.uploads):
            wheels = made.uploads[start : start + options.uploads]
            for one in every:
                also = postmaster(database) if one is every[0] and database else ()
                read[one.label].append(measure(one, wheels, also=also))
    found = {label: load.middle(readings) for label, readings in read.items()}
    comparison.tell({f"uploads, {CLIENTS} clients": found})
    if options.json:
        options.json.write_text(json.dumps({k: asdict(v) for k, v in found.items()}) + "\n")


def measure(server: Server, wheels: Sequence[Path], *, also: Sequence[int] = ()) -> Reading:
    """Upload them from four clients at once; each must be taken. `also` are further processes
    that do the server's work, such as those of its database."""
    sent = [_request(server, path) for path in wheels]
    place = urlsplit(server.upload)
    address = (place.hostname or "", place.port or 80)
    roots = (*server.roots, *also)
    before, started = sum(map(machine.cpu_seconds, roots)), time.perf_counter()
    with ThreadPoolExecutor(CLIENTS) as clients:
        taken = sorted(clients.map(lambda request: _send(server.label, address, request), sent))
    wall = time.perf_counter() - started
    spent = sum(map(machine.cpu_seconds, roots)) - before
    p99 = statistics.quantiles(taken, n=100)[98]
    return Reading(len(wheels) / wall, p99 * 1000, spent / len(wheels) * 1e6)


def postmaster(database: str) -> tuple[int]:
    """The process from which all of that PostgreSQL descend."""
    with psycopg.connect(database) as connection:
        row = connection.execute("SHOW data_directory").fetchone()
    assert row is not None
    return (int(Path(row[0], "postmaster.pid").read_text().split()[0]),)


def _request(server: Server, path: Path) -> bytes:
    """The bytes of an upload as twine sends it, on a connection of its own."""
    form = form_of(path.read_bytes())
    files = {"content": (path.name, path.read_bytes())}
    asked = requests.Request("POST", server.upload, server.headers, files, form, auth=server.auth)
    ready = asked.prepare()
    assert isinstance(ready.body, bytes)
    headers = {**ready.headers, "Host": urlsplit(server.upload).netloc, "Connection": "close"}
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"POST {ready.path_url} HTTP/1.1\r\n{head}\r\n".encode() + ready.body


def _send(label: str, address: tuple[str, int], request: bytes) -> float:
    """Seconds until all of the answer came; raises RuntimeError where it is no 200."""
    started = time.perf_counter()
    with socket.create_connection(address, timeout=60) as wire:
        wire.sendall(request)
        answer = b"".join(_pieces(wire.recv))
    if not answer.startswith((b"HTTP/1.1 200", b"HTTP/1.0 200")):
        raise RuntimeError(f"{label}: {answer[:1000].decode(errors='replace')}")
    return time.perf_counter() - started


def _pieces(receive: Callable[[int], bytes]) -> Sequence[bytes]:
    return list(iter(lambda: receive(65536), b""))


if __name__ == "__main__":
    main()
