"""The gateway's latency per call: the same client to the model stub, directly and through it.

Client, gateway and stub are separate processes. Direct and forwarded calls alternate in short
turns; those of one turn are spread over the stub's latency, as on a real server.
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
    """Milliseconds of calls directly and through the gateway, and its CPU time per call."""

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
        """The gateway's latency at the 10th percentile, which is meaningful on a busy machine."""
        return self.through_p10 - self.direct_p10

    @property
    def p50(self) -> float:
        """The gateway's latency at the median."""
        return self.through_p50 - self.direct_p50

    @property
    def p95(self) -> float:
        """The gateway's latency at the 95th percentile."""
        return self.through_p95 - self.direct_p95


@dataclass(slots=True)
class Route:
    """One route to the model: the address of each rollout's calls, and their milliseconds."""

    urls: list[str]
    milliseconds: list[float]
    count: int = 0

    def url(self) -> str:
        """The next call's address; every rollout makes as many calls as a real one."""
        self.count += 1
        return self.urls[(self.count - 1) // CALLS_A_ROLLOUT % len(self.urls)]


def measure(
    scratch: Path, model_url: str, *, calls: int, progress: Callable[[str], None]
) -> list[Added]:
    """Every case with that many calls per route."""
    rows = []
    for size in SIZES:
        for stream in (False, True):
            for at_once in AT_ONCE:
                streamed = "streamed" if stream else "in one piece"
                progress(case := f"{size}, {streamed}, {at_once} at once")
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
        "benchmarks.runner.gateway_process",
        str(port),
        model_url,
        name,
        str(rollouts),
    ]
    log = scratch / "gateway.log"
    gateway = machine.start(
        command, log=log, port=port, environ={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    try:
        words = json.loads(log.read_text().splitlines()[0])
        urls = [f"http://127.0.0.1:{port}/rollouts/{word}/v1/chat/completions" for word in words]
        routes = Route([f"{model_url}/chat/completions"], []), Route(urls, [])
        body = {"model": name, "messages": environment.history(size), "stream": stream}
        used = asyncio.run(_alternate(routes, json.dumps(body).encode(), calls, at_once, gateway))
    finally:
        machine.stop(gateway)
    direct, through = (sorted(route.milliseconds) for route in routes)
    tenth, last = int(0.1 * (calls - 1)), int(0.95 * (calls - 1))
    return Added(
        case, len(through),
        direct[tenth], statistics.median(direct), direct[last],
        through[tenth], statistics.median(through), through[last],
        1e6 * used / len(through),
    )  # fmt: skip


async def _alternate(
    routes: tuple[Route, Route],
    body: bytes,
    calls: int,
    at_once: int,
    gateway: subprocess.Popen[bytes],
) -> float:
    """Make direct and forwarded calls by turns; returns the CPU seconds of the gateway."""
    used = 0.0
    turn = 8 * at_once
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        for route in routes:  # open the connections and warm up
            await _turn(session, route, body, 2 * at_once, at_once)
            route.milliseconds.clear()
        while any(len(route.milliseconds) < calls for route in routes):
            for route in routes:
                before = _cpu(gateway.pid)
                await _turn(
                    session, route, body, min(turn, calls - len(route.milliseconds)), at_once
                )
                used += _cpu(gateway.pid) - before if route is routes[1] else 0.0
    return used


async def _turn(
    session: aiohttp.ClientSession, route: Route, body: bytes, calls: int, at_once: int
) -> None:
    remaining = iter(range(calls))

    async def call(number: int) -> None:
        await asyncio.sleep(number * AT_ONCE[at_once] / 1000 / at_once)
        for _ in remaining:
            began = time.perf_counter()
            async with session.post(route.url(), data=io.BytesIO(body)) as response:
                body_received = await response.read()
            if response.status != 200:
                raise RuntimeError(f"{response.status}: {body_received[:300]!r}")
            route.milliseconds.append(1e3 * (time.perf_counter() - began))

    await asyncio.gather(*(call(number) for number in range(at_once)))


def _cpu(pid: int) -> float:
    """CPU seconds of all its threads, finer than the clock tick."""
    files = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(file.read_text().split()[0]) for file in files) / 1e9


def table(rows: list[Added]) -> str:
    """The figures as a table."""
    heads = ("request, reply, calls", "direct p10; p50; p95 ms", "gateway adds", "CPU us per call")
    lines = [f"| {' | '.join(heads)} |", "|---|---|---|---|"]
    lines += [
        f"| {item.case} | {item.direct_p10:.2f}; {item.direct_p50:.2f}; {item.direct_p95:.2f} "
        f"| {item.p10:.2f}; **{item.p50:.2f}**; {item.p95:.2f} | {item.cpu_us:.0f} |"
        for item in rows
    ]
    return "\n".join(lines)


__all__ = ["TARGET_MS", "Added", "asdict", "measure", "table"]
