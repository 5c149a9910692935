"""A wheel as hub, runner and command read it; nothing of it is extracted, imported or run.

Source: the binary distribution format specification (PEP 427 and its successors).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from packaging.tags import Tag
from packaging.utils import parse_wheel_filename

from envyard.contract import archive, members, metadata
from envyard.contract.headers import Entry, Unreadable, unreadable_wheel
from envyard.contract.inflate import contents
from envyard.contract.leaks import Leak
from envyard.contract.members import Member
from envyard.contract.metadata import Metadata

__all__ = ["LIMITS", "Limits", "Member", "Metadata", "Unreadable", "Wheel", "read", "sources"]

MIB = 1 << 20
STRONGER_HASHES = ("sha384", "sha512")


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a wheel, in bytes unless the name is of a count.

    The ratio of expanded to packed bytes is checked only above `ratio_floor`, since small texts
    pack very well.
    """

    packed: int = 100 * MIB
    members: int = 10_000
    expanded: int = 512 * MIB
    ratio: int = 50
    ratio_floor: int = 32 * MIB
    metadata: int = MIB
    record: int = 8 * MIB
    document: int = MIB // 16
    source: int = MIB
    sources: int = 64 * MIB


LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel whose archive is sound; whether its content keeps the rules is for the checks.

    `name` (normalised), `version` (canonical) and `tags` come from the file name and are empty
    where that is no wheel's. `dist_info` is empty unless there is exactly one such folder.
    `record`, `wheel_file`, `entry_points` and `top_level` are None where missing or not UTF-8;
    `metadata.raw` is empty where missing.
    """

    filename: str
    size: int
    name: str
    version: str
    tags: frozenset[Tag]
    members: tuple[Member, ...]
    dist_info: str
    metadata: Metadata
    record: str | None
    wheel_file: str | None
    entry_points: str | None
    top_level: str | None

    @property
    def tag(self) -> str:
        """The compressed tag as the file name writes it, e.g. py3-none-any."""
        return "-".join(self.filename.removesuffix(".whl").split("-")[-3:])

    @property
    def files(self) -> Iterator[Member]:
        """The members that are not folders."""
        return (member for member in self.members if not member.is_directory)

    @property
    def leaks(self) -> Iterator[Leak]:
        """The tokens inside its members."""
        return (leak for member in self.members for leak in member.leaks)


def read(source: Path | BinaryIO, *, filename: str = "", limits: Limits = LIMITS) -> Wheel:
    """Read a wheel, every byte of it, in bounded memory; raises Unreadable.

    A path's own name is the file name unless one is given. A file is left open.
    """
    with _opened(source) as file:
        size = archive.file_size(file)
        if size > limits.packed:
            raise unreadable_wheel(
                "wheel.too_large", f"the wheel has {size} bytes; the limit is {limits.packed}"
            )
        entries = archive.entries(file, max_members=limits.members)
        _check_expansion(sum(entry.size for entry in entries), size, limits)
        filename = filename or (source.name if isinstance(source, Path) else "")
        name, version, tags = _from_filename(filename)
        dist_info = _dist_info(entries)
        documents = {entry.name: entry for entry in entries}

        def document(path: str, code: str, limit: int) -> bytes | None:
            return _document(file, documents.get(f"{dist_info}/{path}"), code, limit)

        record = _text(document("RECORD", "wheel.record_too_large", limits.record))
        reader = members.Reader(file, _max_expanded(size, limits), _algorithms(record or ""))
        read_members = tuple(reader.read(entry) for entry in entries)
        raw = document("METADATA", "metadata.too_large", limits.metadata)
        return Wheel(
            filename=filename,
            size=size,
            name=name,
            version=version,
            tags=tags,
            members=read_members,
            dist_info=dist_info,
            metadata=metadata.parse(raw) if raw else Metadata(),
            record=record,
            wheel_file=_text(document("WHEEL", "wheel.no_wheel_file", limits.document)),
            entry_points=_text(
                document("entry_points.txt", "wheel.bad_entry_points", limits.document)
            ),
            top_level=_text(document("top_level.txt", "wheel.top_level_file", limits.document)),
        )


def sources(source: Path | BinaryIO, *, limits: Limits = LIMITS) -> dict[str, bytes]:
    """The .py members, METADATA and every pyproject.toml, by name; raises Unreadable.

    Files above `limits.source` bytes are left out, and everything after `limits.sources` in all.
    """
    bytes_by_path: dict[str, bytes] = {}
    bytes_left = limits.sources
    with _opened(source) as file:
        for entry in archive.entries(file, max_members=limits.members):
            is_source = entry.name.endswith((".py", ".dist-info/METADATA", "pyproject.toml"))
            if is_source and entry.size <= min(limits.source, bytes_left):
                bytes_by_path[entry.name] = b"".join(contents(file, entry))
                bytes_left -= entry.size
    return bytes_by_path


@contextmanager
def _opened(source: Path | BinaryIO) -> Iterator[BinaryIO]:
    if isinstance(source, Path):
        with source.open("rb") as file:
            yield file
    else:
        yield source


def _check_expansion(expanded: int, packed: int, limits: Limits) -> None:
    """Judges declared sizes before any byte is inflated; reading enforces that they are true."""
    if expanded > limits.expanded:
        raise unreadable_wheel(
            "wheel.expands_too_much",
            f"the members declare {expanded} bytes in all; the limit is {limits.expanded}",
        )
    if expanded > _max_expanded(packed, limits):
        raise unreadable_wheel(
            "wheel.packs_too_well",
            f"{packed} bytes expand to {expanded}; the limit is {limits.ratio} times",
        )


def _max_expanded(packed: int, limits: Limits) -> int:
    """The maximum expanded size of a wheel of that size, in bytes."""
    return min(limits.expanded, max(limits.ratio_floor, limits.ratio * packed))


def _from_filename(filename: str) -> tuple[str, str, frozenset[Tag]]:
    try:
        name, version, _, tags = parse_wheel_filename(filename)
    except ValueError:  # InvalidWheelFilename, or a version of thousands of digits
        return "", "", frozenset()
    return str(name), str(version), tags


def _dist_info(entries: list[Entry]) -> str:
    folders = {entry.name.partition("/")[0] for entry in entries}
    dist_infos = [folder for folder in folders if folder.lower().endswith(".dist-info")]
    return dist_infos[0] if len(dist_infos) == 1 else ""


def _algorithms(record: str) -> tuple[str, ...]:
    """The hashes beyond sha256 that RECORD seems to use; the specification admits stronger ones."""
    return tuple(name for name in STRONGER_HASHES if f"{name}=" in record)


def _document(file: BinaryIO, entry: Entry | None, code: str, limit: int) -> bytes | None:
    if entry is None:
        return None
    if entry.size > limit:
        raise unreadable_wheel(
            code,
            f"{entry.name!r} has {entry.size} bytes; the limit is {limit}",
            entry.name,
        )
    return b"".join(contents(file, entry))


def _text(raw: bytes | None) -> str | None:
    try:
        return None if raw is None else raw.decode()
    except UnicodeDecodeError:
        return None
