"""A hub whose disk is really full: every write is refused with 507, and reading goes on."""

import hashlib
import json
import os
import re
import secrets
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests
from django.conf import settings

from hub import programs
from tests import wheels
from tests.registry.uploads.forms import form_of

pytestmark = pytest.mark.once
DISK = "40m"
PRIME = "/api/v1/environmentshub"


@dataclass(frozen=True)
class Hub:
    """A web process with everything that it writes on one small disk."""

    url: str
    home: Path
    created: dict[str, str]

    @property
    def ballast(self) -> Path:
        return self.home / "ballast"

    @property
    def log(self) -> Path:
        return self.home.with_name("web.log")

    def fill(self) -> None:
        """Leave not one byte."""
        with sqlite3.connect(self.home / "hub.sqlite3") as rows:
            rows.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        rows.close()
        with self.ballast.open("wb", buffering=0) as file:
            for size in (1 << 20, 4096, 1):
                try:
                    while True:
                        file.write(bytes(size))
                except OSError:
                    continue

    def call(self, method: str, path: str, token: str = "", **options: Any) -> requests.Response:
        headers = {"Authorization": f"Bearer {self.created[token]}"} if token else {}
        headers |= options.pop("headers", {})
        return requests.request(method, f"{self.url}{path}", headers=headers, timeout=60, **options)

    def upload(self, wheel: bytes, filename: str, **headers: str) -> requests.Response:
        return self.call(
            "POST",
            "/legacy/alice/",
            "publish",
            data=form_of(wheel),
            files={"content": (filename, wheel)},
            headers=headers,
        )


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    home = tmp_path_factory.mktemp("full") / "home"
    home.mkdir()
    options = f"size={DISK},mode=0711"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", home], check=True)
    try:
        with serving(home) as running:
            yield running
    finally:
        subprocess.run(["umount", "-l", home], check=True)


@contextmanager
def serving(home: Path) -> Iterator[Hub]:
    """gunicorn with the hub of that folder."""
    (home / "tmp").mkdir()
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    environ = os.environ | {
        "HUB_HOME": str(home),
        "HUB_PORT": str(port),
        "TMPDIR": str(home / "tmp"),
        "HUB_READY_FREE_MB": "1",
        "HUB_READY_SECONDS": "1",
        "DJANGO_SETTINGS_MODULE": "hub.settings",
    }
    environ.pop("DATABASE_URL", None)
    rows = [sys.executable, "-m", "tests.hub.full_disk"]
    done = subprocess.run(
        rows, cwd=settings.BASE_DIR, env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    command = [sys.executable, "-m", "gunicorn", "hub.wsgi:application", "--threads", "4"]
    command += ["--worker-class", programs.WORKER, "--bind", f"127.0.0.1:{port}"]
    command += ["--no-control-socket"]
    running = Hub(f"http://127.0.0.1:{port}", home, json.loads(done.stdout))
    with running.log.open("wb") as log:
        process = subprocess.Popen(command, cwd=settings.BASE_DIR, env=environ, stderr=log)
    try:
        wait(running, process)
        yield running
    finally:
        process.terminate()
        process.wait(20)


def wait(hub: Hub, process: "subprocess.Popen[bytes]") -> None:
    """Until it answers."""
    deadline = time.monotonic() + 60
    while True:
        assert process.poll() is None, hub.log.read_text()
        assert time.monotonic() < deadline
        try:
            if hub.call("GET", "/healthz").ok:
                return
        except requests.ConnectionError:
            time.sleep(0.1)


def refused(response: requests.Response) -> None:
    """It is the API's 507."""
    assert response.status_code == 507, response.text[:500]
    assert int(response.headers["Retry-After"]) > 0
    error = response.json()["error"]
    assert error["code"] == "hub.full"
    assert error["message"]
    assert error["request_id"] == response.headers["X-Request-ID"]


def writes(hub: Hub) -> Iterator[tuple[str, requests.Response]]:
    """Everything that needs room; what needs an address first is prepared before it is full."""
    small = wheels.make_wheel("small-env")
    large = wheels.make_wheel(
        "large-env", files={"large_env/data.bin": secrets.token_bytes(1 << 20)}
    )
    announced = {
        kind: hub.call(
            "POST",
            f"{PRIME}/{hub.created['environment']}/{kind}",
            "publish",
            json={
                "filename": name,
                "sha256": hashlib.sha256(small).hexdigest(),
                "semantic_version": "0.1.0",
                "content_hash": "c" * 64,
            },
        ).json()["data"]["upload_url"]
        for kind, name in (("wheels", wheels.filename()), ("versions", "demo-env-0.1.0.tar.gz"))
    }
    evaluation = hub.call(
        "POST",
        "/api/v1/evaluations/",
        "publish",
        json={
            "name": "one",
            "environments": [{"id": hub.created["environment"]}],
            "model_name": "tiny",
        },
    ).json()["evaluation_id"]
    job = hub.call("POST", "/api/v1/runner/poll/", "runner", json={"capabilities": {}}).json()
    batch = {"attempt": 1, "seq": 1, "phase": "running", "log": secrets.token_hex(200_000)}
    hub.fill()
    yield "small wheel", hub.upload(small, wheels.filename("small-env"))
    yield "large wheel", hub.upload(large, wheels.filename("large-env"))
    for kind, address in announced.items():
        yield f"prime {kind}", requests.put(address, data=small, timeout=60)
    samples = {"samples": [{"text": secrets.token_hex(50_000)}]}
    path = f"/api/v1/evaluations/{evaluation}/samples"
    yield "samples", hub.call("POST", path, "publish", json=samples)
    headers = {"Authorization": f"Bearer {job['run_token']}"}
    for kind in ("events", "finish"):
        body = batch if kind == "events" else {"attempt": 1, "outcome": "succeeded", "findings": []}
        path = f"/api/v1/runner/runs/{job['run']}/{kind}/"
        yield kind, hub.call("POST", path, json=body, headers=headers)
    yield "star", hub.call("PUT", "/api/v1/environments/alice/listed-env/star/", "admin")


def test_a_full_disk_refuses_writes_with_507_and_serves_what_is_read(hub: Hub) -> None:
    try:
        for name, response in writes(hub):
            try:
                refused(response)
            except AssertionError as error:
                raise AssertionError(name) from error
        pages(hub)
        reads(hub)
        log = hub.log.read_text()
        assert "Traceback" not in log
        assert "no disk space left: " in log
    finally:
        hub.ballast.unlink(missing_ok=True)
    wheel = wheels.make_wheel("small-env")
    response = hub.upload(wheel, wheels.filename("small-env"))
    assert response.status_code == 200, response.text
    time.sleep(1.1)
    assert hub.call("GET", "/readyz").json()["status"] == "ready"


def pages(hub: Hub) -> None:
    """A browser gets a page, twine and uv a sentence."""
    browser = requests.Session()
    signup = browser.get(f"{hub.url}/signup/", timeout=60)
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', signup.text)
    assert token is not None, signup.text
    form = {"username": "carol", "email": "carol@example.com", "password1": "horse-battery-1"}
    form |= {"csrfmiddlewaretoken": token[1]}
    page = browser.post(f"{hub.url}/signup/", data=form, timeout=60)
    assert page.status_code == 507, page.text
    assert "<h1>No disk space left</h1>" in page.text
    style = re.search(r'href="(/static/css/base[^"]*)"', page.text)
    assert style is not None, page.text
    assert browser.get(f"{hub.url}{style[1]}", timeout=60).status_code == 200
    assert "Retry-After" in page.headers
    wheel = wheels.make_wheel("small-env")
    plain = hub.upload(wheel, wheels.filename("small-env"), Accept="text/plain")
    assert plain.status_code == 507
    assert plain.text.startswith("The hub has no disk space left.")
    assert "no disk space left" in plain.reason


def reads(hub: Hub) -> None:
    """What only reads goes on."""
    for path in ("/", "/envs/", "/envs/alice/listed-env/", "/alice/simple/", "/healthz"):
        assert hub.call("GET", path).status_code == 200, path
    for path in ("/api/v1/environments/", "/api/v1/whoami/"):
        assert hub.call("GET", path, "publish").status_code == 200, path
    assert hub.call("GET", hub.created["file"]).status_code == 200
    response = hub.call("GET", "/readyz")
    assert response.status_code == 503
    checks = response.json()["checks"]
    assert {name for name, check in checks.items() if check["status"] == "failing"} >= {
        "storage",
        "space",
    }
