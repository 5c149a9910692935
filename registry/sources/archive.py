"""A source archive (.tar.gz) read in bounded time and memory; nothing of it is ever unpacked.

Python's own reader is not made for hostile files: it reads a header as long as the header says,
and some releases go in circles on negative sizes. So it sees the file through `_Gauge`, which
counts what it reads and how often.
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

MOST_MEMBERS = 10_000
MOST_BYTES = 256 << 20  # unpacked
LONGEST_READ = 1 << 20
LONGEST_PATH = 300
MOST_CALLS = 50 * MOST_MEMBERS


@dataclass(frozen=True, slots=True)
class Member:
    """A file in the archive; its path is relative and free of `.` and `..`."""

    path: str
    size: int


def check(path: Path) -> list[Member]:
    """All files, in order; raises HubError source.unreadable where the archive is not sound."""
    members, _ = look(path, "", 0)
    return members


def look(path: Path, wanted: str, most: int) -> tuple[list[Member], tuple[bytes, int] | None]:
    """The first `most` bytes of the file of that path and its length; where there is none, all
    files. In one go: to unpack a large archive takes a second."""
    members = []
    with _opened(path) as archive:
        for member, info in _files(archive):
            if wanted and member.path == wanted:
                file = archive.extractfile(info)
                return [], ((file.read(most) if file else b""), member.size)
            members.append(member)
    return members, None


@contextmanager
def _opened(path: Path) -> Iterator[tarfile.TarFile]:
    try:
        with (
            gzip.open(path, "rb") as packed,
            tarfile.open(fileobj=cast("BinaryIO", _Gauge(packed)), mode="r:") as archive,
        ):
            yield archive
    except (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError, OSError, ValueError,
            RecursionError) as error:  # fmt: skip
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the disk's fault, not the archive's
        raise _bad(f"it is not a readable .tar.gz: {str(error)[:200]}") from None


def _files(archive: tarfile.TarFile) -> Iterator[tuple[Member, tarfile.TarInfo]]:
    total = 0
    for number, info in enumerate(archive, 1):
        if number > MOST_MEMBERS:
            raise _bad(f"it has more than {MOST_MEMBERS} members")
        path = _checked(info)
        total += info.size
        if total > MOST_BYTES:
            raise _bad(f"its files have more than {MOST_BYTES} bytes unpacked")
        if info.isreg():
            yield Member(path, info.size), info


def _checked(info: tarfile.TarInfo) -> str:
    """The member's path, where it stays inside the archive and is a file or a folder."""
    name = info.name.removeprefix("./").rstrip("/")
    parts = name.split("/")
    wrong = not name or any(part in ("", ".", "..") for part in parts)
    if wrong and name not in ("", "."):
        raise _bad(f"member {info.name[:100]!r} leaves the archive")
    if len(name) > LONGEST_PATH or not name.isprintable() or "\\" in name:
        raise _bad(f"member {info.name[:100]!r} has an odd name")
    if info.issparse() or not (info.isreg() or info.isdir()) or info.size < 0:
        raise _bad(f"member {info.name[:100]!r} is a link or a special file")
    return name


class _Gauge:
    """A file that refuses to be read too long, too much at once or too often."""

    def __init__(self, file: gzip.GzipFile) -> None:
        self._file = file
        self._calls = 0

    def read(self, size: int = -1) -> bytes:
        """At most LONGEST_READ bytes."""
        self._count(self._file.tell())
        if not 0 <= size <= LONGEST_READ:
            raise _bad("a header in it is too long")
        return self._file.read(size)

    def seek(self, position: int) -> int:
        """To a place within MOST_BYTES and its headers."""
        self._count(position)
        return self._file.seek(position)

    def tell(self) -> int:
        """Where it is."""
        return self._file.tell()

    def _count(self, position: int) -> None:
        self._calls += 1
        if position > MOST_BYTES + MOST_MEMBERS * 1024 or self._calls > MOST_CALLS:
            raise _bad(f"it has more than {MOST_BYTES} bytes unpacked, or goes in circles")


def _bad(why: str) -> HubError:
    return HubError("source.unreadable", f"the source archive is refused: {why}")
