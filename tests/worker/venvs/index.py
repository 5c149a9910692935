"""A package index on this machine, of the wheels in a folder, with their upload times."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

JSON = "application/vnd.pypi.simple.v1+json"


class Index(BaseHTTPRequestHandler):
    """PEP 691 pages with hashes and, unless `dated` is empty, PEP 700's upload times: those of
    the files."""

    def __init__(
        self,
        folder: Path,
        requested: list[str],
        dated: list[bool],
        cached_for: list[int],
        *arguments: object,
    ) -> None:
        self.folder, self.options, self.dated = folder, requested, dated
        self.cached_for = cached_for
        super().__init__(*arguments)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        """Answer a distribution's page or a file."""
        self.options.append(self.path)
        *_, kind, name = self.path.rstrip("/").split("/")
        content = self._page(name) if kind == "simple" else (self.folder / name).read_bytes()
        self.send_response(200 if content else 404)
        self.send_header("Content-Type", JSON if kind == "simple" else "application/zip")
        self.send_header("Content-Length", str(len(content)))
        if self.cached_for:
            self.send_header("Cache-Control", f"max-age={self.cached_for[-1]}")
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    do_HEAD = do_GET  # noqa: N815

    def _page(self, name: str) -> bytes:
        files = [
            self._file(file)
            for file in sorted(self.folder.iterdir())
            if file.name.split("-")[0].replace("_", "-") == name
        ]
        page = {"meta": {"api-version": "1.1"}, "name": name, "files": files}
        return json.dumps(page).encode() if files else b""

    def _file(self, file: Path) -> dict[str, object]:
        fields: dict[str, object] = {
            "filename": file.name,
            "url": f"/files/{file.name}",
            "hashes": {"sha256": hashlib.sha256(file.read_bytes()).hexdigest()},
        }
        if self.dated:
            uploaded = datetime.fromtimestamp(file.stat().st_mtime, UTC)
            fields["upload-time"] = uploaded.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        return fields

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
        """Keep quiet."""


def serve(
    folder: Path, requested: list[str], dated: list[bool], cached_for: list[int]
) -> ThreadingHTTPServer:
    """A server of that folder, to be started; `requested` gets the requested paths."""
    handler = partial(Index, folder, requested, dated, cached_for)
    return ThreadingHTTPServer(("127.0.0.1", 0), handler)
