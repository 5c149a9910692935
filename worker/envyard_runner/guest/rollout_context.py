"""Name the rollout on requests that the environment sends by itself, to the judge alone.

The name lets the gateway record a call under its rollout and repeat it in a replay; it grants
nothing. Tasks and `to_thread` carry it, a bare thread pool does not.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import sys
from collections.abc import Iterator
from typing import Any

HEADER = "X-Rollout"
# The gateway inside, and the hosts that the proxy intercepts.
HOSTS = frozenset(
    """
    127.0.0.1 localhost api.openai.com api.anthropic.com api.pinference.ai openrouter.ai
    """.split()  # noqa: SIM905
)
CLIENTS = (
    ("httpx", "Client"),
    ("httpx", "AsyncClient"),
    ("httpx2", "Client"),
    ("httpx2", "AsyncClient"),
    ("requests", "Session"),
)
MARK = "_names_rollouts"

current: contextvars.ContextVar[str] = contextvars.ContextVar("rollout_name", default="")


@contextlib.contextmanager
def rollout(name: str) -> Iterator[None]:
    """Name this rollout in the block."""
    token = current.set(name)
    try:
        yield
    finally:
        current.reset(token)


def name_requests() -> None:
    """Make the clients of the modules imported so far name their rollout; safe to repeat."""
    for module, name in CLIENTS:
        client = getattr(sys.modules.get(module), name, None)
        if isinstance(client, type) and MARK not in vars(client):
            client.send = _named(client.send)  # type: ignore[attr-defined]
            setattr(client, MARK, True)


def _named(send: Any) -> Any:
    @functools.wraps(send)
    def sending(self: Any, request: Any, **options: Any) -> Any:
        if name := current.get():
            with contextlib.suppress(Exception):  # a subclass may send requests of another kind
                if _host(request) in HOSTS:
                    request.headers[HEADER] = name
        return send(self, request, **options)

    return sending


def named_headers(url: str, headers: Any) -> Any:
    """The headers of a request to `url`, with the rollout's name where it goes to the judge."""
    name = current.get()
    if not name or _host_of(url) not in HOSTS:
        return headers
    pairs = headers.items() if hasattr(headers, "items") else headers or ()
    return [*pairs, (HEADER, name)]


def _host(request: Any) -> str:
    url = request.url
    return _host_of(url) if isinstance(url, str) else str(url.host)


def _host_of(url: str) -> str:
    from urllib.parse import urlsplit

    return urlsplit(url).hostname or ""
