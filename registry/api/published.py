"""Index pages for everybody, answered from the files that `registry.index.writer` writes.

WSGI around the hub, as nginx is in deploy/nginx.conf: such a page costs no query and no Django
request. Without it a page costs web 2.2 to 3.3 times the CPU time, gunicorn included: 1.0 ms
instead of 0.4 with `simple.early` (SQLite, November 2026). All other requests are the hub's:
private, unknown and moved environments have no file, and a token may open more than the files hold.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest

from registry.index import negotiate
from registry.index.writer import ROOT

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

ADDRESS = re.compile(r"/([a-z0-9-]+)/simple/(?:([a-z0-9-]+)/)?")
QUERIES = {"": "", "format=json": "json", "format=html": "html"}
# Kept by each web process: 32 MiB at the very most.
MOST_KEPT, LONGEST_KEPT = 512, 1 << 16


@dataclass(frozen=True, slots=True)
class File:
    """A page's file as it was read; another write leaves another inode, time or size."""

    state: tuple[int, int, int]
    data: bytes
    etag: str


class Published:
    """Answers requests for stored pages from the folder, and passes all others on."""

    def __init__(self, app: WSGIApplication, folder: str) -> None:
        self._app = app
        self._folder = folder
        self._kept: dict[str, File] = {}

    def __call__(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        method = environ["REQUEST_METHOD"]
        address = ADDRESS.fullmatch(environ["PATH_INFO"])
        wanted = QUERIES.get(environ.get("QUERY_STRING", ""))
        if (
            address is None
            or wanted is None
            or method not in ("GET", "HEAD")
            or environ.get("HTTP_AUTHORIZATION")
            or not _is_allowed(environ)
        ):
            return self._app(environ, start)
        owner, name = address.groups()
        form = negotiate.form(
            environ.get("HTTP_ACCEPT", ""), environ.get("HTTP_ACCEPT_ENCODING", ""), wanted
        )
        place = f"{owner}/{name}" if name else owner
        file = self._file(f"{self._folder}/{place}/{form.file}")
        if file is None:
            return self._app(environ, start)
        vary = negotiate.VARY if name else negotiate.VARY_BY_TOKEN
        headers = negotiate.headers(file.etag, vary)
        if negotiate.matches_etag(environ.get("HTTP_IF_NONE_MATCH", ""), file.etag):
            start("304 Not Modified", headers)
            return ()
        start("200 OK", [*headers, *form.headers, ("Content-Length", str(len(file.data)))])
        return () if method == "HEAD" else (file.data,)

    def _file(self, path: str) -> File | None:
        """The file as it is now, read again only where it has changed."""
        kept = self._kept.get(path)
        try:
            if kept is not None and kept.state == _state(os.stat(path)):  # noqa: PTH116 - on every request
                return kept
            with Path(path).open("rb") as file:
                # Of what was opened: the name may be another file's by now.
                state = _state(os.fstat(file.fileno()))
                data = file.read()
        except OSError:
            self._kept.pop(path, None)
            return None
        page = File(state, data, f'"{state[1] // 10**9:x}-{len(data):x}"')
        if len(data) <= LONGEST_KEPT:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            self._kept[path] = page
        return page


def published(app: WSGIApplication) -> WSGIApplication:
    """The same for this hub's storage; nothing is put around the app where that is a bucket."""
    if settings.HUB_STORAGE != "local":
        return app
    return Published(app, str(Path(settings.HUB_STORAGE_PATH, ROOT)))


def _state(stat: os.stat_result) -> tuple[int, int, int]:
    return stat.st_ino, stat.st_mtime_ns, stat.st_size


def _is_allowed(environ: WSGIEnvironment) -> bool:
    """Whether the request's Host is one of the hub's; the hub refuses it where not."""
    request = HttpRequest()
    request.META = environ
    try:
        request.get_host()
    except DisallowedHost:
        return False
    return True
