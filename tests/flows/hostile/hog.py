"""Takes all processes and all disk there is, and lives; then all memory, and does not.

Loads that share a sandbox take turns: each measures the whole limit.
"""

# ruff: noqa
# mypy: ignore-errors

import fcntl
import os
import signal
import time


def at(stage: str) -> None:
    """Be greedy at load, and greedier in a rollout."""
    if stage == "load":
        with open("/tmp/turn", "w") as turn:
            fcntl.lockf(turn, fcntl.LOCK_EX)
            print(f"forked {forked()} processes")
            for folder in ("/tmp", "/dev/shm"):
                print(f"wrote {written(folder)} MiB to {folder}")
    elif stage == "rollout":
        kept = []
        while True:
            kept.append(bytearray(b"x") * (32 << 20))


def forked() -> int:
    """How many children one can have at once."""
    children: list[int] = []
    try:
        while len(children) < 3000:
            if (pid := os.fork()) == 0:
                time.sleep(60)
                os._exit(0)
            children.append(pid)
    except OSError:
        pass
    for pid in children:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return len(children)


def written(folder: str) -> int:
    """How many MiB fit there."""
    path, size = f"{folder}/filled", 0
    try:
        with open(path, "wb", buffering=0) as file:
            while size < 4096:
                size += file.write(b"x" * (1 << 20)) >> 20
    except OSError:
        pass
    os.unlink(path)
    return size


def score() -> dict[str, float]:
    """Reports nothing."""
    return {}
