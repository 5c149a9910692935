"""Source archives as prime packs them, and as an attacker would."""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Mapping, Sequence

FILES = {
    "README.md": b"# Demo\n",
    "pyproject.toml": b"[project]\n",
    "demo_env/__init__.py": b"WORD = 'amber'\n",
}


def make_archive(
    files: Mapping[str, bytes] = FILES, extra: Sequence[tarfile.TarInfo] = ()
) -> bytes:
    """The bytes of a .tar.gz; `extra` adds members without content."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for info in extra:
            archive.addfile(info)
    return packed.getvalue()


def member(name: str, kind: bytes = tarfile.REGTYPE, **fields: object) -> tarfile.TarInfo:
    """A member's header."""
    info = tarfile.TarInfo(name)
    info.type = kind
    for field, value in fields.items():
        setattr(info, field, value)
    return info


def raw(blocks: bytes) -> bytes:
    """Blocks that no writer would write, packed."""
    return gzip.compress(blocks)


def header(name: str, size: bytes, kind: bytes = b"0") -> bytes:
    """One header block with any size field, its checksum right."""
    block = bytearray(512)
    block[0 : len(name)] = name.encode()
    block[100:108] = b"0000644\0"
    block[124:136] = size.ljust(12, b"\0")[:12]
    block[136:148] = b"00000000000\0"
    block[156:157] = kind
    block[257:265] = b"ustar\x0000"
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)
