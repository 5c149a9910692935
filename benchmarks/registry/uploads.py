"""Uploads from four clients, to the hub and its peers in turn: rate and CPU time per upload.

python -m benchmarks.registry.uploads [--uploads 200] [--rounds 3] [--sqlite] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.registry import __main__ as comparison
from benchmarks.registry import load, material, servers
from benchmarks.registry.load import Reading
from tests import postgresql


def main() -> None:
    """Start the three servers, measure in turn, print, stop."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.registry.uploads")
    parser.add_argument("--uploads", type=int, default=200, help="of each round, to each server")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sqlite", action="store_true", help="the hub on SQLite, not PostgreSQL")
    parser.add_argument("--json", type=Path, help="write all figures there")
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = TemporaryDirectory(prefix="bench-uploads-", ignore_cleanup_errors=True)
        scratch = Path(stack.enter_context(folder))
        prepared = material.make(scratch / "wheels", uploads=options.uploads * options.rounds)
        database = "" if options.sqlite else stack.enter_context(postgresql.server(durable=True))
        running = [servers.hub(scratch, prepared, database=database)[0]]
        stack.callback(running[0].stop)
        for peer in (servers.pypiserver, servers.devpi):
            running.append(peer(scratch, prepared, comparison.installed(peer.__name__)))
            stack.callback(running[-1].stop)
        read: dict[str, list[Reading]] = {server.label: [] for server in running}
        for start in range(0, len(prepared.uploads), options.uploads):
            wheels = prepared.uploads[start : start + options.uploads]
            for server in running:
                also = load.postmaster(database) if server is running[0] and database else ()
                read[server.label].append(load.upload(server, wheels, also=also))
    medians = {label: load.middle(readings) for label, readings in read.items()}
    comparison.print_table({f"uploads, {load.CLIENTS} clients": medians})
    if options.json:
        options.json.write_text(json.dumps({k: asdict(v) for k, v in medians.items()}) + "\n")


if __name__ == "__main__":
    main()
