"""More rights, a changed clock, and writes to what other runs share."""

# ruff: noqa
# mypy: ignore-errors

import ctypes
import os
import sys
import time

from .common import attempts, called, in_a_child, need, succeeded

CRASH = """
import os, resource, signal
resource.setrlimit(resource.RLIMIT_CORE, (1 << 30, 1 << 30))
print("limits of core files can be raised")
"""


def writable(path):
    """A shared map of a cached file that takes writes."""
    import mmap

    fd = os.open(path, os.O_RDONLY)
    return succeeded(mmap.mmap(fd, 0, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE))


attempts |= {
    "core: limit": lambda: in_a_child(CRASH),
    "core: where it goes": lambda: open("/proc/sys/kernel/core_pattern", "w"),
    "descriptors: inherited": lambda: need(
        [
            n
            for n in os.listdir("/proc/self/fd")
            if "/" in os.readlink(f"/proc/self/fd/{n}")
            and not os.readlink(f"/proc/self/fd/{n}").startswith(
                ("/dev/null", "/proc", "/tmp", "/venv")
            )
        ]
    ),
    "rights: last to die": lambda: succeeded(
        open("/proc/self/oom_score_adj", "w", 1).write("-1000\n")
    ),
    "rights: priority": lambda: succeeded(os.nice(-5)),
    "rights: real time": lambda: succeeded(os.sched_setscheduler(0, 1, os.sched_param(1))),
    "venv: a map that writes": lambda: writable(sys.modules["verifiers"].__file__),
    "venv: a file without a name": lambda: os.open(
        os.path.dirname(__file__), os.O_TMPFILE | os.O_WRONLY
    ),
    "venv: attributes": lambda: succeeded(os.setxattr(__file__, "user.x", b"x")),
    "venv: times": lambda: succeeded(os.utime(__file__, (0, 0))),
    "rights: root": lambda: os.setuid(0) or "root",
    "rights: chroot": lambda: os.chroot("/tmp") or "rooted",
    "time: set": lambda: time.clock_settime(time.CLOCK_REALTIME, 0) or "set",
    "time: skew": lambda: called("syscall", 305, 0, ctypes.create_string_buffer(208)),
    "venv: new file": lambda: open(f"{os.path.dirname(__file__)}/../sitecustomize.py", "w"),
    "venv: the framework": lambda: open(sys.modules["verifiers"].__file__, "r+"),
    "venv: rights": lambda: os.chmod(sys.modules["verifiers"].__file__, 0o777) or "changed",
    "venv: rename": lambda: os.rename(__file__, __file__ + ".old") or "renamed",
    "venv: hard link": lambda: os.link(__file__, "/tmp/link") or "linked",
    "venv: inside programs": lambda: open(sys.modules["__main__"].__file__, "r+"),
    "venv: interpreter": lambda: open(sys.executable, "r+b"),
}
