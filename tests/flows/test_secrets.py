"""A secret in a whole hub: set by its owner, sent to its host, and visible nowhere else."""

from __future__ import annotations

import base64
import gzip
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import quote

import certifi
import pytest
import requests
from cryptography.fernet import Fernet

from tests import postgresql, wheels
from tests.flows.hub import ROOT, Hub, clean_environ, serving
from tests.worker.proxy.hosts import HostAuthority, serving_in_thread
from tests.worker.proxy.intercepting import RealHost

pytestmark = [pytest.mark.flow, pytest.mark.extended, pytest.mark.timeout(900)]

HOST, NAME, REF = "api.exa.ai", "EXA_API_KEY", "alice/search-words"
VALUE = "exa-live/9f4b+2c7e8d1a=="
GZIP = b"\x1f\x8b"
PLACEHOLDER = f"envyard-secret-{NAME}"
FORMS = (VALUE, quote(VALUE, safe=""), base64.b64encode(VALUE.encode()).decode())
DECLARED = f'[tool.envyard]\nhosts = ["{HOST}"]\nsecrets = ["{NAME}"]\n'
# Writes its key wherever an environment can write, and prints what the host sends back.
SEARCHES = (
    wheels.TASKSET.replace(
        "import verifiers.v1 as vf\n",
        f"""import os
import sys
import urllib.request

import verifiers.v1 as vf

KEY = os.environ["{NAME}"]
print("key:", KEY, KEY[::-1][::-1], file=sys.stderr)


def search(word: str) -> str:
    request = urllib.request.Request("https://{HOST}/search", headers={{"x-api-key": KEY}})
    with urllib.request.urlopen(request) as answer:
        text = answer.read().decode()
    open(f"/tmp/{{KEY}}-{{word}}", "w").write(text)
    print("host:", text)
    return text
""",
    )
    .replace(
        "return float(",
        """print("reward:", KEY)
        return float(search(self.data.answer).startswith("found") and """,
    )
    .replace('prompt = f"Answer', 'prompt = f"Your key is {KEY}. Answer')
)


@pytest.fixture(scope="module")
def hub(home: Path) -> Iterator[Hub]:
    """A hub that can encrypt secrets, and a runner of its own that allows no hosts."""
    with ExitStack() as stack:
        server = os.environ.get("DATABASE_URL", "")
        url = stack.enter_context(postgresql.database(server)) if server else ""
        settings = {"HUB_RUN_SECONDS": "180", "HUB_SECRETS_KEYS": Fernet.generate_key().decode()}
        settings |= {"RUNNER_HOME": str(home / "runner"), "HUB_SWEEP_SECONDS": "2"}
        yield stack.enter_context(serving(home / "secrets", url, **settings))


@pytest.fixture
def host(tmp_path: Path, hub: Hub, home: Path) -> Iterator[RealHost]:
    """The host, which sends its key back, and a second runner that reaches it."""
    authority = HostAuthority.create(tmp_path, HOST)
    body = f"found with {VALUE}".encode()
    head = f"HTTP/1.1 200 OK\r\nX-Key: {VALUE}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    real = RealHost(head + body)
    trusted = tmp_path / "trusted.pem"
    trusted.write_bytes(Path(certifi.where()).read_bytes() + authority.bundle.read_bytes())
    token = hub.manage("create_runner", "with-host").split()[-1]
    with (
        serving_in_thread(real.serve, authority.server_context()) as port,
        (hub.home / "logs" / "with-host.log").open("wb") as log,
    ):
        settings = {"RUNNER_HOME": str(home / "runner"), "RUNNER_HOSTS": "yes"}
        settings |= {"HUB_URL": hub.url, "HUB_RUNNER_TOKEN": token, "SSL_CERT_FILE": str(trusted)}
        settings |= {"HOST_NAME": HOST, "HOST_PORT": str(port)}
        runner = subprocess.Popen(
            [sys.executable, "-m", "tests.flows.runner_with_host"],
            env=clean_environ() | settings,
            cwd=ROOT,
            stdout=log,
            stderr=log,
        )
        try:
            yield real
        finally:
            runner.terminate()
            runner.wait(timeout=60)


def test_only_the_host_sees_the_secret(hub: Hub, host: RealHost, tmp_path: Path) -> None:
    files = {"search_words/__init__.py": SEARCHES, "search_words/pyproject.toml": DECLARED}
    wheel = wheels.write_wheel(tmp_path, "search-words", files=files)
    held = hub.run("push", wheel, expect=4)
    assert "needs.secret" in held.stdout + held.stderr

    (tmp_path / "value").write_text(VALUE)
    with (tmp_path / "value").open() as value:
        setting = subprocess.run(
            [Path(sys.executable).with_name("hub"), "secret", "set", REF, NAME, "--host", HOST],
            env=clean_environ() | {"HUB_URL": hub.url, "HUB_TOKEN": hub.token("alice")},
            stdin=value,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
    assert "nobody can read it again" in setting.stderr
    hub.manage("hosts", REF, "--approve", HOST)

    listed = hub.wait(
        lambda: (detail := hub.version(f"{REF}==0.1.0"))["status"] == "listed" and detail,
        "the version to run again by itself and be listed",
        seconds=400,
        pause=1.0,
    )
    lines = [line for request in host.requests for line in request.decode().split("\r\n")]
    keys = [line.partition(": ")[2] for line in lines if line.lower().startswith("x-api-key:")]
    assert len(keys) == len(host.requests) >= 5
    assert set(keys) == {VALUE}

    log = hub.run("logs", listed["run"]["id"]).stdout
    assert f"key: {PLACEHOLDER}" in log
    assert f"reward: {PLACEHOLDER}" in log
    assert f"host: found with {PLACEHOLDER}" in log
    hub.run("rollouts", "export", listed["run"]["id"], "-o", tmp_path / "rollouts.jsonl")
    rollouts = (tmp_path / "rollouts.jsonl").read_text()
    assert f"Your key is {PLACEHOLDER}" in rollouts
    for text in (log, rollouts, json.dumps(listed), *pages(hub, listed["run"]["id"])):
        assert not any(form in text for form in FORMS)
    assert leaks_in_database(hub) == []
    assert leaks_in_files(tmp_path) == [str(tmp_path / "value")]
    assert leaks_in_files(hub.home, hub.home.parent / "runner") == []


def pages(hub: Hub, run: str) -> list[str]:
    """The pages of the environment, of its run and its rollouts, and its secrets in the API."""
    paths = (f"{REF}/", f"runs/{run}/", f"runs/{run}/rollouts/")
    answers = [requests.get(f"{hub.url}/{path}", timeout=60) for path in paths]
    secrets = hub.get(f"environments/{REF}/secrets/")
    assert secrets["results"][0]["name"] == NAME
    return [*(answer.text for answer in answers), json.dumps(secrets)]


def leaks_in_database(hub: Hub) -> list[str]:
    """The forms of the value in any row of the database."""
    dump = hub.manage("dumpdata", "--format", "jsonl")
    assert PLACEHOLDER in dump
    return [form for form in FORMS if form in dump]


def leaks_in_files(*folders: Path) -> list[str]:
    """The files that hold the value, compressed or not; installed distributions are left out."""
    leaks = []
    for folder in folders:
        for path in folder.rglob("*"):
            if "venvs" in path.parts or not path.is_file() or path.is_symlink():
                continue
            content = path.read_bytes()
            if content.startswith(GZIP):
                content = gzip.decompress(content)
            if any(form.encode() in content for form in FORMS):
                leaks.append(str(path))
    return leaks
