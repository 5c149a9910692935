"""A data set hub on loopback for one program: the data sets of a folder, frozen to its lock.

`load_dataset` reads no file list offline, so a cache alone does not serve it (decision 0046).
Requests for repositories that the lock does not name go on to the user's own data set hub, where
a training program finds its model.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import requests
from urllib3.exceptions import HTTPError

from envyard.contract.data_listings import at_paths, entries_of, in_folder
from envyard.contract.data_lock import DataLock, LockedFile, LockedRepository
from envyard.contract.data_requests import DataRequest, Refused, byte_range, read, read_paths
from envyard.data_cache import BLOCK, blob_of
from envyard.errors import HubCliError

TIMEOUT = (15.0, 300.0)
MAX_BODY = 64 << 20
OFFLINE = ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "TRANSFORMERS_OFFLINE")
OF_ONE_CONNECTION = (
    *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer"),
    *("transfer-encoding", "upgrade", "host", "content-length"),
)
MAX_NOTED = 10
PROBED = (".py", ".huggingface.yaml", "dataset_infos.json")  # clients look for these everywhere
UNREACHABLE = 501  # the clients then use their caches; 502 to 504 they would repeat for 20 seconds


class FrozenHub:
    """Answers requests for locked repositories; `refused` has what the lock does not name."""

    def __init__(self, lock: DataLock, folder: Path) -> None:
        self.lock, self.folder = lock, folder
        self.names = {(each.kind, each.name) for each in lock.repositories}
        self.refused: list[str] = []

    def names_repository(self, target: str) -> bool:
        """Whether an address outside of the grammar is about a locked repository."""
        address = target.partition("?")[0]
        return any(f"/{kind}s/{name}/" in f"{address}/" for kind, name in self.names)

    def repository(self, request: DataRequest) -> LockedRepository:
        """The repository at the commit that the revision is locked to; raises Refused."""
        kind, name = request.repository.kind, request.repository.name
        commit = self.lock.commit(kind, name, request.revision)
        entry = self.lock.repository(kind, name, commit or "")
        if entry is None:
            self._refuse(f"{request.repository} at {request.revision}")
            raise Refused(404, f"the data lock has no {request.revision}", "RevisionNotFound")
        return entry

    def listed(self, request: DataRequest, entry: LockedRepository, body: bytes) -> Any:
        """The JSON answer of every operation but `file`."""
        if request.operation == "refs":
            main = {"name": "main", "ref": "refs/heads/main", "targetCommit": entry.commit}
            return {"branches": [main], "converts": [], "tags": []}
        if request.operation == "info":
            return describe(entry)
        if request.operation == "paths-info":
            return at_paths(entries_of(entry), read_paths(body))
        listed = in_folder(entries_of(entry), request.path, recursive=request.recursive)
        if listed is None:
            raise Refused(404, f"{entry.name} has no folder {request.path}", "EntryNotFound")
        return listed

    def file(self, request: DataRequest, entry: LockedRepository) -> LockedFile:
        """The locked file; raises Refused."""
        file = self.lock.file(entry.kind, entry.name, entry.commit, request.path)
        if file is None:
            if not request.path.endswith(PROBED):
                self._refuse(f"{entry.name}: {request.path}")
            raise Refused(404, f"the data lock does not name {request.path}", "EntryNotFound")
        return file

    def _refuse(self, name: str) -> None:
        if name not in self.refused and len(self.refused) < MAX_NOTED:
            self.refused.append(name)


def describe(entry: LockedRepository) -> dict[str, Any]:
    """The repository in the form of the hub's API."""
    return {
        "_id": entry.commit[:24],
        "id": entry.name,
        "author": entry.name.partition("/")[0],
        "sha": entry.commit,
        "private": False,
        "gated": "auto" if entry.gated else False,
        "disabled": False,
        "downloads": 0,
        "likes": 0,
        "tags": [f"license:{entry.licence}"] if entry.licence else [],
        "siblings": [{"rfilename": file.path} for file in entry.files],
    }


@contextmanager
def serving(hub: FrozenHub, upstream: str) -> Iterator[str]:
    """The address of the hub while it is served on loopback."""
    session = requests.Session()

    class Handler(_Handler):
        frozen, upstream_url, upstream_session = hub, upstream.rstrip("/"), session

    server = _Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
        session.close()


def run_program(command: list[str], folder: Path, url: str) -> int:
    """Run the program with its data sets from `url`; returns its exit code."""
    program = shutil.which(command[0])
    if program is None:
        raise HubCliError(f"{command[0]} is not a program that can be started")
    with subprocess.Popen(
        [program, *command[1:]], env=program_variables(os.environ, folder, url)
    ) as process:
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:  # the terminal sent it to the program as well
                continue


def program_variables(environ: Mapping[str, str], folder: Path, url: str) -> dict[str, str]:
    """The program's variables: the user's own, with the data set hub replaced."""
    variables = {name: value for name, value in environ.items() if name not in OFFLINE}
    direct = environ.get("no_proxy") or environ.get("NO_PROXY")
    for name in ("NO_PROXY", "no_proxy"):
        variables[name] = f"{direct},127.0.0.1" if direct else "127.0.0.1"
    return variables | {"HF_ENDPOINT": url, "HF_DATASETS_CACHE": str(folder / "datasets")}


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: Any) -> None:
        """Write nothing of a client that went away between the program's own lines."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    frozen: FrozenHub
    upstream_url: str
    upstream_session: requests.Session

    def log_message(self, *_: Any) -> None:
        """Write nothing between the program's own lines."""

    def _handle(self) -> None:
        body = self.rfile.read(min(int(self.headers.get("Content-Length") or 0), MAX_BODY))
        try:
            request = read(self.command, self.path)
        except Refused as error:
            if self.frozen.names_repository(self.path):
                self._refuse(error, "")
            else:
                self._forward(body)
            return
        if (request.repository.kind, request.repository.name) not in self.frozen.names:
            self._forward(body)
            return
        commit = ""
        try:
            entry = self.frozen.repository(request)
            commit = entry.commit
            if request.operation == "file":
                self._send_file(entry, self.frozen.file(request, entry))
            else:
                self._send_json(200, self.frozen.listed(request, entry, body), commit)
        except Refused as error:
            self._refuse(error, commit)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = _handle  # noqa: N815

    def _refuse(self, error: Refused, commit: str) -> None:
        self._send_json(error.status, {"error": str(error)}, commit, code=error.code)

    def _send_json(self, status: int, value: Any, commit: str, *, code: str = "") -> None:
        content = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        if commit:
            self.send_header("X-Repo-Commit", commit)
        if code:
            self.send_header("X-Error-Code", code)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def _send_file(self, entry: LockedRepository, file: LockedFile) -> None:
        first, last, status = byte_range(self.headers.get("Range"), file.size)
        self.send_response(status)
        self.send_header("X-Repo-Commit", entry.commit)
        for name in ("ETag", "X-Linked-Etag"):
            self.send_header(name, f'"{file.object_id}"')
        self.send_header("X-Linked-Size", str(file.size))
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Type", "application/octet-stream")
        if status != 200:
            span = "*" if status == 416 else f"{first}-{last}"
            self.send_header("Content-Range", f"bytes {span}/{file.size}")
        self.send_header("Content-Length", str(last - first + 1))
        self.end_headers()
        if self.command == "HEAD":
            return
        with blob_of(self.frozen.folder, entry, file).open("rb") as content:
            content.seek(first)
            while first <= last and (block := content.read(min(BLOCK, last - first + 1))):
                self.wfile.write(block)
                first += len(block)

    def _forward(self, body: bytes) -> None:
        """Pass the request on, and the answer back; redirects are the client's to follow."""
        headers = {k: v for k, v in self.headers.items() if k.lower() not in OF_ONE_CONNECTION}
        try:
            response = self.upstream_session.request(
                self.command,
                f"{self.upstream_url}{self.path}",
                headers=headers,
                data=body or None,
                stream=True,
                allow_redirects=False,
                timeout=TIMEOUT,
            )
        except requests.RequestException as error:
            message = f"{self.upstream_url} is not reachable: {type(error).__name__}"
            self._send_json(UNREACHABLE, {"error": message}, "")
            return
        with response:
            self._pass_on(response)

    def _pass_on(self, response: requests.Response) -> None:
        length = response.headers.get("Content-Length")
        self.send_response(response.status_code)
        for name, value in response.headers.items():
            if name.lower() not in OF_ONE_CONNECTION:
                self.send_header(name, value)
        if length is not None:
            self.send_header("Content-Length", length)
        else:
            self.send_header("Connection", "close")
            self.close_connection = True
        self.end_headers()
        if self.command == "HEAD":
            return
        try:
            for block in response.raw.stream(BLOCK, decode_content=False):
                self.wfile.write(block)
        except HTTPError:  # what follows would be read as the rest of the body
            self.close_connection = True
