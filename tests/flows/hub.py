"""A whole hub in processes of its own: web, worker, clock and runner, by `manage.py serve`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import requests

from tests.ports import free_port

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
FORKING = "forking"  # the name of a runner that forks its sandboxes
START_SECONDS = 240  # of a machine that does much else
DECIDED = ("listed", "rejected", "held")


@dataclass
class Hub:
    """Where it runs, and the commands of its people."""

    home: Path
    url: str
    environ: dict[str, str]
    runner: str = "embedded"
    tokens: dict[str, str] = field(default_factory=dict)

    def run(
        self,
        *command: str | Path,
        by: str = "alice",
        cwd: Path | None = None,
        expect: int | None = 0,
        **environ: str,
    ) -> subprocess.CompletedProcess[str]:
        """Run the real `hub` as that person; its exit code must be `expect` (None: any)."""
        credentials = (
            {"HUB_URL": self.url, "HUB_TOKEN": self.token(by)} if by else {"HUB_URL": self.url}
        )
        config = {"XDG_CONFIG_HOME": str(self.home / "config")}
        done = subprocess.run(
            [BIN / "hub", *map(str, command)],
            env=clean_environ() | config | credentials | environ,
            cwd=cwd,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        if expect is not None:
            assert done.returncode == expect, f"{done.args}: {done.returncode}\n{done.stderr}"
        return done

    def manage(self, *command: str) -> str:
        """The output of one management command."""
        done = subprocess.run(
            [sys.executable, ROOT / "manage.py", *command],
            env=self.environ,
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        return done.stdout.strip()

    def token(self, name: str) -> str:
        """A token of that person that may do all they may."""
        if name not in self.tokens:
            self.tokens[name] = self.manage("create_token", name, "--scope", "admin")
        return self.tokens[name]

    def get(self, path: str, by: str = "alice") -> Any:
        """The API's answer."""
        answer = requests.get(
            f"{self.url}/api/v1/{path}",
            headers={"Authorization": f"Bearer {self.token(by)}"},
            timeout=30,
        )
        answer.raise_for_status()
        return answer.json()

    def version(self, ref: str) -> Any:
        """VersionDetail of owner/name==version."""
        environment, _, version = ref.partition("==")
        return self.get(f"environments/{environment}/versions/{version}/")

    def decided(self, ref: str, seconds: float = 300) -> Any:
        """The version once the hub has decided about it."""
        return self.wait(lambda: self._decided(ref), f"{ref} to be decided", seconds, pause=0.5)

    def _decided(self, ref: str) -> Any:
        try:
            detail = self.version(ref)
        except requests.RequestException:  # the web process is away for a moment
            return None
        return detail if detail["status"] in DECIDED else None

    def wait(self, look: Any, awaited: str, seconds: float = 120, pause: float = 0.2) -> Any:
        """The first true answer of `look`."""
        deadline = time.monotonic() + seconds
        while not (result := look()):
            if time.monotonic() > deadline:
                raise AssertionError(f"waited {seconds} s for {awaited}\n{self.logs()}")
            time.sleep(pause)
        return result

    def pid(self, name: str) -> int:
        """The process of web, worker, clock or runner."""
        return int((self.home / "run" / f"{name}.pid").read_text().split()[0])

    def logs(self) -> str:
        """The last lines of every process."""
        files = sorted((self.home / "logs").glob("*.log"))
        return "\n".join(
            f"== {f.name}\n" + "\n".join(f.read_text().splitlines()[-15:]) for f in files
        )


def clean_environ() -> dict[str, str]:
    """Our own variables without a hub's, a database's or a virtual environment's."""
    gone = (
        "HUB_",
        "DATABASE_URL",
        "DJANGO_",
        "RUNNER_HOME",
        "VIRTUAL_ENV",
        "PYTEST_",
        "PYTHONPATH",
    )
    return {name: value for name, value in os.environ.items() if not name.startswith(gone)}


@contextmanager
def serving(
    home: Path, database_url: str, *, forking: bool = False, **settings: str
) -> Iterator[Hub]:
    """Run `manage.py serve` in that home with the demo's people and nothing published.

    Without a setting for it runs have no survey: a third of their processor time. `forking`: the
    runner is tests.forked.runner, which has no real sandboxes and takes a fraction of the time.
    """
    port = free_port()
    environ = clean_environ() | {"HUB_HOME": str(home), "HUB_PORT": str(port)}
    environ |= {"HUB_SURVEY_TASKS": "0"} | settings
    if database_url:
        environ["DATABASE_URL"] = database_url
    home.mkdir(exist_ok=True)
    log, runners = home / "serve.log", ["--no-runner"] if forking else []
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, ROOT / "manage.py", "serve", "--no-demo", "--with-parent", *runners],
            env=environ,
            stdout=out,
            stderr=out,
        )
    name = FORKING if forking else "embedded"
    hub = Hub(home, f"http://127.0.0.1:{port}", environ, name)
    try:
        hub.wait(lambda: process.poll() is not None or _healthy(hub.url), "the hub", START_SECONDS)
        assert process.poll() is None, log.read_text()
        hub.manage("seed_demo")
        with forking_runner(hub) if forking else nullcontext():
            yield hub
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise


@contextmanager
def forking_runner(hub: Hub) -> Iterator[None]:
    """A runner that forks its sandboxes, with the hub's settings for runners."""
    token = hub.manage("create_runner", hub.runner).split()[-1]
    with (hub.home / "logs" / "runner.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.forked.runner"],
            env=hub.environ | {"HUB_URL": hub.url, "HUB_RUNNER_TOKEN": token},
            cwd=ROOT,
            stdout=log,
            stderr=log,
        )
    try:
        yield
    finally:
        process.terminate()
        process.wait(timeout=60)


def _healthy(url: str) -> bool:
    try:
        return requests.get(f"{url}/healthz", timeout=5).status_code == 200
    except requests.RequestException:
        return False
