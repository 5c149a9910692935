"""Plays many jobs in one process, as a worker plays one: `drive_many.py PACKAGE CONFIG=FD...`.

Importing a framework costs seconds, so the tests share one import among all environments of an API.
"""

import importlib
import os
import sys


def main(package: str, jobs: list[str]) -> None:
    """Play the jobs one after the other; each channel is closed at its job's end."""
    worker = importlib.import_module(f"{package}.env_worker")
    for job in jobs:
        path, _, channel = job.rpartition("=")
        worker.main(path, int(channel))
        os.close(int(channel))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
