"""The storage protocol. Keys contain the sha256 of the object, so that storing one twice changes
nothing and an object without a row is harmless. Only index pages are overwritten."""

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
Kind = Literal["wheels", "metadata", "sources", "samples", "transcripts", "git"]


class Missing(Exception):
    """There is no object of that key."""


class Corrupt(Exception):
    """The bytes do not have the requested sha256."""


@dataclass(frozen=True, slots=True)
class Stored:
    """The attributes of an object that are known without reading it; `size` in bytes."""

    key: str
    size: int
    modified: datetime


class Reader(Protocol):
    """A stream of bytes; close it, or use `with`."""

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
        """Store the bytes of the source, durably once this returns; raises Corrupt, storing
        nothing, where their hex sha256 differs. A file is read from its beginning and left open."""

    def put_all(self, *objects: Put) -> None:
        """`put` each, all durable once this returns; after an error those before it may be
        stored."""

    def write(self, key: str, data: bytes, *, content_type: str, stamp: int) -> None:
        """Replace the object by `data`, durably once this returns; a reader gets all old or all new
        bytes. `stamp` is the file time from which a web server derives an ETag, in seconds of
        1970 to 2038; a key that ends in .gz has gzip bytes."""

    def keys(self, prefix: str) -> Iterator[str]:
        """The keys that begin with `prefix`, a folder's name and a slash, in no order."""
        ...

    def list(self, prefix: str = "") -> Iterator[Stored]:
        """The objects under the prefix, a folder's name and a slash or nothing, in the order of the
        keys. Remains of an interrupted `put` are included, so that they can be deleted."""
        ...

    def move(self, key: str, to: str) -> None:
        """Move the object to another key, durably once this returns, replacing the object there;
        raises Missing. It is complete under one of the two keys at any time."""

    def open(self, key: str, start: int = 0, end: int | None = None) -> Reader:
        """Bytes [start, end) of the object, to its end by default; raises Missing.

        The object has a byte at `start`."""
        ...

    def file(self, key: str) -> AbstractContextManager[Path]:
        """The whole object as a local file that must only be read; raises Missing."""
        ...

    def url(self, key: str, filename: str) -> str | None:
        """An address that serves the object under that file name for some minutes; None where the
        storage has no server of its own."""
        ...

    def delete(self, key: str) -> None:
        """Delete the object, durably once this returns; without effect where there is none."""

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


def chunks(source: BinaryIO | Path) -> Iterator[bytes]:
    """The source from its beginning, CHUNK bytes at a time."""
    if isinstance(source, Path):
        with source.open("rb") as file:
            yield from chunks(file)
        return
    source.seek(0)
    while chunk := source.read(CHUNK):
        yield chunk


def digest(source: BinaryIO | Path) -> str:
    """The hex sha256 of the source's bytes."""
    sha256 = hashlib.sha256()
    for chunk in chunks(source):
        sha256.update(chunk)
    return sha256.hexdigest()


def check(actual: str, expected: str, key: str) -> None:
    """Raise Corrupt where the digests differ."""
    if actual != expected:
        raise Corrupt(f"{key}: sha256 is {actual}, not {expected}")
