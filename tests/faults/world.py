"""A whole grown hub: each part a process of its own, each connection a wire that can be cut."""

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
from tests.faults.proxy import Wire, Wires
from tests.flows.hub import ROOT, clean_environ, free_port

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
class Lent:
    """One runner: its process, its folder, and its wires to the hub, the broker and the model."""

    name: str
    part: Part
    home: Path
    hub: Wire
    broker: Wire
    model: Wire


@dataclass
class World:
    """The parts by name, the wires of each, and where the rows are."""

    home: Path
    broker_kind: str
    loop: Wires
    url: str = ""
    database: str = ""
    token: str = ""
    manage: Callable[..., str] = lambda *_: ""
    servers: dict[str, Server] = field(default_factory=dict)
    parts: dict[str, Part] = field(default_factory=dict)
    wires: dict[str, list[Wire]] = field(default_factory=dict)
    runners: list[Lent] = field(default_factory=list)
    disks: bool = False
    way_in: Wire | None = None
    bucket: S3Storage | None = None
    pushed: Iterator[int] = field(default_factory=partial(count, 1))

    def stored(self, key: str) -> bytes:
        """That object, empty where there is none; read past every wire."""
        if self.bucket is not None:
            with suppress(Missing), self.bucket.open(key) as body:
                return body.read()
        file = self.files / key
        return file.read_bytes() if file.exists() else b""

    def renew(self) -> None:
        """Give every lease its whole time, as the runners that are held up would have it."""
        with psycopg.connect(self.database, connect_timeout=3) as connection:
            connection.execute(RENEW, [LEASE])

    def marks(self) -> dict[Path, int]:
        """How long each log is now."""
        return {file: file.stat().st_size for file in (self.home / "logs").glob("*.log")}

    def logged(self, marks: dict[Path, int]) -> Iterator[bytes]:
        """What each log has said since."""
        for file in (self.home / "logs").glob("*.log"):
            with file.open("rb") as log:
                log.seek(marks.get(file, 0))
                yield log.read()

    def sweeps(self) -> int:
        """How often the hub has looked for what got lost."""
        log = self.home / "logs" / "worker.log"
        return len(SWEPT.findall(log.read_bytes()))

    @property
    def files(self) -> Path:
        """The storage's folder."""
        return self.home / "storage"

    def wire(self, name: str, to: str, host: str = "127.0.0.1") -> str:
        """A new wire of that part; the URL of the server at its end."""
        server = self.servers[to]
        wire = self.loop.wire(server.target, host)
        self.wires.setdefault(name, []).append(wire)
        self.wires[to].append(wire)
        return server.at(wire.port, host)

    def rows(self, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """What the database has, asked past every wire."""
        with psycopg.connect(self.database, connect_timeout=3) as connection:
            return connection.execute(query, parameters).fetchall()

    def wait(
        self, look: Callable[[], T], awaited: str, seconds: float = 240, pause: float = 0.1
    ) -> T:
        """The first true answer of `look`, which may fail meanwhile; parts that end are started
        again."""
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
def running(
    broker: str, s3: Ceph | None = None, bucket: S3Storage | None = None
) -> Iterator[World]:
    """A hub on that broker with alice's token, nothing published, and no runner yet.

    Its objects are in a folder, or in that bucket, which it reaches by a gateway of its own.
    """
    home = Path(mkdtemp(prefix="envyard-faults-"))
    home.chmod(0o711)
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, home, ignore_errors=True)
        loop = Wires()
        stack.callback(loop.close)
        world = World(home, broker, loop, bucket=bucket)
        for folder in ("logs", "hub", "tmp", *DISKS):
            (home / folder).mkdir()
        (home / "runner").chmod(0o711)
        world.disks = all(_mounted(stack, home / name, size) for name, size in DISKS.items())
        stack.callback(lambda: [part.kill() for part in reversed(world.everyone())])
        _servers(world, s3)
        _hub(world, _bucket(s3, bucket) if s3 and bucket else {})
        yield world


def _bucket(s3: Ceph, bucket: S3Storage) -> dict[str, str]:
    """The settings of a hub that keeps its objects there."""
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
    """Put a small disk of its own there, where this user may."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}m,mode=0711", "tmpfs", folder]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        return False
    stack.callback(subprocess.run, ["umount", "-l", folder], check=False)
    return True


def _servers(world: World, s3: Ceph | None) -> None:
    """Database, broker and model, and a gateway to the bucket where there is one, each up."""
    logs = world.home / "logs"
    make = parts.redis if world.broker_kind == "redis" else parts.rabbitmq
    world.servers = {
        "database": parts.postgres(world.home / "database", logs / "database.log"),
        "broker": make(world.home / "broker", logs / "broker.log"),
        "model": parts.model(logs / "model.log"),
    }
    if s3 is not None:
        world.servers["storage"] = parts.gateway(s3, logs / "storage.log")
    for name, server in world.servers.items():
        world.parts[name] = server.part
        world.wires[name] = []
        server.part.start()
    world.database = world.servers["database"].at(
        world.loop.wire(world.servers["database"].target).port
    )
    world.wait(lambda: world.rows("SELECT 1"), "the database")


def _hub(world: World, settings: dict[str, str]) -> None:
    """Web, worker and beat, each with wires of its own to what it needs."""
    port, logs = free_port(), world.home / "logs"
    world.url = f"http://127.0.0.1:{port}"
    usual = (
        clean_environ()
        | SETTINGS
        | settings
        | {
            "HUB_HOME": str(world.home / "hub"),
            "HUB_STORAGE_PATH": str(world.files),
            "HUB_SECRET_KEY": secrets.token_urlsafe(32),
            "HUB_PORT": str(port),
            "PYTHONUNBUFFERED": "1",
            "TMPDIR": str(world.home / "tmp"),
        }
    )
    past = usual | {
        "DATABASE_URL": world.database, "HUB_BROKER_URL": f"filesystem://{world.home}/nobody"
    }  # fmt: skip

    def manage(*command: str) -> str:
        start = [sys.executable, ROOT / "manage.py", *command]
        done = subprocess.run(start, env=past, text=True, timeout=300, capture_output=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    world.manage = manage
    for command in (["migrate"], ["collectstatic", "--noinput"], ["seed_demo"]):
        manage(*command)
    world.token = manage("create_token", "alice", "--scope", "admin")
    for name in ("web", "worker", "beat"):
        database, broker = world.wire(name, "database"), world.wire(name, "broker")
        environ = usual | {"DATABASE_URL": database, "HUB_BROKER_URL": broker}
        if "storage" in world.servers:
            environ["HUB_S3_ENDPOINT_URL"] = world.wire(name, "storage")
        if name == "web":
            world.servers[name] = parts.web(environ, port, logs / "web.log")
            world.parts[name] = world.servers[name].part
        else:
            world.parts[name] = getattr(parts, name)(environ, logs / f"{name}.log")
        world.parts[name].start()
    world.wires |= {"web": [], "runner": []}  # its clients', not those to its database and broker
    world.wait(lambda: requests.get(f"{world.url}/healthz", timeout=5).ok, "web", 120)


def lend(
    world: World,
    names: Sequence[str],
    *,
    host: str = "127.0.0.1",
    within: Sequence[str] = (),
    **more: str,
) -> None:
    """Add runners, each with wires of its own to web, broker and model, that listen at `host`;
    `more` is added to their environment."""
    created = world.manage("shell", "--no-imports", "-c", TOKENS.format(names=list(names)))
    for name, token in zip(names, created.split(), strict=True):
        home = world.home / "runner" / name
        url = {to: world.wire("runner", to, host) for to in ("web", "broker", "model")}
        environ = clean_environ() | {
            "HUB_URL": url["web"],
            "HUB_BROKER_URL": url["broker"],
            "HUB_MODEL_URL": url["model"],
            "HUB_MODEL": "stub",
            "HUB_RUNNER_TOKEN": token,
            "RUNNER_HOME": str(home),
            "RUNNER_FREE_MB": "1",  # its disk has 32
            "TMPDIR": str(world.home / "tmp"),
        }
        environ |= more
        part = parts.runner(environ, world.home / "logs" / f"{name}.log", within)
        world.runners.append(Lent(name, part, home, *world.wires["runner"][-3:]))
        part.start()
