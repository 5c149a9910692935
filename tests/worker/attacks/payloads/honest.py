"""Reads its surroundings as a library may, and does no harm."""

# ruff: noqa
# mypy: ignore-errors

import asyncio
import os
import socket
import subprocess
import sys
import tempfile
import threading

done = threading.Lock()


def once():
    """Print what an earlier run has left, and use what environments use."""
    if not done.acquire(blocking=False):
        return
    print(
        "TRIED left = "
        + repr(
            [
                os.listdir("/tmp/left") if os.path.exists("/tmp/left") else [],
                [f for f in os.listdir("/dev/shm") if f == "left"],
            ]
        )
    )
    processes = [p for p in os.listdir("/proc") if p.isdigit()]
    print(f"TRIED processes = {len(processes)}")
    socket.getaddrinfo("localhost", 80)
    subprocess.run([sys.executable, "-c", "print(1)"], check=True, stdout=subprocess.DEVNULL)
    with tempfile.TemporaryDirectory() as folder:
        open(f"{folder}/x", "w").close()
