"""Bytes of every public page with everything that it loads, gzipped.

    HUB_HOME=/somewhere [DATABASE_URL=postgresql://...] python -m benchmarks.registry.weights

makes the sample of `sample` in a hub that has none. The same weights are a test, which makes the
sample in an empty hub; on a full hub, pages of lists are as long as they become.
"""

from __future__ import annotations

import gzip
import os
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import django

from benchmarks.registry import sample

ASSET = re.compile(r'(?:href|src)="(/static/[^"]+)"')
SHOWN_BY_CLIENTS = "icon.png"  # named by pages for phones that add them to their screen
TARGET = 45 * 1024
NO_PAGES = (  # files and parts, which load nothing: their size is that of what they hold
    *("hub-feed", "owner-feed", "environment-feed", "environment-preview", "sitemap", "robots"),
    *("sitemap-section", "version-lock", "version-raw", "version-files"),
)
Get = Callable[[str], bytes]


@dataclass(frozen=True, slots=True)
class Weight:
    """Gzipped bytes of a page, and of its styles, scripts, font and icon."""

    path: str
    page: int
    assets: int

    @property
    def total(self) -> int:
        """Both."""
        return self.page + self.assets


def weights(addresses: dict[str, list[str]], get: Get) -> Iterator[Weight]:
    """The weight of every address; `get` returns the body at a path."""
    for route, paths in addresses.items():
        if route in NO_PAGES:
            continue
        for path in paths:
            page = get(path)
            assets = {name for name in ASSET.findall(page.decode()) if SHOWN_BY_CLIENTS not in name}
            yield Weight(path, _packed(page), sum(_served(get(name), name) for name in assets))


def _served(data: bytes, name: str) -> int:
    """Fonts are compressed already."""
    return len(data) if name.endswith(".woff2") else _packed(data)


def _packed(data: bytes) -> int:
    """As web packs it."""
    return len(gzip.compress(data, compresslevel=6))


def main() -> None:
    """Weigh the pages of the hub that HUB_HOME and DATABASE_URL name."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hub.settings")
    django.setup()
    from django.conf import settings

    from benchmarks.registry.pages import ADDRESSES
    from benchmarks.registry.search import web

    addresses = sample.addresses(Path(settings.HUB_HOME) / ADDRESSES)
    with web() as client:
        rows = sorted(weights(addresses, client.get), key=lambda row: -row.total)
    for row in rows:
        mark = " above the target" if row.total > TARGET else ""
        print(
            f"{row.total / 1024:6.1f} KiB = {row.page / 1024:5.1f} + {row.assets / 1024:4.1f}"
            f"  {row.path}{mark}"
        )
    over = sum(row.total > TARGET for row in rows)
    print(f"{len(rows)} pages, {over} above {TARGET // 1024} KiB")
    sys.exit(over > 0)


if __name__ == "__main__":
    main()
