"""A runner as a process of its own, `start` or `poll`: real Celery, a real sandbox, an empty venv.

Its environment is a program of one rollout. With seed 1 it never ends; with seed 3 it waits for
`release`. While its home has a file `broken`, every venv build fails.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from pathlib import Path
from typing import Any

from envyard.contract.findings import finding
from envyard_runner.config import Config
from envyard_runner.execution.run import RunnerContext
from envyard_runner.messaging.celery_app import make_app, serve
from envyard_runner.messaging.poll import poll
from envyard_runner.sandbox import Sandbox
from envyard_runner.venvs import Venv, VenvError
from tests.worker.guest_program import with_program

PROGRAM = """
import glob, json, os, time, urllib.request
begin()
emit("loaded", seconds=0.1, tasks=[{"index": 0, "hash": "h", "prompt": "", "prompted": True}])
print("loaded", flush=True)
while job["seed"] == 1: pass
while job["seed"] == 3 and not glob.glob("/venv/lib/*/site-packages/go"): time.sleep(0.1)
for (one,) in requests(): emit("rollout", rollout=one["rollout"], ok=True, reward=0.0)
"""


def release(home: Path) -> None:
    """End the wait of that runner's environments."""
    (home / "site" / "go").touch()


def machine(home: Path, program: str = PROGRAM) -> RunnerContext:
    """This machine, with an empty venv and a program of the test's own."""
    site = home / "site"
    site.mkdir(exist_ok=True, parents=True)
    site.chmod(0o755)

    broken = home / "broken"

    async def empty(*_: Any, **__: Any) -> Venv:
        if broken.exists():
            raise VenvError(finding("run.install_failed", "the cache cannot be written"))
        return Venv(site, site, packages=1, seconds=0.0)

    def prepare(**options: Any) -> Sandbox:
        return Sandbox.prepare(**options | {"files": with_program(options["files"], program)})

    async def examine() -> str:
        return "uv: its cache is broken" if broken.exists() else ""

    config = Config.from_environment()
    return RunnerContext(config, build=empty, prepare=prepare, self_check=examine)


if __name__ == "__main__":
    logging.basicConfig(level="INFO")
    folder = Path(os.environ["RUNNER_HOME"])
    if sys.argv[1] == "poll":
        asyncio.run(poll(machine(folder)))
    else:
        serve(make_app(machine(folder), Path(os.environ["HUB_HOME"]) / "broker"))
