"""Keeps venvs and uv's downloads below one limit; the least recently used are removed first.

uv's files are counted in its cache: a venv's files are hard links to those. uv downloads again
what it lacks, so its downloads go first, apart from those that a venv has.
"""

from __future__ import annotations

import fcntl
import functools
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from envyard_runner.config import Config
from envyard_runner.sandbox.rundir import remove_tree
from envyard_runner.venvs import cache, uv

RECENT_SECONDS = 1800.0  # a build may have chosen it and not started its sandbox yet
ARCHIVES = "archive-v*/*"  # wheels, unpacked
UNFINISHED = ".tmp*"  # what a killed uv was unpacking


@dataclass(frozen=True, slots=True)
class Download:
    """A download of uv: its size in bytes, when it was last linked, and whether a venv has it."""

    path: Path
    size: int
    used: float
    linked: bool


def missing_bytes(config: Config) -> int:
    """The number of free bytes that the disk of RUNNER_HOME lacks for a run."""
    disk = os.statvfs(config.home)
    return max(0, config.free_bytes - disk.f_bavail * disk.f_frsize)


def free_space(config: Config) -> None:
    """Remove downloads that no venv has, then venvs that no run holds, until the limit is met and
    the disk has room.

    Does nothing while some uv is at work; the next build tries again.
    """
    with _lock_uv_cache(config) as exclusive:
        if not exclusive:
            return
        cache.clear_up(config)
        for path in uv.cache_folder(config).glob(UNFINISHED):
            remove_tree(path)
        kept = sorted(cache.entries(config), key=lambda entry: entry.used)
        total = sum(entry.size for entry in kept) + sum(map(_size, _paths(config)))
        over = max(total - config.venv_cache_bytes, missing_bytes(config))
        if over <= 0:
            return
        over -= _remove_downloads(config, over)
        for entry in kept:
            if over <= 0:
                return
            if 0 <= time.time() - entry.used < RECENT_SECONDS:  # the clock may have been set back
                continue
            if cache.remove(config, entry):
                over -= entry.size
                over -= _remove_downloads(config, over)


def discard_downloads(config: Config) -> None:
    """Remove all that uv keeps: a venv's files are hard links to it, and as damaged as they are.

    While some uv is at work nothing is removed; a build that links damaged files is found again.
    """
    with _lock_uv_cache(config) as exclusive:
        if exclusive:
            for path in uv.cache_folder(config).iterdir():
                _remove(path)


def _remove_downloads(config: Config, over: int) -> int:
    """Remove what no venv has, the oldest first, until `over` bytes are free; how many were."""
    freed = 0
    for download in sorted(map(_measure, _paths(config)), key=lambda download: download.used):
        if freed >= over:
            break
        if not download.linked:
            _remove(download.path)
            freed += download.size
    return freed


def _remove(path: Path) -> None:
    if path.is_dir():
        remove_tree(path)
    else:
        path.unlink(missing_ok=True)


def _paths(config: Config) -> list[Path]:
    """Unpacked wheels as they are, and every other file but uv's own marks."""
    root = uv.cache_folder(config)
    archives = list(root.glob(ARCHIVES))
    return [*archives, *_others(root, set(archives))]


def _others(root: Path, archives: set[Path]) -> Iterator[Path]:
    for folder, folders, files in os.walk(root):
        path = Path(folder)
        folders[:] = [name for name in folders if path / name not in archives]
        for name in files:
            if not name.startswith(".") and name != "CACHEDIR.TAG":
                yield path / name


def _size(path: Path) -> int:
    return _unpacked_size(path) if path.is_dir() else path.lstat().st_size


@functools.cache
def _unpacked_size(archive: Path) -> int:
    """It never changes, and its name never returns."""
    return _measure(archive).size


def _measure(path: Path) -> Download:
    """A file's status changes when it is linked, and when that link goes."""
    files = [path]
    if path.is_dir() and not path.is_symlink():
        files = list(_files(path))
    statuses = [file.lstat() for file in files]
    plain = [status for status in statuses if stat.S_ISREG(status.st_mode)]
    return Download(
        path=path,
        size=sum(status.st_size for status in plain),
        used=max((status.st_ctime for status in statuses), default=0.0),
        linked=any(status.st_nlink > 1 for status in plain),
    )


def _files(archive: Path) -> Iterator[Path]:
    """All but folders, of which more may lie in one another than `os.walk` can take."""
    waiting = [str(archive)]
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:  # a path may be too long
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    yield Path(entry.path)


@contextmanager
def _lock_uv_cache(config: Config) -> Iterator[bool]:
    """Whether no uv of ours is at work; none begins meanwhile."""
    fd = os.open(uv.cache_folder(config), os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        yield False
    else:
        yield True
    finally:
        os.close(fd)
