"""The data endpoint: what it adds to the start of a run, and a frozen data set of 100 MB.

    python -m benchmarks.runner.data_sets [--starts N] [--rounds N]

The first figure is the time to open and close the access of a run that reads nothing, with an empty
and with a full store. The second is the time from the start of a sandbox, its lock frozen and its
file stored, until a program inside has the 100 MB in its /tmp; beside it stands the time in which
the same program writes as much to /tmp without any endpoint. Prints one JSON document.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import os
import shutil
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

from envyard.contract.data_lock import DataLock, LockedFile, LockedRepository
from envyard.contract.job import JobSpec, RunLimits, WheelRef
from envyard_runner.config import Config
from envyard_runner.data.store import Store
from envyard_runner.execution.data_access import open_data
from envyard_runner.hub_api.client import RunHub
from envyard_runner.limits import Limits
from envyard_runner.sandbox import Sandbox
from envyard_runner.sandbox.endpoints import PORTS

TARGET_START_MS = 50.0
TARGET_READY_SECONDS = 3.0
MEGABYTE = 1_000_000
SIZE = 100 * MEGABYTE
STORED_FILES = 2000  # small ones beside the large one, as many runs leave them
COMMIT = "a" * 40
READ = f"""
import shutil, urllib.request
url = "http://127.0.0.1:{PORTS["data"]}/datasets/lab/rows/resolve/main/train.parquet"
with urllib.request.urlopen(url) as response, open("/tmp/rows", "wb") as out:
    shutil.copyfileobj(response, out, 1 << 20)
    assert out.tell() == {SIZE}
"""
WRITE = f"""
part = bytes(1 << 20)
with open("/tmp/rows", "wb") as out:
    while out.tell() < {SIZE}:
        out.write(part[:{SIZE} - out.tell()])
"""
NO_HUB = cast("RunHub", None)  # a frozen run agrees on nothing


def job(lock: DataLock) -> JobSpec:
    """A job of a version whose data lock is frozen."""
    return JobSpec(
        run="run", attempt=1, run_token="", environment="lab/rows", version="1",
        wheel=WheelRef("/", "rows-1-py3-none-any.whl", "0" * 64, 0), framework="verifiers",
        api="v1", module="rows", entry="", policies=("silent",), tasks=1, attempts=1, seed=1,
        lease_seconds=60.0, limits=RunLimits(), data_lock=lock, data_frozen=True,
    )  # fmt: skip


async def stored(store: Store, content: bytes) -> str:
    """Put a file into the store; its sha256."""

    async def parts() -> AsyncIterator[bytes]:
        yield content

    sha256 = hashlib.sha256(content).hexdigest()
    (await store.add(parts(), object_id=sha256, size=len(content))).close()
    return sha256


async def start_ms(config: Config, starts: int) -> float:
    """The median of opening and closing the access of a run that reads nothing."""
    times = []
    for _ in range(starts):
        began = time.perf_counter()
        async with open_data(job(DataLock()), config, NO_HUB) as access:
            await access.endpoint.open(socket.create_server(("127.0.0.1", 0)))
            await access.endpoint.close()
        times.append(1e3 * (time.perf_counter() - began))
    return statistics.median(times)


async def ready_seconds(config: Config, site: Path, lock: DataLock, program: str) -> float:
    """From the start of the run's access and sandbox to the program's end."""
    output, began = bytearray(), time.perf_counter()
    async with open_data(job(lock), config, NO_HUB) as access:
        sandbox = Sandbox.prepare(config=config, venv=site, job=b"{}", limits=Limits())
        async with sandbox:
            sandbox.on_log = output.extend
            listening = await sandbox.start(["python", "-I", "-S", "-c", program])
            await access.endpoint.open(listening.data)
            async for _ in sandbox.lines():
                pass
            end = await sandbox.wait()
            await access.endpoint.close()
            listening.close()
    if end.code != 0:
        raise RuntimeError(f"the program ended with {end}: {output.decode('utf-8', 'replace')}")
    return time.perf_counter() - began


async def measure(home: Path, starts: int, rounds: int) -> dict[str, Any]:
    """All figures."""
    site = home / "site"
    site.mkdir(mode=0o755)
    environ = {**os.environ, "RUNNER_HOME": str(home), "RUNNER_DATA_URL": "http://127.0.0.1:9"}
    config = Config.from_environment(environ)
    empty = await start_ms(config, starts)
    store = Store(config.data, config.data_bytes)
    for number in range(STORED_FILES):
        await stored(store, number.to_bytes(8, "big"))
    full = await start_ms(config, starts)
    sha256 = await stored(store, os.urandom(SIZE))
    file = LockedFile("train.parquet", SIZE, sha256, sha256)
    lock = DataLock((LockedRepository("dataset", "lab/rows", COMMIT, ("main",), files=(file,)),))
    times: dict[str, list[float]] = {"mirrored": [], "written": []}
    for _ in range(rounds):
        times["mirrored"].append(await ready_seconds(config, site, lock, READ))
        times["written"].append(await ready_seconds(config, site, DataLock(), WRITE))
    mirrored, written = (statistics.median(line) for line in times.values())
    return {
        "start_ms": {"empty store": empty, f"{STORED_FILES} files": full},
        "ready_seconds": {
            "mirrored": mirrored,
            "written": written,
            "ratio": mirrored / written,
            "worst": max(times["mirrored"]),
        },
        "load": os.getloadavg()[0],
    }


def main() -> int:
    """Measure and print; exit code 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starts", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="envyard-benchmark-", dir="/var/tmp"))
    home.chmod(0o755)
    try:
        figures = asyncio.run(measure(home, options.starts, options.rounds))
    finally:
        shutil.rmtree(home)
    sys.stdout.write(json.dumps(figures, indent=2) + "\n")
    met = (
        max(figures["start_ms"].values()) < TARGET_START_MS
        and figures["ready_seconds"]["mirrored"] < TARGET_READY_SECONDS
    )
    return 0 if met else 1


if __name__ == "__main__":
    raise SystemExit(main())
