"""Play the rollouts of a configuration: `python -m rollout_host.host_main CONFIG OUTPUT_FD`.

Each finished rollout is one JSON line on OUTPUT_FD: its name, its task's hash, and its reward or
its error.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import math
import os
import sys
from typing import IO, Any

from .host_config import HostConfig, PlannedRollout


async def play_all(config: HostConfig, env: Any, output: IO[str]) -> None:
    """Play all rollouts side by side; an exception is written as the rollout's error."""
    gate = asyncio.Semaphore(config.concurrency)

    async def play_one(planned: PlannedRollout) -> None:
        row: dict[str, Any] = {"rollout": planned.name, "hash": env.hash_of(planned.task)}
        async with gate:
            try:
                reward = float(await env.play(planned.task, planned.base_url))
                row["reward"] = reward if math.isfinite(reward) else None
            except Exception as error:
                row["error"] = f"{type(error).__name__}: {error}"[:500]
        output.write(json.dumps(row) + "\n")
        output.flush()

    async with env.serving():
        await asyncio.gather(*map(play_one, config.rollouts))


def main(path: str, output_fd: int) -> None:
    """Load the environment and play it."""
    os.set_inheritable(output_fd, False)
    config = HostConfig.read(path)
    del sys.argv[1:]
    env = importlib.import_module(f".host_{config.adapter}", __package__).load(config)
    with os.fdopen(output_fd, "w") as output:
        asyncio.run(play_all(config, env, output))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
