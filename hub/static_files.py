"""Static files, built into one folder per content.

    HUB_HOME/static/<digest>/    the served files; the name is a digest of the sources
    HUB_HOME/static/.build-*     a current or killed build

A process serves the folder of the sources that it was started with. A folder is created by one
rename and never changes, so any number of web processes can start at once and share it, also
beside an older version of the hub. A folder that no process has served for a day is deleted.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from django.conf import settings

UNUSED_SECONDS = 86400.0
DRAFT, LOCK = ".build-", ".lock"
NAME = re.compile(r"[0-9a-f]{16}")
BUILDERS = ("django", "whitenoise")  # they determine names and compression
log = logging.getLogger(__name__)
_served: list[int] = []  # descriptors with the locks of served folders


def root(parent: Path, apps: Sequence[str]) -> Path:
    """The folder for the current static files of these apps; it may not exist yet."""
    content = hashlib.sha256(" ".join(map(version, BUILDERS)).encode())
    for app in apps:
        for folder in _packages(app):
            for file in sorted(path for path in folder.rglob("*") if path.is_file()):
                name, data = file.relative_to(folder).as_posix(), file.read_bytes()
                content.update(f"\n{name} {len(data)}\n".encode() + data)
    return parent / content.hexdigest()[:16]


def _packages(app: str) -> Iterator[Path]:
    spec = find_spec(app)
    for location in (spec.submodule_search_locations if spec else None) or ():
        yield Path(location, "static")


def serve() -> None:
    """Build the folder of STATIC_ROOT if it is missing, and lock it while this process lives."""
    folder = Path(settings.STATIC_ROOT)
    try:
        while not _lock(folder):
            build()
        remove_unused()
    except OSError as error:
        log.exception(
            "static files cannot be built in %s (%s): pages have no style until the folder is "
            "writable and web is restarted",
            folder.parent,
            error.strerror,
        )


def build() -> bool:
    """Build the folder of STATIC_ROOT unless it exists; True if it was built."""
    folder = Path(settings.STATIC_ROOT)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _building(folder.parent):
        if folder.is_dir():
            return False
        for unfinished in folder.parent.glob(f"{DRAFT}*"):
            shutil.rmtree(unfinished, ignore_errors=True)
        draft = Path(tempfile.mkdtemp(prefix=DRAFT, dir=folder.parent))
        try:
            _collect(draft)
            draft.chmod(0o755)
            draft.rename(folder)
        except BaseException:
            shutil.rmtree(draft, ignore_errors=True)
            raise
    return True


def remove_unused() -> list[Path]:
    """Delete the folders that no process serves and that no process has started with for a day."""
    removed = []
    for entry in os.scandir(Path(settings.STATIC_ROOT).parent):
        folder = Path(entry.path)
        unused = NAME.fullmatch(entry.name) and folder != Path(settings.STATIC_ROOT)
        if (
            unused
            and entry.stat().st_mtime < time.time() - UNUSED_SECONDS
            and _delete_unlocked(folder)
        ):
            removed.append(folder)
    return removed


def _collect(folder: Path) -> None:
    """Copy every static file into the folder, named by content and compressed."""
    from django.contrib.staticfiles.management.commands import collectstatic
    from django.core.management import call_command
    from whitenoise.storage import CompressedManifestStaticFilesStorage

    command = collectstatic.Command()
    command.storage = CompressedManifestStaticFilesStorage(location=folder)
    call_command(command, interactive=False, verbosity=0)


@contextmanager
def _building(parent: Path) -> Iterator[None]:
    """One build at a time; the kernel releases the lock however the process ends."""
    with (parent / LOCK).open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _lock(folder: Path) -> bool:
    """Lock the folder for this process; False if it does not exist."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return False
    with suppress(OSError):  # without file locks nothing is deleted either
        fcntl.flock(descriptor, fcntl.LOCK_SH)
    with suppress(OSError):
        if os.path.samestat(os.fstat(descriptor), folder.stat()):
            _served.append(descriptor)
            os.utime(folder)
            return True
    os.close(descriptor)  # it was deleted just before it was locked
    return False


def _delete_unlocked(folder: Path) -> bool:
    """Delete the folder, by one rename, unless a process has locked it."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        draft = folder.with_name(f"{DRAFT}{folder.name}-{os.getpid()}")
        folder.rename(draft)
        shutil.rmtree(draft, ignore_errors=True)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True
