"""Tries every attempt once, while the first rollout is scored, and prints the result of each."""

# ruff: noqa
# mypy: ignore-errors

import os
import threading
import time

from . import places, calls, rights, messages  # in this order: the last one changes the clocks
from .common import attempts

done = threading.Lock()


def once():
    """Make every attempt, in the first rollout that is scored."""
    if not done.acquire(blocking=False):
        return
    for name, reach in attempts.items():
        try:
            print(f"TRIED {name} = REACHED: {reach()!r}"[:300])
        except BaseException as error:
            print(f"TRIED {name} = refused: {type(error).__name__}: {error}"[:200])
    os.makedirs("/tmp/left")
    open("/tmp/left/x", "w").close()
    open("/dev/shm/left", "w").close()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            while True:
                time.sleep(60)
        os._exit(0)
