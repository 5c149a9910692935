"""A grown hub: each part is a process of its own, each connection passes a proxy."""

from __future__ import annotations

import re
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, TypeVar

import psycopg
import requests

from registry.storage import Missing
from registry.storage.s3 import S3Storage
from tests.ceph import Ceph
from tests.faults import parts
from tests.faults.parts import Part, Server
from tests.faults.proxy import Proxy, ProxyLoop
from tests.flows.hub import ROOT, clean_environ
from tests.ports import free_port

LEASE, SWEEP = 5, 2
TASKS, ATTEMPTS = 2, 2
PLANNED = 2 * TASKS + TASKS * ATTEMPTS  # by two probes and the model
SETTINGS = {
    "HUB_LEASE_SECONDS": str(LEASE),
    "HUB_SWEEP_SECONDS": str(SWEEP),
    "HUB_PROBES": "silent,parrot",
    "HUB_MODEL": "stub",
    "HUB_SMOKE_TASKS": str(TASKS),
    "HUB_SMOKE_ATTEMPTS": str(ATTEMPTS),
    "HUB_ROLLOUT_SECONDS": "60",
    "HUB_RUN_SECONDS": "120",
    "HUB_SURVEY_TASKS": "0",
    "HUB_NEW_NAMES_PER_HOUR": "100000",
    "HUB_UPLOADS_PER_HOUR": "1000000",
    "HUB_QUEUED_VERSIONS": "1000000",
    "HUB_ALLOWED_HOSTS": "*",
}
DISKS = {"database": 240, "broker": 80, "storage": 32, "runner": 32}  # MiB
TOKENS = "from registry.accounts import runners\nfor n in {names}: print(runners.create(name=n)[1])"
SWEPT = re.compile(rb"Task registry\.sweep\S* succeeded")
RENEW = """
    UPDATE registry_run SET lease_expires_at = now() + interval '1 second' * %s
    WHERE status IN ('leased', 'preparing', 'running', 'scoring')
"""
T = TypeVar("T")


@dataclass
class DeployedRunner:
    """One runner: its process, its folder, and its proxies to hub, broker and model."""

    name: str
    part: Part
    home: Path
    hub: Proxy
    broker: Proxy
    model: Proxy


@dataclass
class Deployment:
    """The hub under test: its parts, servers and proxies by name, and its database."""

    home: Path
    broker_kind: str
    loop: ProxyLoop
    url: str = ""
    database: str = ""
    token: str = ""
    manage: Callable[..., str] = lambda *_: ""
    servers: dict[str, Server] = field(default_factory=dict)
    parts: dict[str, Part] = field(default_factory=dict)
    proxies: dict[str, list[Proxy]] = field(default_factory=dict)
    runners: list[DeployedRunner] = field(default_factory=list)
    disks: bool = False
    upload_proxy: Proxy | None = None
    bucket: S3Storage | None = None
    pushed: Iterator[int] = field(default_factory=partial(count, 1))

    def stored(self, key: str) -> bytes:
        """The content of an object, empty if there is none; read without a proxy."""
        if self.bucket is not None:
            with suppress(Missing), self.bucket.open(key) as body:
                return body.read()
        file = self.files / key
        return file.read_bytes() if file.exists() else b""

    def renew(self) -> None:
        """Renew every lease, in place of the runners that a test has paused."""
        with psycopg.connect(self.database, connect_timeout=3) as connection:
            connection.execute(RENEW, [LEASE])

    def marks(self) -> dict[Path, int]:
        """The present size of each log, for `logged`."""
        return {file: file.stat().st_size for file in (self.home / "logs").glob("*.log")}

    def logged(self, marks: dict[Path, int]) -> Iterator[bytes]:
        """What each log has got since those marks."""
        for file in (self.home / "logs").glob("*.log"):
            with file.open("rb") as log:
                log.seek(marks.get(file, 0))
                yield log.read()

    def sweeps(self) -> int:
        """The number of sweeps for lost runs that the hub has completed."""
        log = self.home / "logs" / "worker.log"
        return len(SWEPT.findall(log.read_bytes()))

    @property
    def files(self) -> Path:
        """The storage's folder."""
        return self.home / "storage"

    def add_proxy(self, name: str, to: str, host: str = "127.0.0.1") -> str:
        """Add a proxy of the part `name` to the server `to`; the URL through it."""
        server = self.servers[to]
        proxy = self.loop.add_proxy(server.target, host)
        self.proxies.setdefault(name, []).append(proxy)
        self.proxies[to].append(proxy)
        return server.at(proxy.port, host)

    def rows(self, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """The rows of a query, read without a proxy."""
        with psycopg.connect(self.database, connect_timeout=30) as connection:
            return connection.execute(query, parameters).fetchall()

    def wait(
        self, look: Callable[[], T], awaited: str, seconds: float = 240, pause: float = 0.1
    ) -> T:
        """The first true result of `look`, which may fail before; restarts parts that end."""
        deadline = time.monotonic() + seconds
        while True:
            with suppress(psycopg.Error, requests.RequestException):
                if result := look():
                    return result
            for part in self.everyone():
                part.restart_ended()
            if time.monotonic() > deadline:
                raise AssertionError(f"waited {seconds} s for {awaited}\n{self.logs()}")
            time.sleep(pause)

    def everyone(self) -> list[Part]:
        """Every process, runners last."""
        return [*self.parts.values(), *(runner.part for runner in self.runners)]

    def logs(self) -> str:
        """The last lines of every part."""
        files = sorted((self.home / "logs").glob("*.log"))
        return "\n".join(
            f"== {file.name}\n" + "\n".join(file.read_text(errors="replace").splitlines()[-25:])
            for file in files
        )


@contextmanager
def deploy(
    broker: str, s3: Ceph | None = None, bucket: S3Storage | None = None
) -> Iterator[Deployment]:
    """A hub on that broker with alice's token, without versions and runners.

    It stores objects in a folder, or in `bucket` through a gateway of its own.
    """
    home = Path(mkdtemp(prefix="envyard-faults-"))
    home.chmod(0o711)
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, home, ignore_errors=True)
        loop = ProxyLoop()
        stack.callback(loop.close)
        deployment = Deployment(home, broker, loop, bucket=bucket)
        for folder in ("logs", "hub", "tmp", *DISKS):
            (home / folder).mkdir()
        (home / "runner").chmod(0o711)
        deployment.disks = all(_mounted(stack, home / name, size) for name, size in DISKS.items())
        stack.callback(lambda: [part.kill() for part in reversed(deployment.everyone())])
        _servers(deployment, s3)
        _hub(deployment, _bucket(s3, bucket) if s3 and bucket else {})
        yield deployment


def _bucket(s3: Ceph, bucket: S3Storage) -> dict[str, str]:
    """The settings of a hub that stores its objects in that bucket."""
    return {
        "HUB_STORAGE": "s3",
        "HUB_S3_BUCKET": bucket.bucket,
        "HUB_S3_PREFIX": bucket.prefix,
        "HUB_S3_ENDPOINT_URL": s3.endpoint,
        "HUB_S3_ACCESS_KEY_ID": s3.access_key_id,
        "HUB_S3_SECRET_ACCESS_KEY": s3.secret_access_key,
        "HUB_S3_REGION": "us-east-1",
    }


def _mounted(stack: ExitStack, folder: Path, size: int) -> bool:
    """Mount a small disk on the folder; False where this user may not."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}m,mode=0711", "tmpfs", folder]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        return False
    stack.callback(subprocess.run, ["umount", "-l", folder], check=False)
    return True


def _servers(deployment: Deployment, s3: Ceph | None) -> None:
    """Start database, broker, model and, with `s3`, a gateway to the bucket."""
    logs = deployment.home / "logs"
    make = parts.redis if deployment.broker_kind == "redis" else parts.rabbitmq
    deployment.servers = {
        "database": parts.postgres(deployment.home / "database", logs / "database.log"),
        "broker": make(deployment.home / "broker", logs / "broker.log"),
        "model": parts.model(logs / "model.log"),
    }
    if s3 is not None:
        deployment.servers["storage"] = parts.gateway(s3, logs / "storage.log")
    for name, server in deployment.servers.items():
        deployment.parts[name] = server.part
        deployment.proxies[name] = []
        server.part.start()
    deployment.database = deployment.servers["database"].at(
        deployment.loop.add_proxy(deployment.servers["database"].target).port
    )
    deployment.wait(lambda: deployment.rows("SELECT 1"), "the database")


def _hub(deployment: Deployment, settings: dict[str, str]) -> None:
    """Start web, worker and beat, each with proxies of its own to the servers that it uses."""
    port, logs = free_port(), deployment.home / "logs"
    deployment.url = f"http://127.0.0.1:{port}"
    base_environ = (
        clean_environ()
        | SETTINGS
        | settings
        | {
            "HUB_HOME": str(deployment.home / "hub"),
            "HUB_STORAGE_PATH": str(deployment.files),
            "HUB_SECRET_KEY": secrets.token_urlsafe(32),
            "HUB_PORT": str(port),
            "PYTHONUNBUFFERED": "1",
            "TMPDIR": str(deployment.home / "tmp"),
        }
    )
    direct = base_environ | {
        "DATABASE_URL": deployment.database, "HUB_BROKER_URL": f"filesystem://{deployment.home}/nobody"
    }  # fmt: skip

    def manage(*command: str) -> str:
        start = [sys.executable, ROOT / "manage.py", *command]
        done = subprocess.run(start, env=direct, text=True, timeout=300, capture_output=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    deployment.manage = manage
    for command in (["migrate"], ["collectstatic", "--noinput"], ["seed_demo"]):
        manage(*command)
    deployment.token = manage("create_token", "alice", "--scope", "admin")
    for name in ("web", "worker", "beat"):
        database, broker = (
            deployment.add_proxy(name, "database"),
            deployment.add_proxy(name, "broker"),
        )
        environ = base_environ | {"DATABASE_URL": database, "HUB_BROKER_URL": broker}
        if "storage" in deployment.servers:
            environ["HUB_S3_ENDPOINT_URL"] = deployment.add_proxy(name, "storage")
        if name == "web":
            deployment.servers[name] = parts.web(environ, port, logs / "web.log")
            deployment.parts[name] = deployment.servers[name].part
        else:
            deployment.parts[name] = getattr(parts, name)(environ, logs / f"{name}.log")
        deployment.parts[name].start()
    deployment.proxies |= {
        "web": [],
        "runner": [],
    }  # those of its clients, not those to its database and broker
    deployment.wait(lambda: requests.get(f"{deployment.url}/healthz", timeout=5).ok, "web", 120)


def add_runners(
    deployment: Deployment,
    names: Sequence[str],
    *,
    host: str = "127.0.0.1",
    within: Sequence[str] = (),
    **more: str,
) -> None:
    """Add runners, each with proxies of its own to web, broker and model that listen at `host`.

    `within` is a command that starts them, `more` is added to their environment variables.
    """
    created = deployment.manage("shell", "--no-imports", "-c", TOKENS.format(names=list(names)))
    for name, token in zip(names, created.split(), strict=True):
        home = deployment.home / "runner" / name
        url = {to: deployment.add_proxy("runner", to, host) for to in ("web", "broker", "model")}
        environ = clean_environ() | {
            "HUB_URL": url["web"],
            "HUB_BROKER_URL": url["broker"],
            "HUB_MODEL_URL": url["model"],
            "HUB_MODEL": "stub",
            "HUB_RUNNER_TOKEN": token,
            "RUNNER_HOME": str(home),
            "RUNNER_FREE_MB": "1",  # its disk has 32
            "TMPDIR": str(deployment.home / "tmp"),
        }
        environ |= more
        part = parts.runner(environ, deployment.home / "logs" / f"{name}.log", within)
        deployment.runners.append(
            DeployedRunner(name, part, home, *deployment.proxies["runner"][-3:])
        )
        part.start()
