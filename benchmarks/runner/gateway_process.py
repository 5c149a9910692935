"""A gateway in a process of its own.

    python -m benchmarks.runner.gateway_process PORT MODEL_URL MODEL ROLLOUTS

Prints the aliases of its rollouts as one JSON line, then serves on 127.0.0.1 until killed: the same
kind of socket as in a sandbox.
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from dataclasses import replace

import aiohttp

from envyard.contract.facts import TaskResult
from envyard_runner.gateway import AdaptiveLimiter, Gateway, Model
from tests.worker.stub_hub import job

CONCURRENCY = 64


async def serve(port: int, url: str, name: str, rollouts: int) -> None:
    """Plan that many rollouts of the model and serve their calls."""
    limits = {"rollout_seconds": 600.0, "max_tokens": 512, "calls_per_rollout": 100_000,
              "max_turns": 100_000}  # fmt: skip
    spec = replace(
        job(policies=("model",), tasks=rollouts, attempts=1, model=name, limits=limits),
        concurrency=CONCURRENCY,
    )
    async with aiohttp.ClientSession() as session:
        limiter = AdaptiveLimiter(minimum=CONCURRENCY, maximum=CONCURRENCY)
        model = Model(
            session, url=url, name=name, key="sk-benchmark", timeout=60.0, limiter=limiter
        )
        gateway = Gateway(spec, model)
        tasks = [TaskResult(number, str(number), "p") for number in range(rollouts)]
        gateway.plan.make(tasks, swapped=(), compares=False)
        aliases = [gateway.plan.alias(f"model/{number}/0") for number in range(rollouts)]
        sys.stdout.write(json.dumps(aliases) + "\n")
        sys.stdout.flush()
        await gateway.open(socket.create_server(("127.0.0.1", port), backlog=128))
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])))
