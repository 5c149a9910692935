"""Writes events without end: into its supervisor's own pipe if it can, else into its own."""

# ruff: noqa
# mypy: ignore-errors

import contextlib
import fcntl
import os
import stat
from pathlib import Path

LINE = b'{"event": "rollout", "rollout": "' + b"x" * 60_000 + b'"}\n'


def at(stage: str) -> None:
    """Never come back from load."""
    if stage == "load":
        with (supervisors() or event_pipe()).open("wb") as pipe:
            while True:
                pipe.write(LINE)


def supervisors() -> Path | None:
    """The pipe by which our parent reports; None where its memory and descriptors are closed."""
    parent = Path(f"/proc/{os.getppid()}")
    try:
        variables = (parent / "environ").read_bytes().split(b"\0")
        number = next(
            variable for variable in variables if variable.startswith(b"ENVYARD_EVENTS_FD=")
        ).split(b"=")[1]
        pipe = parent / "fd" / number.decode()
        pipe.open("wb").close()
    except OSError as error:
        print(f"the supervisor's pipe: {type(error).__name__}")
        return None
    return pipe


def event_pipe() -> Path:
    """The pipe that this process was given for its events."""
    for path in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):  # the descriptor that listed them
            fd = int(path.name)
            writable = fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE == os.O_WRONLY
            if fd > 2 and writable and stat.S_ISFIFO(os.fstat(fd).st_mode):
                return path
    raise RuntimeError("no pipe")


def score() -> dict[str, float]:
    """Never reached."""
    return {}
