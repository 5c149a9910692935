"""Links that an author named in METADATA: only http(s), with a label that cannot deceive."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Link:
    """A label and where it goes."""

    label: str
    url: str


def safe_links(links: object) -> list[Link]:
    """The usable ones, each labelled with its name and the host it leads to."""
    if not isinstance(links, dict):
        return []
    found = []
    for label, url in list(links.items())[:12]:
        try:
            parts = urlsplit(str(url))
            host = parts.hostname
        except ValueError:
            continue
        if parts.scheme in ("http", "https") and host:
            found.append(Link(f"{str(label)[:40]} ({host})", str(url)))
    return found
