"""The content of a member: archives, tokens, pickles and programs inside it.

The hub never unpacks an archive to disk, but users of the wheel may. So archives are read here,
part by part, within one budget for the whole wheel, and nothing is kept.
"""

from __future__ import annotations

import re
from contextlib import ExitStack
from dataclasses import dataclass, field
from tempfile import SpooledTemporaryFile
from typing import IO, Protocol

from envyard.contract import pickles, programs, streams, tars, zips
from envyard.contract.headers import Unreadable, unreadable_wheel
from envyard.contract.leaks import Finder, Leak, Scanner

MAX_PARTS = 100_000  # members and streams, in all archives inside one wheel
MAX_DEPTH = 3  # a document that is a zip, with a document in it, inside an archive
HEAD = 512  # bytes that show what a file is; the length of a tar's first header
IN_MEMORY = 1 << 20  # bytes of an inner file that are kept in memory; more goes to a temporary file
ARCHIVE = re.compile(
    r"\.(zip|whl|jar|egg|war|apk|7z|rar|cab|iso|tar|tgz|txz|tbz2?|tlz|tzst|gz|bz2|xz|lzma|zst|lz4|lz"
    r"|br|deb|rpm|cpio|z)$",
    re.IGNORECASE,
)
# Archives that cannot be examined with bounded work, by their first bytes.
OPAQUE = {
    b"7z\xbc\xaf\x27\x1c": "7-Zip",
    b"Rar!\x1a\x07": "RAR",
    b"MSCF\0\0\0\0": "Cabinet",
    b"\x04\x22\x4d\x18": "LZ4",
    b"\x02\x21\x4c\x18": "LZ4",
    b"LZIP\x01": "lzip",
    b"\x89LZO\0\r\n\x1a\n": "lzop",
    b"LRZI\0": "lrzip",
    b"xar!\0\x1c": "xar",
    b"\xed\xab\xee\xdb": "RPM",
    b"!<arch>\n": "ar",
}
NUMPY = re.compile(rb"\x93NUMPY([\x01-\x03])\x00")


class Budget:
    """The limit in bytes for the expansion of all archives inside one wheel together."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._expanded = 0
        self._parts = 0

    def spend(self, name: str, expanded: int, parts: int = 0) -> None:
        """Count an expansion; raises Unreadable where it is too much."""
        self._expanded += expanded
        self._parts += parts
        if self._expanded > self.limit:
            raise unreadable_wheel(
                "wheel.nested_bomb",
                f"member {name!r} is an archive that expands to {self._expanded} bytes or more; "
                f"the limit for all archives in this wheel is {self.limit}",
                name,
            )
        if self._parts > MAX_PARTS:
            raise unreadable_wheel(
                "wheel.nested_bomb",
                f"member {name!r} is an archive of more than {MAX_PARTS} parts; that is the limit",
                name,
            )


@dataclass(slots=True)
class Inspection:
    """The content found in one member; budgets are shared by all members of the wheel."""

    name: str
    budget: Budget
    scanner: Scanner
    opcodes: pickles.Budget
    leaks: dict[str, Leak] = field(default_factory=dict)
    pickles: list[pickles.Verdict] = field(default_factory=list)
    program: str = ""
    files: ExitStack = field(default_factory=ExitStack)

    def kept_aside(self) -> IO[bytes]:
        """A temporary file that is closed with `files`, whatever happens before."""
        return self.files.enter_context(SpooledTemporaryFile(IN_MEMORY))


class Sink(Protocol):
    """Takes the bytes of a file as they arrive."""

    def feed(self, chunk: bytes) -> None:
        """The next bytes."""

    def close(self) -> None:
        """There are no more."""


class Content:
    """Looks through one file: a member (depth 0), or a part of an archive inside it.

    `path` is the file's location: the member, then the names inside archives.
    """

    def __init__(
        self, inspection: Inspection, path: str, depth: int = 0, *, unpacked: bool = False
    ) -> None:
        self.inspection, self.path, self.depth = inspection, path, depth
        self._levels = 0 if unpacked else 1  # that a tar adds: none behind gzip and the like
        self.ends_as_zip = False
        self._finder = Finder(inspection.scanner, inspection.leaks)
        self._head: bytes | None = b""
        self._sinks: list[Sink] = []
        self._tail = b""

    def feed(self, chunk: bytes) -> None:
        """Look through the next bytes; raises Unreadable at a bomb or a forbidden archive."""
        self._finder.feed(chunk)
        self._tail = zips.tail(self._tail, chunk)
        if self._head is not None:
            self._head += chunk
            if len(self._head) < HEAD:
                return
            chunk = self._start()
        for sink in self._sinks:
            sink.feed(chunk)

    def close(self) -> None:
        """The end of the file: check what needs all of it."""
        if self._head is not None:
            chunk = self._start()
            for sink in self._sinks:
                sink.feed(chunk)
        for sink in self._sinks:
            sink.close()
        is_zip = any(isinstance(sink, Zipped) for sink in self._sinks)
        self.ends_as_zip = not is_zip and zips.ends(self._tail)
        if self.ends_as_zip and self.depth:
            raise self.too_deep(self.path)

    def count(self, expanded: int, parts: int = 0) -> None:
        """Note what an archive expands to; raises Unreadable where it is too much."""
        self.inspection.budget.spend(self.inspection.name, expanded, parts)

    def part(self, inner: str, extra: int = 0) -> Content:
        """A file inside this archive, which may be no archive by its name."""
        self.count(extra, parts=1)
        if ARCHIVE.search(inner):
            raise self.too_deep(inner)
        return Content(self.inspection, f"{self.path}/{inner}"[-200:], self.depth + 1)

    def tar_part(self, inner: str, extra: int) -> Content:
        """A file inside this tar archive, which expands to `extra` bytes more than it holds."""
        part = self.part(inner, extra)
        part.depth = self.depth + self._levels
        return part

    def too_deep(self, inner: str, rule: str = "archives nest once at most") -> Exception:
        """The refusal of an archive inside an archive."""
        name = self.inspection.name
        return unreadable_wheel(
            "wheel.nested_archive",
            f"member {name!r} is an archive that holds the archive {inner[-200:]!r}; {rule}",
            name,
        )

    def _start(self) -> bytes:
        """Choose the checks of the file by its first bytes; returns those bytes."""
        head, self._head = self._head or b"", None
        self._refuse_opaque(head)
        if not self.depth:
            self.inspection.program = programs.kind(head)
        sink = self._archive(head)
        if sink is not None and self.depth >= MAX_DEPTH:
            rule = f"compressed files and documents nest at most {MAX_DEPTH} levels deep"
            raise self.too_deep(self.path, rule)
        sink = sink or self._weak_stream(head) or self._pickle(head)
        self._sinks = [sink] if sink is not None else []
        return head

    def _refuse_opaque(self, head: bytes) -> None:
        for magic, kind in OPAQUE.items():
            if head.startswith(magic):
                raise self.opaque(kind)

    def opaque(self, kind: str) -> Unreadable:
        """The refusal of an archive that cannot be examined with bounded work."""
        return unreadable_wheel(
            "wheel.opaque_archive",
            f"{self.path!r} is an archive of the kind {kind}, which the hub cannot examine",
            self.inspection.name,
        )

    def _archive(self, head: bytes) -> Sink | None:
        if head.startswith(zips.MAGICS):
            return Zipped(self)
        if new := streams.machine(head):
            return streams.Stream(self.inspection.name, new, self._unpacked())
        if head.startswith(streams.ZSTD_MAGIC):
            return streams.Zstandard(self._unpacked())
        if tars.is_header(head[: tars.BLOCK]):
            return tars.Tar(self.tar_part, self.count)
        return None

    def _weak_stream(self, head: bytes) -> Sink | None:
        new = streams.weak_machine(head) if self.depth < MAX_DEPTH else None
        return streams.Stream(self.inspection.name, new, self._unpacked()) if new else None

    def _pickle(self, head: bytes) -> Sink | None:
        if pickles.BINARY.match(head) or pickles.NAMED.search(self.path):
            return Pickled(self)
        if NUMPY.match(head):
            return Pickled(self, numpy=True)
        return Pickled(self, strict=True) if pickles.may_be_text(head) else None

    def _unpacked(self) -> Unpacked:
        return Unpacked(self)


class Unpacked:
    """What a compressed stream unpacks to: one file, whose tar, if it is one, adds no level."""

    def __init__(self, outer: Content) -> None:
        self._outer = outer
        self._content = Content(outer.inspection, outer.path, outer.depth + 1, unpacked=True)
        self.count = outer.count
        self.feed = self._content.feed
        self.close = self._content.close


class Zipped:
    """A zip, kept aside until its directory, at its end, has arrived."""

    def __init__(self, outer: Content) -> None:
        self._outer = outer
        self._file = outer.inspection.kept_aside()

    def feed(self, chunk: bytes) -> None:
        """The next bytes."""
        self._file.write(chunk)

    def close(self) -> None:
        """Look through the files of the zip."""
        with self._file:
            zips.walk(self._file, self._outer)


class Pickled:
    """What may be a pickle, kept aside until its end has arrived."""

    def __init__(self, outer: Content, *, strict: bool = False, numpy: bool = False) -> None:
        self._outer, self._strict, self._numpy = outer, strict, numpy
        self._file = outer.inspection.kept_aside()

    def feed(self, chunk: bytes) -> None:
        """The next bytes."""
        self._file.write(chunk)

    def close(self) -> None:
        """Follow the opcodes."""
        inspection = self._outer.inspection
        with self._file:
            self._file.seek(0)
            if self._numpy and not pickles.skip_numpy(self._file):
                return
            try:
                verdict = pickles.judge(
                    self._file, self._outer.path, inspection.opcodes, strict=self._strict
                )
            except pickles.NoPickle:
                return
        if verdict.unread or (verdict.imports and (verdict.calls or not self._strict)):
            inspection.pickles.append(verdict)


def look_behind_prefix(file: IO[bytes], inspection: Inspection) -> None:
    """Look through a member that is a zip only from its end: other bytes stand before it."""
    zips.walk(file, Content(inspection, inspection.name))
