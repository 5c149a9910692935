"""Which Host a request may name: the same rule for pages, index and files, with a real gunicorn."""

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.conf import settings

from hub import programs
from registry.storage.local import LocalStorage

pytestmark = pytest.mark.once

INDEX, PAGE = "/alice/simple/demo-env/", "/envs/"
FILE = f"/files/ab/ab{'0' * 62}/demo_env-0.1.0-py3-none-any.whl"


@dataclass(frozen=True)
class Web:
    """A web process that allows hub.example.org and every name below envs.example.org."""

    port: int
    log: Path

    def status(self, target: str, *headers: str, version: str = "1.1") -> int:
        """The status of one request that is sent exactly as given."""
        lines = [f"GET {target} HTTP/{version}", *headers, "Connection: close", "", ""]
        with socket.create_connection(("127.0.0.1", self.port), 20) as connection:
            connection.sendall("\r\n".join(lines).encode())
            with connection.makefile("rb") as answer:
                return int(answer.readline().split()[1])


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    home = tmp_path_factory.mktemp("home")
    environ = os.environ | {
        "HUB_HOME": str(home),
        "HUB_URL": "http://hub.example.org",
        "HUB_ALLOWED_HOSTS": "hub.example.org,.envs.example.org",
        "DJANGO_SETTINGS_MODULE": "hub.settings",
    }
    environ.pop("DATABASE_URL", None)
    store = LocalStorage(home / "files")
    store.write("index/alice/demo-env/index.html", b"page", content_type="text/html", stamp=5)
    migrate = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
    subprocess.run(migrate, cwd=settings.BASE_DIR, env=environ, check=True)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "gunicorn", "hub.wsgi:application", "--threads", "2"]
    command += ["--worker-class", programs.WORKER, "--bind", f"127.0.0.1:{port}"]
    command += ["--no-control-socket"]
    with (home / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=settings.BASE_DIR, env=environ, stderr=log)
    try:
        deadline = time.monotonic() + 60
        running = Web(port, home / "log")
        while True:
            assert process.poll() is None, running.log.read_text()
            assert time.monotonic() < deadline
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield running
    finally:
        process.terminate()
        process.wait(20)


ALLOWED = (
    "hub.example.org",
    "HUB.Example.ORG:8443",
    "hub.example.org.",
    "envs.example.org",
    "alice.envs.example.org",
    "127.0.0.1",
    "127.0.0.1:8000",
    "[::1]",
    "[::1]:8000",
)
REFUSED = (
    "evil.example.com",
    "evil.example.com:8000",
    "example.org",
    "hub.example.org.evil.example.com",
    "evilenvs.example.org",
    "hub.example.org:80:80",
    "hub.example.org:port",
    "hub.example.org@evil.example.com",
    "hub.example.org, evil.example.com",
    "[::2]",
    "::1",
    "hub.example.org/",
    "",
)


@pytest.mark.parametrize("host", ALLOWED)
def test_an_allowed_host_reaches_pages_index_and_files(web: Web, host: str) -> None:
    header = f"Host: {host}"
    assert web.status(INDEX, header) == 200
    assert web.status(PAGE, header) == 200
    assert web.status(FILE, header) == 404


@pytest.mark.parametrize("host", REFUSED)
def test_another_host_is_refused_by_pages_index_and_files(web: Web, host: str) -> None:
    header = f"Host: {host}"
    for target in (INDEX, "/alice/simple/", PAGE, FILE, "/api/v1/environments/", "/static/x.css"):
        assert web.status(target, header) == 400, target


def test_an_absolute_request_target_counts_as_the_host(web: Web) -> None:
    for target in (INDEX, PAGE):
        good, evil = f"http://hub.example.org{target}", f"http://evil.example.com{target}"
        assert web.status(good, "Host: hub.example.org") == 200
        assert web.status(good, "Host: evil.example.com") == 200
        assert web.status(evil, "Host: hub.example.org") == 400
        assert web.status(f"http://hub.example.org@evil.example.com{target}") == 400
        assert web.status(f"HTTP://evil.example.com{target}", "Host: hub.example.org") == 400


def test_two_host_headers_are_refused(web: Web) -> None:
    for target in (INDEX, PAGE):
        assert web.status(target, "Host: hub.example.org", "Host: hub.example.org") == 400
        assert web.status(target, "Host: hub.example.org", "Host: evil.example.com") == 400


def test_a_request_without_a_host_counts_as_the_address_it_came_to(web: Web) -> None:
    assert web.status(INDEX, version="1.0") == 200
    assert web.status(PAGE, version="1.0") == 200


@pytest.mark.parametrize("target", ["/healthz", "/readyz"])
def test_probes_are_answered_whatever_the_host(web: Web, target: str) -> None:
    assert web.status(target, "Host: 192.0.2.7:8000") in (200, 503)
    assert web.status(target, "Host: evil.example.com") in (200, 503)


def test_a_refused_host_is_one_line_in_the_log(web: Web) -> None:
    before = len(web.log.read_text())
    name = f"{'x' * 60}.unknown.example.com"
    assert web.status(PAGE, f"Host: {name}") == 400
    assert web.status(INDEX, f"Host: {name}") == 400
    written = web.log.read_text()[before:].splitlines()
    assert len(written) == 2, written
    for line in written:
        assert re.search(rf"WARNING .*Host '{name}': HUB_ALLOWED_HOSTS", line), line
