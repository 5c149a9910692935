"""A zip archive taken apart, so that a case can make any of its numbers a lie."""

import io
import struct
import zipfile
import zlib
from dataclasses import dataclass, field, replace

LOCAL = struct.Struct("<4s5H3I2H")
CENTRAL = struct.Struct("<4s6H3I5H2I")
END = struct.Struct("<4s4H2IH")


@dataclass
class Head:
    """One of a member's two headers."""

    name: bytes
    flags: int
    method: int
    crc: int
    compressed: int
    size: int
    extra: bytes = b""
    needs: int = 20


@dataclass
class Part:
    """One member; `gap` precedes it, `offset` replaces its offset in the directory."""

    local: Head
    central: Head
    data: bytes
    mode: int
    gap: bytes = b""
    comment: bytes = b""
    disk: int = 0
    offset: int | None = None

    def both(self, **values: object) -> None:
        """Set the same in both headers."""
        for head in (self.local, self.central):
            for name, value in values.items():
                setattr(head, name, value)


@dataclass
class Zip:
    """An archive; `end` replaces numbers of its end record, by name."""

    parts: list[Part]
    prefix: bytes = b""
    counted_prefix: bool = False
    before_directory: bytes = b""
    after_directory: bytes = b""
    comment: bytes = b""
    tail: bytes = b""
    end: dict[str, int] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Part:
        return next(part for part in self.parts if part.central.name == name.encode())

    def dump(self) -> bytes:
        """The bytes."""
        body, directory = b"", b""
        shift = len(self.prefix) if self.counted_prefix else 0
        for part in self.parts:
            body += part.gap
            offset = len(body) + shift if part.offset is None else part.offset
            body += local(part) + part.data
            directory += central(part, offset)
        body += self.before_directory
        numbers = {
            "disk": 0, "first_disk": 0, "here": len(self.parts), "count": len(self.parts),
            "length": len(directory), "start": len(body) + shift, "comment": len(self.comment),
        } | self.end  # fmt: skip
        end = END.pack(b"PK\5\6", *numbers.values())
        return b"".join(
            (self.prefix, body, directory, self.after_directory, end, self.comment, self.tail)
        )


def local(part: Part) -> bytes:
    """The header before the member's data."""
    head = part.local
    return (
        LOCAL.pack(
            b"PK\3\4", head.needs, head.flags, head.method, 0, 0x5C21, head.crc, head.compressed,
            head.size, len(head.name), len(head.extra),
        )
        + head.name
        + head.extra
    )  # fmt: skip


def central(part: Part, offset: int) -> bytes:
    """The header in the directory."""
    head = part.central
    return (
        CENTRAL.pack(
            b"PK\1\2", 0x0314, head.needs, head.flags, head.method, 0, 0x5C21, head.crc,
            head.compressed, head.size, len(head.name), len(head.extra), len(part.comment),
            part.disk, 0, part.mode << 16, offset,
        )
        + head.name
        + head.extra
        + part.comment
    )  # fmt: skip


def member(name: str | bytes, content: bytes, *, stored: bool = False) -> Part:
    """A member that is all right."""
    machine = zlib.compressobj(wbits=-15)
    data = content if stored else machine.compress(content) + machine.flush()
    raw = name.encode() if isinstance(name, str) else name
    flags = 0 if raw.isascii() else 0x0800
    method = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
    head = Head(raw, flags, method, zlib.crc32(content), len(data), len(content))
    return Part(head, replace(head), data, 0o100644)


def load(data: bytes) -> Zip:
    """Take a sound archive apart."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = []
        for info in archive.infolist():
            part = member(info.filename, archive.read(info), stored=not info.compress_type)
            part.mode = info.external_attr >> 16
            parts.append(part)
    return Zip(parts)
