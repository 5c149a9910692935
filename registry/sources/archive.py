"""Read a source archive (.tar.gz) in bounded time and memory, without unpacking it.

Python's own reader does not expect hostile files: it reads headers of any length, and some
releases loop on negative sizes. So it reads the file through `_BoundedReader`, which limits bytes
and calls.
"""

from __future__ import annotations

import gzip
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from registry.errors import HubError

MAX_MEMBERS = 10_000
MAX_BYTES = 256 << 20  # unpacked
MAX_READ = 1 << 20
MAX_PATH = 300
MAX_CALLS = 50 * MAX_MEMBERS


@dataclass(frozen=True, slots=True)
class Member:
    """A file in the archive; its path is relative and free of `.` and `..`."""

    path: str
    size: int


def check(path: Path) -> list[Member]:
    """All files, in order; raises HubError source.unreadable where the archive is not sound."""
    members, _ = read_member(path, "", 0)
    return members


def read_member(
    path: Path, target: str, limit: int
) -> tuple[list[Member], tuple[bytes, int] | None]:
    """The first `limit` bytes of the file `target` and its length; all files where it is none.

    Both in one pass, since reading a large archive takes a second."""
    members = []
    with _opened(path) as archive:
        for member, info in _files(archive):
            if target and member.path == target:
                file = archive.extractfile(info)
                return [], ((file.read(limit) if file else b""), member.size)
            members.append(member)
    return members, None


@contextmanager
def _opened(path: Path) -> Iterator[tarfile.TarFile]:
    try:
        with (
            gzip.open(path, "rb") as packed,
            tarfile.open(fileobj=cast("BinaryIO", _BoundedReader(packed)), mode="r:") as archive,
        ):
            yield archive
    except (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError, OSError, ValueError,
            RecursionError) as error:  # fmt: skip
        if isinstance(error, OSError) and error.errno is not None:
            raise  # a fault of the disk, not of the archive
        raise _unreadable(f"it is not a readable .tar.gz: {str(error)[:200]}") from None


def _files(archive: tarfile.TarFile) -> Iterator[tuple[Member, tarfile.TarInfo]]:
    total = 0
    for number, info in enumerate(archive, 1):
        if number > MAX_MEMBERS:
            raise _unreadable(f"it has more than {MAX_MEMBERS} members")
        path = _checked(info)
        total += info.size
        if total > MAX_BYTES:
            raise _unreadable(f"its files have more than {MAX_BYTES} bytes unpacked")
        if info.isreg():
            yield Member(path, info.size), info


def _checked(info: tarfile.TarInfo) -> str:
    """The path of a member; raises unless it is a file or a folder inside the archive."""
    name = info.name.removeprefix("./").rstrip("/")
    parts = name.split("/")
    is_invalid = not name or any(part in ("", ".", "..") for part in parts)
    if is_invalid and name not in ("", "."):
        raise _unreadable(f"member {info.name[:100]!r} leaves the archive")
    if len(name) > MAX_PATH or not name.isprintable() or "\\" in name:
        raise _unreadable(f"member {info.name[:100]!r} has an odd name")
    if info.issparse() or not (info.isreg() or info.isdir()) or info.size < 0:
        raise _unreadable(f"member {info.name[:100]!r} is a link or a special file")
    return name


class _BoundedReader:
    """A file that raises where it is read too far, too much at once or too often."""

    def __init__(self, file: gzip.GzipFile) -> None:
        self._file = file
        self._calls = 0

    def read(self, size: int = -1) -> bytes:
        """At most MAX_READ bytes."""
        self._count(self._file.tell())
        if not 0 <= size <= MAX_READ:
            raise _unreadable("a header in it is too long")
        return self._file.read(size)

    def seek(self, position: int) -> int:
        """Seek within MAX_BYTES and the size of all headers."""
        self._count(position)
        return self._file.seek(position)

    def tell(self) -> int:
        """The current position."""
        return self._file.tell()

    def _count(self, position: int) -> None:
        self._calls += 1
        if position > MAX_BYTES + MAX_MEMBERS * 1024 or self._calls > MAX_CALLS:
            raise _unreadable(f"it has more than {MAX_BYTES} bytes unpacked, or goes in circles")


def _unreadable(reason: str) -> HubError:
    return HubError("source.unreadable", f"the source archive is refused: {reason}")
