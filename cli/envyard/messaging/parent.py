"""Let the kernel end a process together with its parent."""

from __future__ import annotations

import ctypes
import signal

PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


def die_with_parent(number: signal.Signals = signal.SIGTERM) -> None:
    """Have the kernel send that signal to this process when the thread that started it ends."""
    _libc.prctl(PR_SET_PDEATHSIG, int(number))
