"""A data set hub for tests: serves folders as repositories, with the Hugging Face Hub's read API.

`ROOT/datasets/OWNER/NAME/...` is a repository's `main`; `ROOT/datasets/OWNER/NAME@REF/...` another
branch, with `/` as `%2F`. A file `.gated` in it makes the repository gated, `.private` private.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

LARGE = 4096  # bytes from which a file has a sha256 as its id, as in large file storage
MARKS = (".gated", ".private")
KIND = r"(?P<kind>datasets|models)"
NAME = r"(?P<name>[\w.-]+(?:/[\w.-]+)?)"
REVISION = r"(?P<revision>[^/]+)"
ROUTES = {
    "info": re.compile(rf"/api/{KIND}/{NAME}/revision/{REVISION}"),
    "tree": re.compile(rf"/api/{KIND}/{NAME}/tree/{REVISION}(?:/(?P<path>.+))?"),
    "paths": re.compile(rf"/api/{KIND}/{NAME}/paths-info/{REVISION}"),
    "file": re.compile(rf"/(?:(?P<kind>datasets)/)?{NAME}/resolve/{REVISION}/(?P<path>.+)"),
}


@dataclass(frozen=True)
class Answer:
    """Status, headers and body of one answer; `cut` ends the connection after the body."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False


@dataclass(frozen=True)
class Request:
    """One request that the hub received."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


@dataclass
class DataHub:
    """A running hub: its address, the folder that it serves, and every request that it received.

    `intercept` may answer a request in the hub's place; `page` is the size of a page of a tree.
    """

    root: Path
    url: str = ""
    token: str = ""
    page: int = 1000
    requests: list[Request] = field(default_factory=list)
    intercept: Callable[[Request], Answer | None] = lambda _: None

    def add(self, name: str, files: dict[str, bytes | str], *, kind: str = "datasets") -> Path:
        """Write a repository, or add files to it; returns its folder."""
        folder = self.root / kind / name
        for path, content in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.encode() if isinstance(content, str) else content)
        return folder

    def commit(self, name: str, *, kind: str = "datasets") -> str:
        """The commit of the repository's present files."""
        return commit_of(self.root / kind / name)

    def targets(self) -> list[str]:
        """The addresses of all requests, without those for a token check."""
        return [request.target for request in self.requests]

    def answer(self, request: Request) -> Answer:
        """What the hub answers."""
        url = urlsplit(request.target)
        for operation, pattern in ROUTES.items():
            if match := pattern.fullmatch(url.path):
                return self._route(operation, match.groupdict(), parse_qs(url.query), request)
        return Answer(404, b"{}")

    def _route(
        self, operation: str, names: dict[str, str], query: dict[str, list[str]], request: Request
    ) -> Answer:
        kind, name = names["kind"] or "models", names["name"]
        folder = self._folder(kind, name, unquote(names["revision"]))
        if folder is None:
            exists = (self.root / kind / name).is_dir()
            return refused(404, "RevisionNotFound" if exists else "RepoNotFound")
        authorised = (
            bool(self.token) and request.headers.get("authorization") == f"Bearer {self.token}"
        )
        gated, private = ((folder / mark).exists() for mark in MARKS)
        if private and not authorised:
            return refused(401, "RepoNotFound")
        commit = commit_of(folder)
        if operation == "info":
            return as_json(describe(folder, name, commit, gated=gated, private=private), commit)
        if gated and not authorised:
            return refused(403, "GatedRepo")
        if operation == "tree":
            return self._tree(folder, unquote(names["path"] or ""), query, commit, request)
        if operation == "paths":
            paths = json.loads(request.body)["paths"]
            return as_json([entry(folder, p) for p in paths if (folder / p).is_file()], commit)
        path = folder / unquote(names["path"])
        if not path.is_file():
            return refused(404, "EntryNotFound", commit)
        content = path.read_bytes()
        return Answer(200, content, {"X-Repo-Commit": commit, "ETag": f'"{blob_id(content)}"'})

    def _tree(
        self, folder: Path, below: str, query: dict[str, list[str]], commit: str, request: Request
    ) -> Answer:
        start = folder / below
        if not start.is_dir():
            return refused(404, "EntryNotFound", commit)
        recursive = query.get("recursive") == ["true"]
        paths = sorted(start.rglob("*") if recursive else start.iterdir())
        names = [path.relative_to(folder).as_posix() for path in paths if path.name not in MARKS]
        first = int(query.get("cursor", ["0"])[0])
        headers = {"X-Repo-Commit": commit}
        if first + self.page < len(names):
            address = re.sub(r"&cursor=\d+", "", request.target)
            headers["Link"] = f'<{self.url}{address}&cursor={first + self.page}>; rel="next"'
        page = [entry(folder, name) for name in names[first : first + self.page]]
        return Answer(200, json.dumps(page).encode(), headers)

    def _folder(self, kind: str, name: str, revision: str) -> Path | None:
        main = self.root / kind / name
        if not main.is_dir():
            return None
        branches = {
            unquote(path.name.partition("@")[2]): path
            for path in main.parent.glob(f"{main.name}@*")
        }
        folders = {"main": main, **branches}
        for branch, folder in folders.items():
            if revision in (branch, commit_of(folder)):
                return folder
        return None


def files_of(folder: Path) -> list[Path]:
    """All files of a repository, sorted."""
    return [p for p in sorted(folder.rglob("*")) if p.is_file() and p.name not in MARKS]


def commit_of(folder: Path) -> str:
    """A commit: sha1 over names and contents, as stable and as specific as git's; a branch that is
    named by a commit is that commit."""
    if named := re.search(r"@([0-9a-f]{40})$", folder.name):
        return named[1]
    digest = hashlib.sha1(usedforsecurity=False)
    for path in files_of(folder):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def blob_id(content: bytes) -> str:
    """Git's id of a file."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def entry(folder: Path, name: str) -> dict[str, Any]:
    """One entry of a file list."""
    path = folder / name
    if path.is_dir():
        return {"type": "directory", "oid": "0" * 40, "size": 0, "path": name}
    content = path.read_bytes()
    fields = {"type": "file", "oid": blob_id(content), "size": len(content), "path": name}
    if len(content) >= LARGE:
        sha256 = hashlib.sha256(content).hexdigest()
        fields |= {"lfs": {"oid": sha256, "size": len(content), "pointerSize": 134}}
        fields |= {"xetHash": "0" * 64}
    return fields


def describe(folder: Path, name: str, commit: str, *, gated: bool, private: bool) -> dict[str, Any]:
    """The description of a repository at a commit."""
    return {
        "_id": commit[:24], "id": name, "author": name.split("/")[0], "sha": commit,
        "private": private, "gated": "auto" if gated else False, "disabled": False,
        "downloads": 0, "likes": 0, "tags": ["license:mit"],
        "lastModified": "2026-01-01T00:00:00.000Z", "createdAt": "2026-01-01T00:00:00.000Z",
        "siblings": [{"rfilename": p.relative_to(folder).as_posix()} for p in files_of(folder)],
    }  # fmt: skip


def as_json(value: Any, commit: str) -> Answer:
    """A JSON answer."""
    headers = {"Content-Type": "application/json", "X-Repo-Commit": commit}
    return Answer(200, json.dumps(value).encode(), headers)


def refused(status: int, code: str, commit: str = "") -> Answer:
    """An error in the hub's form."""
    headers = {"X-Error-Code": code} | ({"X-Repo-Commit": commit} if commit else {})
    return Answer(status, b"{}", headers)


@contextmanager
def serving(root: Path) -> Iterator[DataHub]:
    """A hub on a free port of loopback."""
    hub = DataHub(root)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            """Nothing: `requests` has them all."""

        def _handle(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = Request(self.command, self.path, headers, body)
            hub.requests.append(request)
            answer = hub.intercept(request) or hub.answer(request)
            self.send_response(answer.status)
            for name, value in ({"Content-Length": str(len(answer.body))} | answer.headers).items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(answer.body)
            self.close_connection = self.close_connection or answer.cut

        do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = _handle  # noqa: N815

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    hub.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def quoted(revision: str) -> str:
    """A revision as a folder's name and as an address have it."""
    return quote(revision, safe="")
