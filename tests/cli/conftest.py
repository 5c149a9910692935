"""An empty home for every test, and a small HTTP server with scripted replies."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home: no token, no hub, no virtual environment."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("HUB_URL", "HUB_TOKEN", "VIRTUAL_ENV", "CONDA_PREFIX", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@dataclass
class Answers:
    """The replies of the server to each `METHOD /path`, and the requests that it got."""

    url: str = ""
    replies: dict[str, tuple[int, Any]] = field(default_factory=dict)
    requests: list[tuple[str, str | None]] = field(default_factory=list)

    def reply(self, request: str, status: int, body: Any) -> None:
        """Answer `request` with that status and JSON body (or raw text)."""
        self.replies[request] = (status, body)


@pytest.fixture
def server() -> Iterator[Answers]:
    """A server on loopback; unknown requests get 404 without the hub's error shape."""
    answers = Answers()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            self.rfile.read(length)
            answers.requests.append(
                (f"{self.command} {self.path}", self.headers.get("Authorization"))
            )
            status, body = answers.replies.get(f"{self.command} {self.path}", (404, "gone"))
            data = (body if isinstance(body, str) else json.dumps(body)).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_DELETE = answer  # noqa: N815

        def log_message(self, *args: Any) -> None:
            """Write no log."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as httpd:
        answers.url = f"http://127.0.0.1:{httpd.server_port}"
        thread = threading.Thread(target=httpd.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield answers
        httpd.shutdown()
        thread.join()
