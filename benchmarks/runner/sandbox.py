"""What a sandbox costs beside a bare process: `python -m benchmarks.runner.sandbox [--starts N]`.

Both start the same interpreter on the same program, by turns, so that a busy machine slows both.
Processor time is that of the runner and of everything that was started; wall-clock time is from the
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
# What a program notices of the filter: its loopback connections, and calls that are refused.
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
    """Become the parent of what bubblewrap leaves, so that its processor time is counted too."""
    if ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1) != 0:
        raise OSError("this kernel has no child subreapers")


def reap() -> None:
    """Wait for everything that was started or adopted, so that its processor time is counted."""
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)


def processor_seconds() -> float:
    """This process and everything it has started, all of which has ended."""
    reap()
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(item.ru_utime + item.ru_stime for item in used)


async def timed(start: Callable[[], Awaitable[None]]) -> tuple[float, float]:
    """Milliseconds of wall clock and of processor."""
    wall, cpu = time.perf_counter(), processor_seconds()
    await start()
    return 1e3 * (time.perf_counter() - wall), 1e3 * (processor_seconds() - cpu)


def cost(case: str, times: list[tuple[float, float]]) -> Cost:
    """The figures of one case."""
    wall, cpu = (sorted(column) for column in zip(*times, strict=True))
    late = int(0.95 * (len(times) - 1))
    return Cost(
        case, len(times), statistics.median(wall), wall[late], statistics.median(cpu), cpu[late]
    )


async def measure(config: Config, site: Path, starts: int) -> list[Cost]:
    """Bare and in the sandbox, by turns."""

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
    """One sandbox from prepare to close; what the program printed."""
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
    """Measure, print, and fail where the target is missed."""
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
