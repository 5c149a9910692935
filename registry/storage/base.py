"""What a storage does. Objects are named by their content, so writing one twice changes nothing
and an object that no row names is merely litter. Only the index's pages are written anew."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Literal, Protocol, Self

CHUNK = 1 << 16
Kind = Literal["wheels", "metadata", "sources", "samples", "transcripts"]


class Missing(Exception):
    """There is no object of that key."""


class Corrupt(Exception):
    """The bytes are not those of the sha256 that was asked for."""


@dataclass(frozen=True, slots=True)
class Stored:
    """What a storage knows of an object without reading it; `size` in bytes."""

    key: str
    size: int
    modified: datetime


class Reader(Protocol):
    """Bytes that come in pieces; close it, or use `with`."""

    def read(self, size: int = -1, /) -> bytes: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None: ...


Put = tuple[str, BinaryIO | Path, str]  # key, source and sha256, as `Storage.put` takes them


class Storage(Protocol):
    """Keeps objects under keys made by `key`."""

    def put(self, key: str, source: BinaryIO | Path, sha256: str) -> None:
        """Keep the source's bytes, durably once this returns; raises Corrupt, keeping nothing,
        where their hex sha256 is another. A file is read from its beginning and left open."""

    def put_all(self, *objects: Put) -> None:
        """`put` each, all durable once this returns; what raises may leave those before it."""

    def write(self, key: str, data: bytes, *, content_type: str, stamp: int) -> None:
        """Put `data` in the place of what the key names, durably once this returns; a reader sees
        the old bytes or the new, whole. Where a web server makes an ETag of a file's time, that
        is `stamp`, in seconds of 1970 to 2038; a key in .gz says that its bytes are gzip."""

    def keys(self, prefix: str) -> Iterator[str]:
        """The keys that begin with `prefix`, a folder's name and a slash, in no order."""
        ...

    def list(self, prefix: str = "") -> Iterator[Stored]:
        """What lies under the prefix, a folder's name and a slash or nothing, in the order of the
        keys. What an interrupted `put` left behind is among it, so that it can be deleted."""
        ...

    def move(self, key: str, to: str) -> None:
        """Give the object another key, durably once this returns, in place of what was there;
        raises Missing. It is whole under one of the two keys at any time."""

    def open(self, key: str, start: int = 0, end: int | None = None) -> Reader:
        """Bytes [start, end) of the object, to its end by default; raises Missing.

        The object has a byte at `start`."""
        ...

    def file(self, key: str) -> AbstractContextManager[Path]:
        """The whole object as a local file that must only be read; raises Missing."""
        ...

    def url(self, key: str, filename: str) -> str | None:
        """An address that serves the object under that file name for some minutes, where the
        storage serves by itself; None where the hub has to."""
        ...

    def delete(self, key: str) -> None:
        """Forget the object, durably once this returns; without effect where there is none."""

    def exists(self, key: str) -> bool:
        """Whether there is an object of that key."""
        ...

    def size(self, key: str) -> int:
        """Its length in bytes; raises Missing."""
        ...


def key(kind: Kind, sha256: str) -> str:
    """The key of an object: `wheels/ab/ab…` for the hex digest of its bytes."""
    if len(sha256) != 64 or not set(sha256) <= set("0123456789abcdef"):
        raise ValueError(f"sha256 {sha256!r} must be 64 lower-case hex digits")
    return f"{kind}/{sha256[:2]}/{sha256}"


def pieces(source: BinaryIO | Path) -> Iterator[bytes]:
    """The source from its beginning, CHUNK bytes at a time."""
    if isinstance(source, Path):
        with source.open("rb") as file:
            yield from pieces(file)
        return
    source.seek(0)
    while piece := source.read(CHUNK):
        yield piece


def digest(source: BinaryIO | Path) -> str:
    """The hex sha256 of the source's bytes."""
    found = hashlib.sha256()
    for piece in pieces(source):
        found.update(piece)
    return found.hexdigest()


def check(found: str, wanted: str, key: str) -> None:
    """Raise Corrupt where the digests differ."""
    if found != wanted:
        raise Corrupt(f"{key}: sha256 is {found}, not {wanted}")
