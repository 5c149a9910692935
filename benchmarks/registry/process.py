"""The hub's web process on loopback, as `serve` starts it but for its port."""

from __future__ import annotations

import http.client
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 60


@contextmanager
def web(port: int, *, workers: int = 2) -> Iterator[int]:
    """Run it on the caller's HUB_HOME and DATABASE_URL until the end of the block; its id."""
    environment = os.environ | {"HUB_URL": f"http://127.0.0.1:{port}", "HUB_LOG_LEVEL": "ERROR"}
    manage("collectstatic", "--noinput", "--verbosity", "0")
    running = subprocess.Popen(
        [
            *(sys.executable, "-m", "gunicorn", "hub.wsgi:application"),
            *("--bind", f"127.0.0.1:{port}", "--worker-class", "gthread", "--threads", "8"),
            *("--workers", str(workers), "--keep-alive", "30", "--no-control-socket"),
        ],
        cwd=ROOT,
        env=environment,
    )
    try:
        _wait(port, running)
        yield running.pid
    finally:
        running.terminate()
        running.wait(timeout=30)


def cpu_seconds(pid: int) -> float:
    """Processor time that a process and its children have used so far; the database's is its
    own, but for SQLite, which is inside."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it just ended
            continue
        if pid in (int(stat.parent.name), int(fields[1])):
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def manage(*arguments: str) -> None:
    """Run `manage.py` on the same hub; raises where it fails."""
    subprocess.run([sys.executable, "manage.py", *arguments], cwd=ROOT, check=True)


def _wait(port: int, running: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and running.poll() is None:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/healthz")
            if connection.getresponse().status == 200:
                return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError("the web process did not start")
