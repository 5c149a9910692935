"""A runner that polls and whose environment has seven tasks: `python -m tests.flows.shard_runner`.

All else is real: hub client, sandbox, gateway. The program inside loads the tasks up to the last of
its shard, plays those that the gateway planned, and is paid for the reply of a model.
"""

from __future__ import annotations

import asyncio
import logging
import os
from pathlib import Path

from envyard_runner.messaging.poll import poll
from tests.worker.runner_process import machine

PROGRAM = """
import hashlib, json, os, time, urllib.request
prompts = [f"reversed_text Text:\\nword {n}" for n in range(7)][: job["tasks"]]
tasks = [{"index": n, "hash": f"h{n}", "prompt": prompt} for n, prompt in enumerate(prompts)]
earlier = "\\n".join(task["hash"] for task in tasks[: job["first_task"]]).encode()
begin()
emit("loaded", seconds=0.1, framework_version="0.4.0", tasks=tasks[job["first_task"] :],
    loaded_tasks=len(tasks), earlier_tasks=earlier and hashlib.sha256(earlier).hexdigest() or "")
for (one,) in requests():
    word, prompt = one["rollout"], tasks[one["task"]]["prompt"]
    body = json.dumps({"model": "policy", "messages": [{"role": "user", "content": prompt}]})
    url = f"{job['gateway']}/rollouts/{word}/v1/chat/completions"
    asked = urllib.request.Request(url, body.encode(), {"Content-Type": "application/json"})
    answer = json.load(urllib.request.urlopen(asked))["choices"][0]["message"]["content"]
    time.sleep(0.2)
    right = float("<reversed_text>" in answer) * (1 + one["task"]) / 7
    parts = {"said": {"score": right, "weight": 1.0}}
    emit("rollout", rollout=word, ok=True, reward=right, rewards=parts, scoring_seconds=0.01)
"""


if __name__ == "__main__":
    os.umask(0o022)
    logging.basicConfig(level="INFO", format="%(asctime)s %(levelname)s %(name)s %(message)s")
    asyncio.run(poll(machine(Path(os.environ["RUNNER_HOME"]), PROGRAM)))
