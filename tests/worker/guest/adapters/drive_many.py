"""Plays many jobs in one process, as the driver plays one: `drive_many.py GUEST JOB...`.

Importing a framework costs seconds, so the tests share one import among all environments of an API.
Each job's events go to a file beside it.
"""

import importlib
import json
import os
import sys
import threading
import urllib.request
from pathlib import Path


def main(inside: str, jobs: list[str]) -> None:
    """Play the jobs one after the other."""
    sys.path.insert(0, inside)
    start = importlib.import_module("main")
    start.load_package(inside)
    drive = importlib.import_module(f"{start.PACKAGE}.drive")
    for job in jobs:
        with Path(job).with_suffix(".events").open("wb") as events:
            os.environ |= {"ENVYARD_JOB": job, "ENVYARD_EVENTS_FD": str(events.fileno())}
            os.environ["ENVYARD_PLAN_FD"] = str(plan_of(job))
            drive.main()


def plan_of(job: str) -> int:
    """The descriptor from which the driver reads its release and, after the load, the plan."""
    reading, writing = os.pipe()
    address = f"{json.loads(Path(job).read_text())['gateway']}/plan"

    def send_plan() -> None:
        with os.fdopen(writing, "wb", buffering=0) as plan:
            plan.write(b"\n")
            with urllib.request.urlopen(address) as answer:
                plan.write(answer.read() + b"\n")

    threading.Thread(target=send_plan, daemon=True).start()
    return reading


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
