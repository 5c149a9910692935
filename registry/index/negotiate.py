"""Which form of a page to answer with: `?format=` first, then Accept with its q-values."""

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
MAX_AGE = 600  # seconds; what PyPI says and uv's documentation recommends
POLICY = "default-src 'none'; frame-ancestors 'none'"
VARY = "Accept, Accept-Encoding"
AND_WHO = f"{VARY}, Authorization"
Headers = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Form:
    """One of a page's forms: the name of its file, and what is said of the file's bytes."""

    file: str
    headers: tuple[tuple[str, str], ...]


@lru_cache(1024)
def form(accept: str, accept_encoding: str, wanted: str = "") -> Form:
    """The form that those headers and `?format=` ask for.

    Packed even where the page is private: nothing that a stranger sends comes back in it, so its
    length gives nothing away.
    """
    kind = choose(accept, wanted)
    json = kind == JSON
    file, said = "index.json" if json else "index.html", kind if json else f"{kind}; charset=utf-8"
    if takes_gzip(accept_encoding):
        return Form(f"{file}.gz", (("Content-Type", said), ("Content-Encoding", "gzip")))
    return Form(file, (("Content-Type", said),))


def headers(etag: str, vary: str, cache: str = "public") -> Headers:
    """What every answer about a page says, 304 too; deploy/nginx.conf says the same."""
    return [
        ("ETag", etag),
        ("Cache-Control", f"{cache}, max-age={MAX_AGE}"),
        ("Vary", vary),
        ("X-Content-Type-Options", "nosniff"),
        ("Content-Security-Policy", POLICY),
    ]


def known(asked: str, etag: str) -> bool:
    """If-None-Match: `*`, or a list that names the tag, strong or weak."""
    if asked in ("", etag):
        return bool(asked)
    return any(one.removeprefix("W/") in (etag, "*") for one in parse_etags(asked))


@lru_cache(1024)
def choose(accept: str, wanted: str = "") -> str:
    """The content type to answer with; plain HTML where nothing that we offer was asked for.

    A wildcard means HTML, as old installers and browsers expect (PEP 691 leaves it open). Of
    equally wanted types the more exactly named wins, then JSON before HTML.
    """
    wanted = ALIASES.get(wanted, wanted)
    if wanted in OFFERED:
        return wanted
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
