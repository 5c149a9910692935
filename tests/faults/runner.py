"""A runner whose environments need nothing installed: `python -m tests.faults.runner start`.

All else is real: Celery, hub client, sandbox, gateway. The program inside sends the policy the
prompt of its task, waits a moment, and pays for the reply of a model.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from pathlib import Path

from envyard_runner.messaging.celery_app import make_app, serve
from envyard_runner.messaging.poll import poll
from tests.worker.runner_process import machine

GUEST_PROGRAM = """
import json, os, time, urllib.request
prompts = [f"reversed_text Text:\\nword {n}" for n in range(2)]
tasks = [{"index": n, "hash": f"h{n}", "prompt": prompt} for n, prompt in enumerate(prompts)]
begin()
emit("loaded", seconds=0.1, framework_version="0.4.0", tasks=tasks)
print("loaded", flush=True)
for (one,) in requests():
    word, prompt = one["rollout"], tasks[one["task"]]["prompt"]
    body = json.dumps({"model": "policy", "messages": [{"role": "user", "content": prompt}]})
    url = f"{job['gateway']}/rollouts/{word}/v1/chat/completions"
    asked = urllib.request.Request(url, body.encode(), {"Content-Type": "application/json"})
    try:
        answer = json.load(urllib.request.urlopen(asked))["choices"][0]["message"]["content"]
    except OSError as error:
        failure = {"type": "Lost", "message": str(error), "traceback": "", "fault": "model"}
        emit("rollout", rollout=word, ok=False, reward=None, error=failure)
        continue
    time.sleep(0.1)
    right = float("<reversed_text>" in answer)
    parts = {"said": {"score": right, "weight": 1.0}}
    emit("rollout", rollout=word, ok=True, reward=right, rewards=parts, scoring_seconds=0.01)
    print("played", word, flush=True)
"""


if __name__ == "__main__":
    os.umask(0o022)
    logging.basicConfig(level="INFO", format="%(asctime)s %(levelname)s %(name)s %(message)s")
    folder = Path(os.environ["RUNNER_HOME"])
    if sys.argv[1] == "poll":
        asyncio.run(poll(machine(folder, GUEST_PROGRAM)))
    else:
        serve(make_app(machine(folder, GUEST_PROGRAM), folder / "broker"))
