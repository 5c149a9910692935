"""Which form of a page to answer with: `?format=` first, then Accept with its q-values."""

from __future__ import annotations

from functools import lru_cache

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
