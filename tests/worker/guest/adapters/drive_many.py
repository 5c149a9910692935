"""Plays many jobs in one process, as a worker plays one: `drive_many.py PACKAGE CONFIG=FD...`.

Importing a framework costs seconds, so the tests share one import among all environments of an API.
"""

import contextlib
import importlib
import socket
import sys


def main(package: str, jobs: list[str]) -> None:
    """Play the jobs one after the other; each channel is shut down at its job's end, because a
    process that the job started may still have it open."""
    worker = importlib.import_module(f"{package}.env_worker")
    for job in jobs:
        path, _, channel = job.rpartition("=")
        worker.main(path, int(channel))
        with socket.socket(fileno=int(channel)) as end, contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
