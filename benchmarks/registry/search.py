"""Browse, search and version lists of a hub with 100,000 environments and 1,000,000 versions.

    HUB_HOME=/somewhere [DATABASE_URL=postgresql://...] python -m benchmarks.registry.search

fills an empty database first, which takes minutes; later runs measure the existing rows.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

import psycopg

from benchmarks.registry import machine
from benchmarks.registry.bulk import texts
from benchmarks.registry.measure import Client, table, write
from benchmarks.registry.process import COMMAND

API = "/api/v1/environments/"
PAGE = "/envs/"
DEEP = 40  # pages down a list
TARGET = 50.0  # milliseconds at p95


def main() -> None:
    """Fill an empty hub, measure, print, write."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--environments", type=int, default=100_000)
    arguments.add_argument("--versions", type=int, default=1_000_000)
    arguments.add_argument("--requests", type=int, default=100, help="for each row of the table")
    arguments.add_argument("--only", default="", help="rows whose name contains this")
    arguments.add_argument("--json", type=Path, help="write all figures there")
    options = arguments.parse_args()
    with web() as client:
        full = bool(json.loads(client.get(API))["results"])
    if not full:
        sizes = (f"--environments={options.environments}", f"--versions={options.versions}")
        subprocess.run([sys.executable, "-m", "benchmarks.registry.bulk", *sizes], check=True)
    timings = []
    with web() as client:
        for case, paths in cases(client):
            if options.only in case and paths:
                timings.append(client.time(case, paths, options.requests))
    print(table(timings))
    if options.json:
        write(options.json, timings, environments=options.environments, versions=options.versions)
    slow = [timing.case for timing in timings if timing.p95 > TARGET]
    print(f"p95 above {TARGET:.0f} ms: {', '.join(slow) or 'none'}")


@contextmanager
def web() -> Iterator[Client]:
    """A client of the hub's web process, which runs until the end of the block."""
    port = machine.free_port()
    environ = os.environ | {"HUB_PORT": str(port), "HUB_LOG_LEVEL": "ERROR"}
    with TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        running = machine.start(COMMAND, log=log, port=port, environ=environ)
        try:
            yield Client(port, web=running.pid, database=database_server())
        finally:
            machine.stop(running)


def database_server() -> int | None:
    """The process of the PostgreSQL that DATABASE_URL names, where it runs on this machine."""
    url = os.environ.get("DATABASE_URL", "")
    if not url.startswith("postgres"):
        return None
    with psycopg.connect(url) as connection:
        status = Path(f"/proc/{connection.info.backend_pid}/status")
        if not (status.exists() and "postgres" in status.read_text().splitlines()[0]):
            return None
        return int(re.search(r"^PPid:\s*(\d+)$", status.read_text(), re.MULTILINE)[1])


def cases(client: Client) -> Iterator[tuple[str, list[str]]]:
    """Every row of the table with the addresses that it requests in turn."""
    yield "home", ["/"]
    for sort in ("fresh", "installs", "stars", "name"):
        yield f"browse by {sort}", [f"{PAGE}?sort={sort}"]
        yield f"browse by {sort}, page {DEEP}", [deep(client, f"{API}?sort={sort}")]
    yield from filtered(client)
    yield from searched(client)
    longest = f"person-0/{texts.FIRST}"
    yield "versions of 10,000", [f"{API}{longest}/versions/"]
    yield f"versions of 10,000, page {DEEP}", [deep(client, f"{API}{longest}/versions/?limit=20")]
    yield "versions of 10,000, page", [f"{PAGE}{longest}/?tab=versions"]


def filtered(client: Client) -> Iterator[tuple[str, list[str]]]:
    """Each facet, with its values from the most to the least frequent."""
    facets = json.loads(client.get(f"{API}?facets=1"))["facets"]
    values = {name: [v["value"] for v in facet["values"]] for name, facet in facets.items()}
    for name, options in values.items():
        yield f"browse one {name}", [f"{PAGE}?{name}={quote(value)}" for value in options]
    pairs = [
        f"{PAGE}?framework={framework}&tag={quote(tag)}&sort={sort}"
        for framework in values["framework"]
        for tag in values["tag"][::4]
        for sort in ("fresh", "installs")
    ]
    yield "browse framework and tag", pairs
    yield "browse without results", [f"{PAGE}?framework=none", f"{PAGE}?tag=none"]
    yield "list, no facets", [API]


def searched(client: Client) -> Iterator[tuple[str, list[str]]]:
    """Search texts of every kind, many of each."""
    names = [row["name"] for row in json.loads(client.get(f"{API}?limit=100&sort=name"))["results"]]
    topics = {*texts.TOPICS, *texts.KINDS}
    coined = [word for name in names for word in name.split("-") if word not in topics]
    queries = {
        "everywhere": ["reward", "environment", "the model", "task"],
        "common": texts.TOPICS[:40],
        "tag": [tag for tag in texts.TAGS if "-" in tag],
        "rare": coined,
        "exact name": names[:50],
        "prefix": [word[:3] for word in texts.TOPICS[:40]],
        "two words": [f"{a} {b}" for a, b in zip(texts.TOPICS, texts.TOPICS[7:], strict=False)],
        "any of two": [f"{a} qqqzzzqqq" for a in texts.TOPICS[:40]],
        "any of five": [
            " ".join(texts.TOPICS[at : at + 4]) + " qqqzzzqqq" for at in range(0, 40, 2)
        ],
        "typo": [swapped(word) for word in (*texts.TOPICS[:20], *coined[:20]) if len(word) > 4],
        "nothing": ["qqqzzzqqq", "xyxyxyxyx zzz", "wwwvvvwww"],
    }
    for kind, texts_of_kind in queries.items():
        yield f"search {kind}", [f"{PAGE}?q={quote(words)}" for words in texts_of_kind]
    common = texts.TOPICS[:40]
    yield "search common by installs", [f"{PAGE}?q={word}&sort=installs" for word in common]
    yield "search everywhere by fresh", [f"{PAGE}?q=reward&sort=fresh"]
    yield "search common, one framework", [f"{PAGE}?q={word}&framework=openenv" for word in common]
    yield "search common, API", [f"{API}?q={word}" for word in common]


def swapped(word: str) -> str:
    """The word with two letters in its middle swapped."""
    half = len(word) // 2
    return word[: half - 1] + word[half] + word[half - 1] + word[half + 1 :]


def deep(client: Client, path: str) -> str:
    """The address of a page far down that list."""
    for _ in range(DEEP - 1):
        path = json.loads(client.get(path))["next"]
        path = re.sub(r"^https?://[^/]+", "", path)
    return path


if __name__ == "__main__":
    main()
