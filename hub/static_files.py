"""Static files, built once for each content into a folder of its own.

    HUB_HOME/static/<digest>/    what web serves; the name is a digest of the sources
    HUB_HOME/static/.build-*     a build under way, or one that was killed

A process serves the folder of the sources that it was started with. A folder appears by one rename,
complete, and never changes, so any number of web processes may start at once and share it, also
while an older version of the hub goes on. One that no process has served for a day is deleted.
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
BUILDERS = ("django", "whitenoise")  # they name and compress the files
log = logging.getLogger(__name__)
_served: list[int] = []  # descriptors whose locks keep folders from being deleted


def root(parent: Path, apps: Sequence[str]) -> Path:
    """The folder for the static files that these apps have now; it may not exist yet."""
    content = hashlib.sha256(" ".join(map(version, BUILDERS)).encode())
    for app in apps:
        for folder in _packages(app):
            for file in sorted(path for path in folder.rglob("*") if path.is_file()):
                name, data = file.relative_to(folder).as_posix(), file.read_bytes()
                content.update(f"\n{name} {len(data)}\n".encode() + data)
    return parent / content.hexdigest()[:16]


def _packages(app: str) -> Iterator[Path]:
    found = find_spec(app)
    for place in (found.submodule_search_locations if found else None) or ():
        yield Path(place, "static")


def serve() -> None:
    """Build the folder of STATIC_ROOT where it is missing, and keep it while this process lives."""
    folder = Path(settings.STATIC_ROOT)
    try:
        while not _lock(folder):
            build()
        remove_unused()
    except OSError as error:
        log.exception(
            "static files cannot be built in %s (%s): pages have no style until it can be written "
            "and web is restarted",
            folder.parent,
            error.strerror,
        )


def build() -> bool:
    """Build the folder of STATIC_ROOT unless it exists; whether it was built now."""
    folder = Path(settings.STATIC_ROOT)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _building(folder.parent):
        if folder.is_dir():
            return False
        for left in folder.parent.glob(f"{DRAFT}*"):
            shutil.rmtree(left, ignore_errors=True)
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
    """Delete the folders that no process serves and none was started for during a day."""
    removed = []
    for entry in os.scandir(Path(settings.STATIC_ROOT).parent):
        folder = Path(entry.path)
        unused = NAME.fullmatch(entry.name) and folder != Path(settings.STATIC_ROOT)
        if unused and entry.stat().st_mtime < time.time() - UNUSED_SECONDS and _withdraw(folder):
            removed.append(folder)
    return removed


def _collect(folder: Path) -> None:
    """Copy, name by content and compress every static file into the folder."""
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
    """Hold the folder for this process; False where there is none."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return False
    with suppress(OSError):  # a file system without locks: nothing is deleted there either
        fcntl.flock(descriptor, fcntl.LOCK_SH)
    with suppress(OSError):
        if os.path.samestat(os.fstat(descriptor), folder.stat()):
            _served.append(descriptor)
            os.utime(folder)
            return True
    os.close(descriptor)  # it was deleted just before it was locked
    return False


def _withdraw(folder: Path) -> bool:
    """Delete the folder unless a process holds it; it disappears whole."""
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
