"""Builds a wheel by a project's own backend: `build_wheel.py CHANNEL_FD SOURCE SUBDIRECTORY BACKEND
HOOK PATHS...`.

HOOK `requires` emits what else the build needs, `wheel` the wheel's name and bytes, as JSON lines
(PEP 517). The source is copied, since backends write into it.
"""

import base64
import importlib
import json
import os
import shutil
import sys
from pathlib import Path
from typing import BinaryIO

WORK = Path("/tmp/build")
PART = 1 << 20


def main(
    channel_fd: int, source: str, subdirectory: str, backend: str, hook: str, paths: list[str]
) -> None:
    """Run one hook and emit what it returned."""
    shutil.copytree(source, WORK, symlinks=True)
    project = WORK / subdirectory
    os.chdir(project)
    sys.path[:0] = [str(project / path) for path in paths]
    name, _, attribute = backend.partition(":")
    hooks = importlib.import_module(name)
    for part in filter(None, attribute.split(".")):
        hooks = getattr(hooks, part)
    with os.fdopen(channel_fd, "wb") as events:
        if hook == "requires":
            requires = getattr(hooks, "get_requires_for_build_wheel", None)
            emit(events, requires=[str(line) for line in requires(None)] if requires else [])
            return
        target = WORK / ".wheel"
        target.mkdir()
        wheel = target / hooks.build_wheel(str(target), None)
        emit(events, wheel=wheel.name)
        with wheel.open("rb") as file:
            while part := file.read(PART):
                emit(events, part=base64.b64encode(part).decode())
        emit(events, done=True)


def emit(events: BinaryIO, **fields: object) -> None:
    """Write one line."""
    events.write(json.dumps(fields).encode() + b"\n")


if __name__ == "__main__":
    channel_fd, source, subdirectory, backend, hook, *paths = sys.argv[1:]
    main(int(channel_fd), source, subdirectory, backend, hook, paths)
