"""The start of a sandbox beside that of a bare process.

    python -m benchmarks.runner.sandbox [--starts N]

Both start the same interpreter with the same program, alternating, so that other load affects
both. CPU time is that of the runner and of all started processes; wall-clock time is from the
request to the program's end. Prints one JSON document.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import ctypes
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from envyard_runner.config import Config
from envyard_runner.limits import Limits
from envyard_runner.sandbox import Sandbox

TARGET_MS = 100.0
PR_SET_CHILD_SUBREAPER = 36
PROGRAM = ("-I", "-S", "-c", "pass")
# The cost of the filter for a program: its loopback connections.
CONNECTIONS = """
import socket, time
server = socket.create_server(("127.0.0.1", 0))
began = time.perf_counter()
for _ in range({n}):
    socket.create_connection(server.getsockname()).close()
    server.accept()[0].close()
print((time.perf_counter() - began) / {n} * 1e6)
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """Milliseconds of one start: the median and the 95th percentile of many."""

    case: str
    starts: int
    wall_p50: float
    wall_p95: float
    cpu_p50: float
    cpu_p95: float


def adopt_orphans() -> None:
    """Become the parent of bubblewrap's orphans, so that their CPU time is counted too."""
    if ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1) != 0:
        raise OSError("this kernel has no child subreapers")


def reap() -> None:
    """Wait for all started and adopted processes, so that their CPU time is counted."""
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)


def processor_seconds() -> float:
    """CPU seconds of this process and of all started ones, which have ended."""
    reap()
    used = [resource.getrusage(scope) for scope in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(item.ru_utime + item.ru_stime for item in used)


async def timed(start: Callable[[], Awaitable[None]]) -> tuple[float, float]:
    """Milliseconds of wall clock and CPU time."""
    wall, cpu = time.perf_counter(), processor_seconds()
    await start()
    return 1e3 * (time.perf_counter() - wall), 1e3 * (processor_seconds() - cpu)


def cost(case: str, times: list[tuple[float, float]]) -> Cost:
    """The figures of one case."""
    wall, cpu = (sorted(column) for column in zip(*times, strict=True))
    last = int(0.95 * (len(times) - 1))
    return Cost(
        case, len(times), statistics.median(wall), wall[last], statistics.median(cpu), cpu[last]
    )


async def measure(config: Config, site: Path, starts: int) -> list[Cost]:
    """Bare and in the sandbox, alternating."""

    async def bare() -> None:
        subprocess.run([config.python, *PROGRAM], env={}, check=True)  # noqa: ASYNC221 - the point

    async def sandboxed() -> None:
        await contained(config, site, ["python", *PROGRAM])

    await bare()
    await sandboxed()
    times: dict[str, list[tuple[float, float]]] = {"bare process": [], "sandbox": []}
    for _ in range(starts):
        times["bare process"].append(await timed(bare))
        times["sandbox"].append(await timed(sandboxed))
    return [cost(case, line) for case, line in times.items()]


async def contained(config: Config, site: Path, program: list[str]) -> str:
    """One sandbox from prepare to close; returns the program's output."""
    output = bytearray()
    async with Sandbox.prepare(config=config, venv=site, job=b"{}", limits=Limits()) as sandbox:
        sandbox.on_log = output.extend
        (await sandbox.start(program)).close()
        async for _ in sandbox.lines():
            pass
        end = await sandbox.wait()
    if end.code != 0:
        raise RuntimeError(f"the program ended with {end}: {output.decode('utf-8', 'replace')}")
    return output.decode()


async def connections(config: Config, site: Path, count: int = 300) -> dict[str, float]:
    """Microseconds of one loopback connection, bare and inside."""
    code = CONNECTIONS.format(n=count)
    bare = subprocess.run(  # noqa: ASYNC221
        [config.python, "-c", code], env={}, capture_output=True, text=True, check=True
    ).stdout
    inside = await contained(config, site, ["python", "-c", code])
    return {"bare process": float(bare), "sandbox": float(inside)}


def main() -> int:
    """Measure and print; exit code 1 if the target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starts", type=int, default=40)
    options = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="envyard-benchmark-", dir="/var/tmp"))
    home.chmod(0o755)
    site = home / "site"
    site.mkdir(mode=0o755)
    adopt_orphans()
    try:
        config = Config.from_environment({**os.environ, "RUNNER_HOME": str(home)})
        bare, inside = asyncio.run(measure(config, site, options.starts))
        connect = asyncio.run(connections(config, site))
    finally:
        shutil.rmtree(home)
    over = {"wall": inside.wall_p50 - bare.wall_p50, "cpu": inside.cpu_p50 - bare.cpu_p50}
    fields = {
        "starts_ms": [asdict(bare), asdict(inside)],
        "over_a_bare_process_ms": over,
        "target_ms": TARGET_MS,
        "loopback_connection_us": connect,
        "load": os.getloadavg()[0],
    }
    sys.stdout.write(json.dumps(fields, indent=2) + "\n")
    return 0 if over["cpu"] < TARGET_MS else 1


if __name__ == "__main__":
    raise SystemExit(main())
