"""What the gateway adds to one call: the same client to the model stub, directly and through it.

Client, gateway and stub are a process each. Calls go both ways in short turns; those of one turn
begin spread over the stub's latency, since no real server answers all its callers at once.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import aiohttp

from benchmarks.registry import machine
from benchmarks.runner import environment

ROOT = Path(__file__).parents[2]
AT_ONCE = {1: 20, 16: 200}  # callers, and the model's latency in ms
TARGET_MS = 2.0
SIZES = {"1 KB": 1 << 10, "64 KB": 64 << 10}
CALLS_A_ROLLOUT = environment.TURNS


@dataclass(frozen=True, slots=True)
class Added:
    """Milliseconds of calls directly and through the gateway, and its processor time a call."""

    case: str
    calls: int
    direct_p10: float
    direct_p50: float
    direct_p95: float
    through_p10: float
    through_p50: float
    through_p95: float
    cpu_us: float

    @property
    def p10(self) -> float:
        """What the gateway adds where least else is done: it says something on a busy machine."""
        return self.through_p10 - self.direct_p10

    @property
    def p50(self) -> float:
        """What the gateway adds to the median."""
        return self.through_p50 - self.direct_p50

    @property
    def p95(self) -> float:
        """What the gateway adds to the 95th percentile."""
        return self.through_p95 - self.direct_p95


@dataclass(slots=True)
class Way:
    """One way to the model: where each rollout's calls go, and how long they took."""

    urls: list[str]
    took: list[float]
    asked: int = 0

    def url(self) -> str:
        """The next call's address: every rollout makes as many calls as a real one."""
        self.asked += 1
        return self.urls[(self.asked - 1) // CALLS_A_ROLLOUT % len(self.urls)]


def measure(
    scratch: Path, model_url: str, *, calls: int, say: Callable[[str], None]
) -> list[Added]:
    """Every case with that many calls each way."""
    rows = []
    for size in SIZES:
        for stream in (False, True):
            for at_once in AT_ONCE:
                streamed = "streamed" if stream else "whole"
                say(case := f"{size}, {streamed}, {at_once} at once")
                rows.append(_case(case, scratch, model_url, calls, SIZES[size], stream, at_once))
    return rows


def _case(
    case: str, scratch: Path, model_url: str, calls: int, size: int, stream: bool, at_once: int
) -> Added:
    port, rollouts = machine.free_port(), -(-calls // CALLS_A_ROLLOUT) + 1
    name = f"ms-{AT_ONCE[at_once]}"
    command = [
        sys.executable,
        "-m",
        "benchmarks.runner.door",
        str(port),
        model_url,
        name,
        str(rollouts),
    ]
    log = scratch / "door.log"
    door = machine.start(
        command, log=log, port=port, environ={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    try:
        words = json.loads(log.read_text().splitlines()[0])
        urls = [f"http://127.0.0.1:{port}/rollouts/{word}/v1/chat/completions" for word in words]
        ways = Way([f"{model_url}/chat/completions"], []), Way(urls, [])
        body = {"model": name, "messages": environment.history(size), "stream": stream}
        used = asyncio.run(_both(ways, json.dumps(body).encode(), calls, at_once, door))
    finally:
        machine.stop(door)
    direct, through = (sorted(way.took) for way in ways)
    early, late = int(0.1 * (calls - 1)), int(0.95 * (calls - 1))
    return Added(
        case, len(through),
        direct[early], statistics.median(direct), direct[late],
        through[early], statistics.median(through), through[late],
        1e6 * used / len(through),
    )  # fmt: skip


async def _both(
    ways: tuple[Way, Way], body: bytes, calls: int, at_once: int, door: subprocess.Popen[bytes]
) -> float:
    """Ask both ways by turns; the processor seconds of the gateway."""
    used = 0.0
    turn = 8 * at_once
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        for way in ways:  # opens the connections and warms all up
            await _turn(session, way, body, 2 * at_once, at_once)
            way.took.clear()
        while any(len(way.took) < calls for way in ways):
            for way in ways:
                before = _cpu(door.pid)
                await _turn(session, way, body, min(turn, calls - len(way.took)), at_once)
                used += _cpu(door.pid) - before if way is ways[1] else 0.0
    return used


async def _turn(
    session: aiohttp.ClientSession, way: Way, body: bytes, calls: int, at_once: int
) -> None:
    left = iter(range(calls))

    async def ask(place: int) -> None:
        await asyncio.sleep(place * AT_ONCE[at_once] / 1000 / at_once)
        for _ in left:
            began = time.perf_counter()
            async with session.post(way.url(), data=io.BytesIO(body)) as response:
                said = await response.read()
            if response.status != 200:
                raise RuntimeError(f"{response.status}: {said[:300]!r}")
            way.took.append(1e3 * (time.perf_counter() - began))

    await asyncio.gather(*(ask(place) for place in range(at_once)))


def _cpu(pid: int) -> float:
    """Seconds of processor of all its threads, finer than the clock tick."""
    files = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(file.read_text().split()[0]) for file in files) / 1e9


def tell(found: list[Added]) -> str:
    """The figures as a table."""
    heads = ("request, reply, calls", "direct p10; p50; p95 ms", "gateway adds", "CPU us a call")
    lines = [f"| {' | '.join(heads)} |", "|---|---|---|---|"]
    lines += [
        f"| {item.case} | {item.direct_p10:.2f}; {item.direct_p50:.2f}; {item.direct_p95:.2f} "
        f"| {item.p10:.2f}; **{item.p50:.2f}**; {item.p95:.2f} | {item.cpu_us:.0f} |"
        for item in found
    ]
    return "\n".join(lines)


__all__ = ["TARGET_MS", "Added", "asdict", "measure", "tell"]
