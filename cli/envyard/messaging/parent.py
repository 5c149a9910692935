"""No program outlives the runner that started it."""

from __future__ import annotations

import ctypes
import signal

PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


def die_with_parent(number: signal.Signals = signal.SIGTERM) -> None:
    """Ask the kernel for that signal when the thread that started this process ends."""
    _libc.prctl(PR_SET_PDEATHSIG, int(number))
