"""A runner for evaluations in shards: `python -m benchmarks.runner.shard_process`.

Celery, hub client, sandbox and gateway are the real ones. The guest program plays the tasks of its
shard, as many rollouts at once as the job admits, each of one turn.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path

from envyard_runner.messaging.celery_app import make_app, serve
from tests.worker.runner_process import machine

GUEST = """
import hashlib, json, os, threading, urllib.request
from concurrent.futures import ThreadPoolExecutor
tasks = [{"index": n, "hash": f"h{n}", "prompt": f"task {n}"} for n in range(job["tasks"])]
earlier = "\\n".join(task["hash"] for task in tasks[: job["first_task"]]).encode()
begin()
emit("loaded", seconds=0.1, framework_version="none", tasks=tasks[job["first_task"] :],
    loaded_tasks=len(tasks), earlier_tasks=earlier and hashlib.sha256(earlier).hexdigest() or "")
def play(rollout):
    url = f"{job['gateway']}/rollouts/{rollout['rollout']}/v1/chat/completions"
    messages = [{"role": "user", "content": tasks[rollout["task"]]["prompt"]}]
    body = json.dumps({"model": "policy", "messages": messages}).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    json.load(urllib.request.urlopen(request))
    parts = {"said": {"score": rollout["task"] % 7 / 7, "weight": 1.0}}
    reward = rollout["task"] % 7 / 7
    emit("rollout", rollout=rollout["rollout"], ok=True, reward=reward, rewards=parts)
with ThreadPoolExecutor(job["concurrency"]) as pool:
    for group in requests(): pool.submit(play, group[0])
"""


if __name__ == "__main__":
    os.umask(0o022)
    logging.basicConfig(level="INFO", format="%(asctime)s %(levelname)s %(name)s %(message)s")
    context = machine(Path(os.environ["RUNNER_HOME"]), GUEST)
    serve(make_app(context, Path(os.environ["HUB_HOME"]) / "broker"))
