"""A runner whose environment needs no installation: `python -m benchmarks.runner.runner_process`.

Celery, hub client, sandbox and gateway are the real ones. The guest program plays its rollouts
concurrently, eight turns each, and sends the complete conversation at every turn.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path

from envyard_runner.messaging.celery_app import make_app, serve
from tests.worker.runner_process import machine

GUEST = """
import json, os, threading, urllib.request
tasks = [{"index": n, "hash": f"h{n}", "prompt": f"task {n}"} for n in range(job["tasks"])]
begin()
emit("loaded", seconds=0.1, framework_version="none", tasks=tasks)
def play(rollout):
    url = f"{job['gateway']}/rollouts/{rollout['rollout']}/v1/chat/completions"
    messages = [{"role": "user", "content": tasks[rollout["task"]]["prompt"]}]
    for turn in range(8):
        body = json.dumps({"model": "policy", "messages": messages}).encode()
        request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
        answer = json.load(urllib.request.urlopen(request))["choices"][0]["message"]
        messages += [answer, {"role": "user", "content": f"turn {turn}"}]
    parts = {"said": {"score": 1.0, "weight": 1.0}}
    emit("rollout", rollout=rollout["rollout"], ok=True, reward=1.0, rewards=parts)
for group in requests(): threading.Thread(target=play, args=group).start()
"""


if __name__ == "__main__":
    os.umask(0o022)
    logging.basicConfig(level="INFO", format="%(asctime)s %(levelname)s %(name)s %(message)s")
    context = machine(Path(os.environ["RUNNER_HOME"]), GUEST)
    serve(make_app(context, Path(os.environ["HUB_HOME"]) / "broker"))
