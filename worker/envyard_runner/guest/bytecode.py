"""Byte-compiles a folder: `bytecode.py FOLDER`; ends with code FULL where the disk has no room.

A .pyc is there whole or not at all. Python's own `compileall` takes a write that was cut short, by
a full disk or at the limit of a file's size, for a whole one; each later import would fail by it.
"""

import errno
import importlib.util
import marshal
import os
import struct
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from pathlib import Path

FULL = 28
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
TIMESTAMP = 0  # the kind of .pyc that holds for a source of that time and size (PEP 552)
AT_ONCE = 16


def main(folder: str) -> int:
    """Compile all that compiles; the exit code."""
    paths = (Path(path, name) for path, _, names in os.walk(folder) for name in names)
    sources = (path for path in paths if path.suffix == ".py")
    with ProcessPoolExecutor() as pool:
        return FULL if any(pool.map(lacks_room, sources, chunksize=AT_ONCE)) else 0


def lacks_room(source: Path) -> bool:
    """Whether the disk was too full for its .pyc; what does not compile has none."""
    compiled = Path(importlib.util.cache_from_source(str(source)))
    part = compiled.with_suffix(".part")
    try:
        content = _compiled(source)
    except Exception:
        return False
    try:
        compiled.parent.mkdir(exist_ok=True)
        with part.open("xb") as file:
            file.write(content)
        part.replace(compiled)
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        return error.errno in NO_ROOM
    return False


def _compiled(source: Path) -> bytes:
    with source.open("rb") as file:
        text, status = file.read(), os.fstat(file.fileno())
    warnings.simplefilter("ignore")
    code = compile(text, source, "exec", dont_inherit=True)
    numbers = (TIMESTAMP, int(status.st_mtime) & 0xFFFFFFFF, status.st_size & 0xFFFFFFFF)
    return importlib.util.MAGIC_NUMBER + struct.pack("<3L", *numbers) + marshal.dumps(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
