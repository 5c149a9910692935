"""Check what a sandbox must offer, then become the program: devices, folders, threads.

Where the machine lacks one of them, honest code fails, and that would look like its own fault.
Started as `python -I -S -c SOURCE CHANNEL_FD PROGRAM...`: the sandbox has no file of it.
"""

from __future__ import annotations

import errno
import json
import os
import stat
import sys
import threading

DEVICES = {"null": os.O_RDWR, "zero": os.O_RDONLY, "full": os.O_RDONLY, "urandom": os.O_RDONLY}
DEVICES["random"] = os.O_RDONLY | os.O_NONBLOCK
FOLDERS = ("/tmp", "/dev/shm")
THREADS = 16  # fewer than any framework starts


def main(channel_fd: int, program: list[str]) -> None:
    """Become the program, or report the first thing that is lacking."""
    if missing := lacking():
        error = {"type": "MachineUnfit", "message": missing, "fault": "platform"}
        line = json.dumps({"event": "fatal", "stage": "machine", "error": error})
        os.write(channel_fd, line.encode() + b"\n")
        sys.exit(1)
    os.execvp(program[0], program)


def lacking() -> str:
    """The first thing that this sandbox lacks, as a sentence; empty where it has all."""
    for name, flags in DEVICES.items():
        try:
            _open_device(f"/dev/{name}", flags)
        except OSError as error:
            return f"/dev/{name} cannot be used: {error.strerror or error}"
    for folder in FOLDERS:
        try:
            _write_unnamed_file(folder)
        except OSError as error:
            if error.errno == errno.EOPNOTSUPP:  # no tmpfs, so no sandbox of ours
                continue
            return f"{folder} takes no file: {error.strerror or error}"
    try:
        _start_threads()
    except RuntimeError as error:
        return f"{THREADS} threads cannot be started: {error}"
    return ""


def _open_device(path: str, flags: int) -> None:
    descriptor = os.open(path, flags | os.O_CLOEXEC)
    try:
        if not stat.S_ISCHR(os.fstat(descriptor).st_mode):
            raise OSError("it is no character device")
    finally:
        os.close(descriptor)


def _write_unnamed_file(folder: str) -> None:
    descriptor = os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC)
    try:
        os.write(descriptor, b"0" * 4096)
    finally:
        os.close(descriptor)


def _start_threads() -> None:
    go, threads = threading.Event(), []
    try:
        for _ in range(THREADS):
            thread = threading.Thread(target=go.wait, daemon=True)
            thread.start()
            threads.append(thread)
    finally:
        go.set()
        for thread in threads:
            thread.join()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
