"""Other readings of an archive, against which ours is held."""

import io
import struct
import zipfile
import zlib
from dataclasses import replace

from envyard.contract import archive, checks
from envyard.contract.headers import Unreadable, unreadable_wheel
from envyard.contract.inflate import CHUNK, contents
from envyard.contract.wheel import LIMITS
from tests.wheels import filename

LIMIT = 4 << 20
LIMITED = replace(LIMITS, expanded=LIMIT, ratio_floor=1 << 20, members=200)


def check(data: bytes) -> bool:
    """Whether our reader takes the archive; where it does, two other readers see the same in it.
    Raises AssertionError where they do not, and whatever our reader should not have raised."""
    findings = checks.run_all(io.BytesIO(data), filename=filename(), limits=LIMITED)
    try:
        content = read(data)
    except Unreadable:
        assert "error" in {finding.severity for finding in findings}
        return False
    assert content == zipfile_content(data)
    assert content == forwards(data)
    return True


def read(data: bytes) -> dict[str, bytes]:
    """Our own reading, within its limits."""
    file = io.BytesIO(data)
    content_by_name, size = {}, 0
    for entry in archive.entries(file, max_members=LIMITED.members):
        pieces = []
        for piece in contents(file, entry):
            assert len(piece) <= CHUNK
            size += len(piece)
            if size > LIMIT:
                raise unreadable_wheel("wheel.expands_too_much", "too much")
            pieces.append(piece)
        content_by_name[entry.name] = b"".join(pieces)
        assert len(content_by_name[entry.name]) == entry.size
    return content_by_name


def zipfile_content(data: bytes) -> dict[str, bytes]:
    """The content for zipfile, which reads the central directory."""
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        assert len(opened.namelist()) == len(set(opened.namelist()))
        return {info.filename: opened.read(info) for info in opened.infolist()}


def forwards(data: bytes) -> dict[str, bytes]:
    """The content for a reader of the local headers, from the first byte on."""
    content_by_name = {}
    position = 0
    while data[position : position + 4] == b"PK\3\4":
        flags, method, crc, packed, size, n_name, n_extra = struct.unpack_from(
            "<2H4x3I2H", data, position + 6
        )
        position += 30
        name = data[position : position + n_name].decode("utf-8" if flags & 0x800 else "ascii")
        position += n_name + n_extra
        content = data[position : position + packed]
        if method:
            content = zlib.decompress(content, wbits=-15)
        assert (len(content), zlib.crc32(content)) == (size, crc)
        assert name not in content_by_name
        content_by_name[name] = content
        position += packed
    assert data[position : position + 4] in (b"PK\1\2", b"PK\5\6")
    return content_by_name
