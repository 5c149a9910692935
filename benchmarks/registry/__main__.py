"""The hub beside nginx, pypiserver and devpi, in one run on one machine.

    make benchmark                                   or
    python -m benchmarks.registry [--seconds 4] [--rounds 3] [--uploads 200] [--json FILE]

Each round visits all servers in turn, so that other load of the machine affects all of them; the
output has medians. Compare the ratios of one run, never figures of different machines.
"""

from __future__ import annotations

import argparse
import json
import signal
import statistics
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.registry import load, material, servers
from benchmarks.registry.load import Reading
from benchmarks.registry.servers import Server
from tests import postgresql

PEERS = {
    "pypiserver": ("pypiserver[passlib,cache]==2.4.2", "gunicorn==27.0.1", "setuptools<81"),
    "devpi": ("devpi-server==6.20.3",),
}
CACHE = Path(__file__).parents[2] / ".cache" / "benchmarks"
Table = dict[str, dict[str, Reading]]


def main() -> None:
    """Start all servers, measure, print, stop."""
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # and stop what was started
    with ExitStack() as stack:
        folder = TemporaryDirectory(prefix="bench-registry-", ignore_cleanup_errors=True)
        scratch = Path(stack.enter_context(folder))
        scratch.chmod(0o755)
        wheels = material.make(scratch / "wheels", uploads=options.uploads)
        database = "" if options.sqlite else stack.enter_context(postgresql.server(durable=True))
        running = _start(stack, scratch, wheels, database)
        reads, ratios = _reads(running, seconds=options.seconds, rounds=options.rounds)
        print_table(reads)
        print("\nrequests per second: the hub behind nginx / nginx static")
        for kind, ratio in ratios.items():
            print(f"  {kind:18} {ratio:8.2f}")
        uploads = {
            server.label: load.upload(server, wheels.uploads, also=_also(server, database))
            for server in running
            if server.upload
        }
        print_table({"uploads, 4 clients": uploads})
        installs = {server.label: load.install(server, times=options.rounds) for server in running}
        print("\ncold `uv pip install` of one environment with 3 dependencies")
        for label, seconds in installs.items():
            print(f"  {label:18} {seconds:8.3f} s")
        app = running[0]
        before, after = load.growth_mib(app, requests=options.requests, seconds=options.seconds)
        print(f"\nmemory of web: {before:.0f} MiB; {options.requests:,} pages later {after:.0f}")
    if options.json:
        figures = {
            "reads": _plain(reads),
            "of_nginx_alone": ratios,
            "uploads": _plain({"4 clients": uploads})["4 clients"],
            "install_seconds": installs,
            "web_memory_mib": [before, after],
        }
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.registry", description=__doc__)
    parser.add_argument("--seconds", type=int, default=4, help="length of each read burst")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--uploads", type=int, default=200)
    parser.add_argument("--requests", type=int, default=100_000, help="for the memory's growth")
    parser.add_argument("--sqlite", action="store_true", help="the hub on SQLite, not PostgreSQL")
    parser.add_argument("--json", type=Path, help="write all figures there")
    return parser.parse_args()


def _start(
    stack: ExitStack, scratch: Path, wheels: material.Material, database: str
) -> list[Server]:
    programs = {name: installed(name) for name in PEERS}
    print("starting the hub and its peers", file=sys.stderr, flush=True)
    app, files = servers.hub(scratch, wheels, database=database)
    stack.callback(app.stop)
    running = [app]
    for start in (
        lambda: servers.hub_behind_nginx(scratch, files, database=database),
        lambda: servers.nginx_static(scratch, app, files),
        lambda: servers.pypiserver(scratch, wheels, programs["pypiserver"]),
        lambda: servers.devpi(scratch, wheels, programs["devpi"]),
    ):
        running.append(start())
        stack.callback(running[-1].stop)
    return running


def installed(peer: str) -> Path:
    """The peer's programs, in a folder that later runs use again."""
    folder = CACHE / peer
    if not (folder / "complete").exists():
        uv = Path(sys.executable).with_name("uv")
        subprocess.run([uv, "venv", "-q", "--clear", folder], check=True)
        subprocess.run(
            [uv, "pip", "install", "-q", "-p", folder / "bin/python", *PEERS[peer]], check=True
        )
        (folder / "complete").touch()
    return folder / "bin"


def _reads(running: list[Server], *, seconds: int, rounds: int) -> tuple[Table, dict[str, float]]:
    """Kind of request -> server -> reading, for the hub also of pages that the client has cached;
    and for each page the ratio of the hub behind nginx to nginx static, burst by burst."""
    addresses = {server.label: servers.addresses(server) for server in running}
    readings: dict[str, dict[str, list[Reading]]] = {}
    for number in range(rounds):
        for kind in addresses["hub"]:
            print(f"round {number + 1} of {rounds}: {kind}", file=sys.stderr, flush=True)
            for server in running:
                if kind in addresses[server.label]:
                    url, accept, header = addresses[server.label][kind]
                    burst = load.read(server, url, accept, seconds=seconds, headers=header)
                    readings.setdefault(kind, {}).setdefault(server.label, []).append(burst)
    table = {
        kind: {label: load.middle(bursts) for label, bursts in by.items()}
        for kind, by in readings.items()
    }
    return table, {kind: _ratio(by) for kind, by in readings.items() if "nginx static" in by}


def _ratio(by: dict[str, list[Reading]]) -> float:
    pairs = zip(by["hub behind nginx"], by["nginx static"], strict=True)
    return statistics.median(proxied.per_second / alone.per_second for proxied, alone in pairs)


def _also(server: Server, database: str) -> Sequence[int]:
    return load.postmaster(database) if database and server.label == "hub" else ()


def _plain(table: Table) -> dict[str, dict[str, dict[str, float]]]:
    return {
        kind: {label: asdict(reading) for label, reading in by.items()}
        for kind, by in table.items()
    }


def print_table(table: Table) -> None:
    """Print the readings of each kind, one line per server."""
    for kind, by in table.items():
        print(f"\n{kind}")
        for label, reading in by.items():
            print(f"  {label:18} {_row(reading)}", flush=True)


def _row(reading: Reading) -> str:
    rate = f"{reading.per_second:10,.0f} /s   p99 {reading.p99_ms:8.1f} ms"
    return f"{rate}   {reading.cpu_us:9,.0f} us cpu"


if __name__ == "__main__":
    main()
