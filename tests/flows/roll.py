"""Two rollouts of an installed environment by stock verifiers: `roll.py NAME PORT`.

Uses verifiers' own `null` harness in a local process; prints the episodes as one JSON line.
"""

import asyncio
import json
import os
import sys

import verifiers.v1 as vf


async def main(name: str, port: str) -> None:
    """Load by name, ask the server on that port, print what came of it."""
    os.environ["STUB_KEY"] = "unused"
    config = vf.resolve_env_config(
        {
            "taskset": {"id": name},
            "agent": {"harness": {"id": "null"}, "runtime": {"type": "subprocess"}},
        }
    )
    env = vf.load_environment(config)
    client = vf.EvalClientConfig(base_url=f"http://127.0.0.1:{port}/v1", api_key_var="STUB_KEY")
    context = vf.ModelContext(model="stub", client=client, sampling=vf.SamplingConfig())
    done: list[vf.Episode] = []

    async def keep(episode: vf.Episode) -> None:
        done.append(episode)

    limit = asyncio.Semaphore(2)
    async with env.serving():
        slots = [slot for task in env.taskset.take(2) for slot in env.slots(task, 1)]
        await asyncio.gather(*(env.run_slot(slot, context, limit, keep) for slot in slots))
    sys.stdout.write(
        json.dumps(
            [
                {
                    "ok": episode.ok,
                    "errors": [str(error) for error in episode.errors],
                    "reward": episode.traces[0].reward,
                    "roles": [message.role for message in episode.traces[0].messages],
                }
                for episode in done
            ]
        )
    )


asyncio.run(main(*sys.argv[1:]))
