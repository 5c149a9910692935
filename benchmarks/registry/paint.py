"""First contentful paint of every public page, from the browser's own `paint` timing.

    HUB_HOME=/somewhere [DATABASE_URL=postgresql://...] python -m benchmarks.registry.paint

opens each page in Debian's Chromium, several times with an empty cache (a new context) and with
the cache of the visit before. The browser runs on the machine that serves the pages.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

import django
from playwright.sync_api import Browser, BrowserContext, sync_playwright

from benchmarks.registry import sample
from benchmarks.registry.weights import NO_PAGES

PARTS = ("version-live", "run-live", "run-queue-live")  # of pages, which have their own rows
PROGRAM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
PAINT = """() => new Promise(resolve => {
  const of = () => performance.getEntriesByName("first-contentful-paint")[0];
  const look = () => of() ? resolve(of().startTime) : setTimeout(look, 5);
  look();
})"""


@dataclass(frozen=True, slots=True)
class Paint:
    """Milliseconds from the start of the navigation, medians of several visits."""

    path: str
    cold: float
    warm: float


def main() -> None:
    """Visit the pages of the hub that HUB_HOME and DATABASE_URL name, print, write."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--visits", type=int, default=5)
    arguments.add_argument("--only", default="", help="routes whose name contains this")
    arguments.add_argument("--json", type=Path, help="write all figures there")
    options = arguments.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hub.settings")
    django.setup()
    from django.conf import settings

    from benchmarks.registry.pages import ADDRESSES
    from benchmarks.registry.search import web

    addresses = sample.addresses(Path(settings.HUB_HOME) / ADDRESSES)
    paths = [each for route, each in first_of(addresses) if options.only in route]
    with web() as client, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PROGRAM, args=FLAGS)
        with closing(browser):
            paints = list(visit(browser, client.address, paths, options.visits))
    for row in sorted(paints, key=lambda row: -row.cold):
        print(f"{row.cold:6.0f} ms cold {row.warm:6.0f} ms warm  {row.path}")
    for name, values in (("cold", [p.cold for p in paints]), ("warm", [p.warm for p in paints])):
        print(f"{name}: median {median(values):.0f}, longest {max(values):.0f} ms")
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in paints], indent=2) + "\n")


def first_of(addresses: dict[str, list[str]]) -> Iterator[tuple[str, str]]:
    """The first address of each page."""
    for route, paths in addresses.items():
        if route not in (*NO_PAGES, *PARTS):
            yield route, paths[0]


def visit(browser: Browser, hub: str, paths: list[str], visits: int) -> Iterator[Paint]:
    """The paint of each page, after one visit that warms the hub up."""
    for path in paths:
        cold, warm = [], []
        for number in range(visits + 1):
            with closing(browser.new_context()) as context:
                times = [_paint(context, hub + path) for _ in range(2)]
            if number:
                cold.append(times[0])
                warm.append(times[1])
        yield Paint(path, median(cold), median(warm))


def _paint(context: BrowserContext, url: str) -> float:
    """In a tab of its own, whose cache is the context's."""
    with closing(context.new_page()) as page:
        page.goto(url, wait_until="load")
        return float(page.evaluate(PAINT))


if __name__ == "__main__":
    main()
