"""Content negotiation of index pages: `?format=` first, then Accept with its q-values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from django.utils.http import parse_etags

JSON = "application/vnd.pypi.simple.v1+json"
HTML = "application/vnd.pypi.simple.v1+html"
PLAIN = "text/html"
OFFERED = (JSON, HTML, PLAIN)
ALIASES = {
    "application/vnd.pypi.simple.latest+json": JSON,
    "application/vnd.pypi.simple.latest+html": HTML,
    "application/json": JSON,
    "json": JSON,
    "html": PLAIN,
}
MAX_AGE = 600  # seconds, as PyPI sends and uv's documentation recommends
POLICY = "default-src 'none'; frame-ancestors 'none'"
VARY = "Accept, Accept-Encoding"
VARY_BY_TOKEN = f"{VARY}, Authorization"
Headers = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Form:
    """One form of a page: the name of its file, and the headers for its bytes."""

    file: str
    headers: tuple[tuple[str, str], ...]


@lru_cache(1024)
def form(accept: str, accept_encoding: str, requested: str = "") -> Form:
    """The form for those headers and `?format=`.

    Compressed even where the page is private: it repeats no input of a stranger, so its length
    reveals nothing.
    """
    kind = choose(accept, requested)
    json = kind == JSON
    file, content_type = (
        "index.json" if json else "index.html",
        kind if json else f"{kind}; charset=utf-8",
    )
    if takes_gzip(accept_encoding):
        return Form(f"{file}.gz", (("Content-Type", content_type), ("Content-Encoding", "gzip")))
    return Form(file, (("Content-Type", content_type),))


def headers(etag: str, vary: str, cache: str = "public") -> Headers:
    """The headers of every response for a page, 304 included; deploy/nginx.conf sets the same."""
    return [
        ("ETag", etag),
        ("Cache-Control", f"{cache}, max-age={MAX_AGE}"),
        ("Vary", vary),
        ("X-Content-Type-Options", "nosniff"),
        ("Content-Security-Policy", POLICY),
    ]


def matches_etag(if_none_match: str, etag: str) -> bool:
    """Whether If-None-Match is `*` or a list with that tag, strong or weak."""
    if if_none_match in ("", etag):
        return bool(if_none_match)
    return any(tag.removeprefix("W/") in (etag, "*") for tag in parse_etags(if_none_match))


@lru_cache(1024)
def choose(accept: str, requested: str = "") -> str:
    """The content type of the response; plain HTML where none of those offered is acceptable.

    A wildcard means HTML, as old installers and browsers expect (PEP 691 leaves it open). Of types
    with equal q the more specific one wins, then JSON before HTML.
    """
    requested = ALIASES.get(requested, requested)
    if requested in OFFERED:
        return requested
    scored = [(_quality(kind, accept), kind) for kind in OFFERED]
    best = max((quality for quality, _ in scored), default=(0.0, 0))
    if best[0] <= 0 or best[1] == 0:
        return PLAIN
    return next(kind for quality, kind in scored if quality == best)


@lru_cache(1024)
def takes_gzip(accept_encoding: str) -> bool:
    """Whether gzip is named and not with q=0; as in nginx, `*` does not name it."""
    for part in accept_encoding.split(","):
        name, *parameters = (piece.strip() for piece in part.split(";"))
        if name.lower() == "gzip":
            return _q(parameters) > 0
    return False


def _quality(kind: str, accept: str) -> tuple[float, int]:
    """(q, how exactly the header names this type: 2 whole, 1 `text/*`, 0 `*/*` or not at all)."""
    exactness, quality = -1, 0.0
    for part in accept.split(","):
        name, *parameters = (piece.strip() for piece in part.split(";"))
        name = ALIASES.get(name.lower(), name.lower())
        level = {kind: 2, f"{kind.partition('/')[0]}/*": 1, "*/*": 0}.get(name, -1)
        if level > exactness:
            exactness, quality = level, _q(parameters)
    return quality, max(exactness, 0)


def _q(parameters: list[str]) -> float:
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "q":
            try:
                return min(1.0, max(0.0, float(value)))
            except ValueError:
                return 0.0
    return 1.0
