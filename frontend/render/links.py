"""Links from METADATA: only http(s), with a label that names the real host."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Link:
    """A label and its URL."""

    label: str
    url: str


def safe_links(links: object) -> list[Link]:
    """The valid links, each labelled with its name and host."""
    if not isinstance(links, dict):
        return []
    safe = []
    for label, url in list(links.items())[:12]:
        try:
            parts = urlsplit(str(url))
            host = parts.hostname
        except ValueError:
            continue
        if parts.scheme in ("http", "https") and host:
            safe.append(Link(f"{str(label)[:40]} ({host})", str(url)))
    return safe
