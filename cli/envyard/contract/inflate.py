"""The bytes of one member, in bounded memory whatever it holds. No declared size is trusted."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import BinaryIO

from envyard.contract.headers import STORED, Entry, unreadable_wheel

CHUNK = 1 << 16


def contents(file: BinaryIO, entry: Entry) -> Iterator[bytes]:
    """The member's bytes, at most CHUNK at a time; raises Unreadable where they are not what the
    headers say, at the latest after the last chunk. Never yields more than `entry.size` bytes."""
    crc, size = 0, 0
    for chunk in _stored(file, entry) if entry.method == STORED else _inflated(file, entry):
        size += len(chunk)
        if size > entry.size:
            break
        crc = zlib.crc32(chunk, crc)
        yield chunk
    if size != entry.size:
        raise unreadable_wheel(
            "wheel.wrong_size",
            f"member {entry.name!r} declares {entry.size} bytes but holds "
            f"{'more' if size > entry.size else size}",
            entry.name,
        )
    if crc != entry.crc:
        raise unreadable_wheel(
            "wheel.bad_crc",
            f"member {entry.name!r} declares CRC-32 {entry.crc:#010x}, its bytes have {crc:#010x}",
            entry.name,
        )


def _stored(file: BinaryIO, entry: Entry) -> Iterator[bytes]:
    file.seek(entry.start)
    remaining = entry.compressed
    while remaining and (chunk := file.read(min(CHUNK, remaining))):
        remaining -= len(chunk)
        yield chunk


def _inflated(file: BinaryIO, entry: Entry) -> Iterator[bytes]:
    file.seek(entry.start)
    remaining = entry.compressed
    machine = zlib.decompressobj(-15)
    pending = b""
    try:
        while not machine.eof:
            if not pending and remaining:
                pending = file.read(min(CHUNK, remaining))
                remaining -= len(pending)
            chunk = machine.decompress(pending, CHUNK)
            if not chunk and not pending:
                break
            pending = machine.unconsumed_tail
            if chunk:
                yield chunk
    except zlib.error as error:
        raise unreadable_wheel(
            "wheel.bad_deflate", f"member {entry.name!r} cannot be inflated: {error}", entry.name
        ) from None
    if not machine.eof:
        raise unreadable_wheel(
            "wheel.bad_deflate",
            f"member {entry.name!r} cannot be inflated: its {entry.compressed} bytes are truncated",
            entry.name,
        )
    if extra := len(machine.unused_data) + remaining:
        raise unreadable_wheel(
            "wheel.data_after_end",
            f"the data of member {entry.name!r} ends {extra} bytes before its header says",
            entry.name,
        )
