"""Python's sleep under a libfaketime that leaves the monotonic clock alone.

Its 0.9.10 passes the kernel a negative time there (wolfcw/libfaketime#426), so that `time.sleep`
fails whenever it is called.
"""

import select
import time


def _sleep(seconds: float) -> None:
    select.select((), (), (), seconds)


time.sleep = _sleep
