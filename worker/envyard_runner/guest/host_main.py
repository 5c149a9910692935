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
    """Play all groups side by side; an exception is written as the error of each rollout of its
    group."""
    gate = asyncio.Semaphore(config.concurrency)

    async def play_group(group: tuple[PlannedRollout, ...]) -> None:
        task = group[0].task
        async with gate:
            try:
                rewards = await env.play(task, [planned.base_url for planned in group])
                results = [{"reward": r if math.isfinite(r) else None} for r in rewards]
            except Exception as error:
                results = [{"error": f"{type(error).__name__}: {error}"[:500]}] * len(group)
        for planned, result in zip(group, results, strict=True):
            row = {"rollout": planned.name, "hash": env.hash_of(task)} | result
            output.write(json.dumps(row) + "\n")
        output.flush()

    async with env.serving():
        await asyncio.gather(*map(play_group, config.groups))


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
