"""Uploads from four clients, to the hub and its peers in turn: how many a second, at what cost.

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
    """Start the three, measure in turn, print, stop."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.registry.uploads")
    parser.add_argument("--uploads", type=int, default=200, help="of each round, to each server")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sqlite", action="store_true", help="the hub on SQLite, not PostgreSQL")
    parser.add_argument("--json", type=Path, help="write all figures there")
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = TemporaryDirectory(prefix="bench-uploads-", ignore_cleanup_errors=True)
        scratch = Path(stack.enter_context(folder))
        made = material.make(scratch / "wheels", uploads=options.uploads * options.rounds)
        database = "" if options.sqlite else stack.enter_context(postgresql.server(durable=True))
        every = [servers.hub(scratch, made, database=database)[0]]
        stack.callback(every[0].stop)
        for peer in (servers.pypiserver, servers.devpi):
            every.append(peer(scratch, made, comparison.installed(peer.__name__)))
            stack.callback(every[-1].stop)
        read: dict[str, list[Reading]] = {server.label: [] for server in every}
        for start in range(0, len(made.uploads), options.uploads):
            wheels = made.uploads[start : start + options.uploads]
            for server in every:
                also = load.postmaster(database) if server is every[0] and database else ()
                read[server.label].append(load.upload(server, wheels, also=also))
    medians = {label: load.middle(readings) for label, readings in read.items()}
    comparison.tell({f"uploads, {load.CLIENTS} clients": medians})
    if options.json:
        options.json.write_text(json.dumps({k: asdict(v) for k, v in medians.items()}) + "\n")


if __name__ == "__main__":
    main()
