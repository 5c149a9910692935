"""The runner's own limit of open files: its mirror keeps each file open that a run reads."""

from __future__ import annotations

import resource

from envyard.contract.data_lock import MAX_FILES

OTHERS = 2000  # sockets of the endpoints, pipes and descriptors of sandboxes, files being written
NEEDED = MAX_FILES + OTHERS
_inherited, _ = resource.getrlimit(resource.RLIMIT_NOFILE)


def raise_limit() -> None:
    """Raise this process's soft limit to NEEDED, or to the hard limit where that is lower."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    target = NEEDED if hard == resource.RLIM_INFINITY else min(NEEDED, hard)
    if soft != resource.RLIM_INFINITY and soft < target:
        resource.setrlimit(resource.RLIMIT_NOFILE, (target, hard))


def restore_limit() -> None:
    """Set the soft limit that the runner was started with; for other programs, between fork and
    exec: one that uses select() fails with descriptors from 1024 on."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (_inherited, hard))
