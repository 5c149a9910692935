"""A git host over https on loopback, with repositories of a test's own and git's own server."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from tests.worker.proxy.hosts import HostAuthority

AUTHOR = {
    "GIT_AUTHOR_NAME": "Alice",
    "GIT_AUTHOR_EMAIL": "alice@example.org",
    "GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z",
    "GIT_COMMITTER_NAME": "Alice",
    "GIT_COMMITTER_EMAIL": "alice@example.org",
    "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}


@dataclass
class Repository:
    """A bare repository below `folder`, written without a work tree."""

    folder: Path

    @classmethod
    def create(cls, folder: Path) -> Repository:
        folder.mkdir(parents=True)
        repository = cls(folder)
        repository.git("init", "--bare", "--quiet", "--initial-branch=main", ".")
        repository.git("config", "uploadpack.allowFilter", "true")
        return repository

    def git(self, *arguments: str, stdin: bytes = b"") -> str:
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), **AUTHOR}
        command = ["git", "-c", "safe.directory=*", *arguments]
        completed = subprocess.run(
            command, cwd=self.folder, env=environment, input=stdin, capture_output=True, check=True
        )
        return completed.stdout.decode().strip()

    def blob(self, content: bytes) -> str:
        return self.git("hash-object", "-w", "--stdin", stdin=content)

    def commit(self, files: Mapping[str, str | bytes], *, branch: str = "main") -> str:
        """Commit these files alone on the branch; a path that begins with `->` is a link to its
        content."""
        rows = []
        for path, content in files.items():
            data = content.encode() if isinstance(content, str) else content
            mode = "120000" if path.startswith("->") else "100644"
            rows.append(f"{mode} {self.blob(data)}\t{path.removeprefix('->')}")
        return self.commit_rows(rows, branch=branch)

    def commit_rows(self, rows: list[str], *, branch: str = "main") -> str:
        """Commit an index of `MODE ID<tab>PATH` rows."""
        self.git("read-tree", "--empty")
        self.git("update-index", "--index-info", stdin="\n".join([*rows, ""]).encode())
        return self.commit_tree(self.git("write-tree"), branch=branch)

    def commit_tree(self, tree: str, *, branch: str = "main") -> str:
        has_parent = self.git("for-each-ref", f"refs/heads/{branch}")
        parents = ["-p", f"refs/heads/{branch}"] if has_parent else []
        commit = self.git("commit-tree", tree, *parents, "-m", "A commit")
        self.git("update-ref", f"refs/heads/{branch}", commit)
        return commit


@dataclass
class GitHost:
    """Serves the repositories below `folder` at `url`, `https://localhost:PORT`.

    `settings` are git's own for all repositories. `redirects` maps the beginning of a path to
    another address, `requested` has the paths of all requests.
    """

    folder: Path
    url: str
    certificates: Path
    settings: dict[str, str] = field(default_factory=lambda: {"safe.directory": "*"})
    redirects: dict[str, str] = field(default_factory=dict)
    requested: list[str] = field(default_factory=list)

    def create(self, name: str) -> Repository:
        return Repository.create(self.folder / name)


@contextmanager
def serving(folder: Path) -> Iterator[GitHost]:
    """Serve for as long as the block runs."""
    authority = HostAuthority.create(folder, "localhost")
    repositories = folder / "repositories"
    repositories.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    host = GitHost(repositories, f"https://localhost:{server.server_port}", authority.bundle)
    server.host = host  # type: ignore[attr-defined]
    server.socket = authority.server_context().wrap_socket(
        server.socket, server_side=True, do_handshake_on_connect=False
    )
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield host
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _git_settings(settings: Mapping[str, str]) -> dict[str, str]:
    variables = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (name, value) in enumerate(settings.items()):
        variables[f"GIT_CONFIG_KEY_{number}"] = name
        variables[f"GIT_CONFIG_VALUE_{number}"] = value
    return variables


class _Handler(BaseHTTPRequestHandler):
    """Hands each request to `git http-backend`."""

    def log_message(self, *_: object) -> None:
        """Nothing."""

    def do_GET(self) -> None:
        host: GitHost = self.server.host  # type: ignore[attr-defined]
        host.requested.append(self.path)
        for beginning, address in host.redirects.items():
            if self.path.startswith(beginning):
                self.send_response(301)
                self.send_header("Location", address + self.path.removeprefix(beginning))
                self.end_headers()
                return
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        parts = urlsplit(self.path)
        completed = subprocess.run(
            ["git", "-c", "safe.directory=*", "http-backend"],
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(host.folder),
                "GIT_PROJECT_ROOT": str(host.folder),
                "GIT_HTTP_EXPORT_ALL": "1",
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
                "PATH_INFO": parts.path,
                "QUERY_STRING": parts.query,
                "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "CONTENT_LENGTH": str(length),
                **_git_settings(host.settings),
            },
            input=body,
            capture_output=True,
            check=False,
        )
        head, _, content = completed.stdout.partition(b"\r\n\r\n")
        fields = [line.split(": ", 1) for line in head.decode().splitlines() if ": " in line]
        status = next((value for name, value in fields if name == "Status"), "200 OK")
        self.send_response(int(status.split()[0]))
        for name, value in fields:
            if name != "Status":
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_POST = do_GET  # noqa: N815
