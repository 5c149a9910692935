"""The process that others are forked from: `python parent.py SOCKET_FD MODULE...`.

It imports the modules, then forks one supervisor for each request of the socket. A request is a
JSON object with three descriptors: control, log and channel. The supervisor has new namespaces; it
listens on the endpoints' ports, forks the first process of its process namespace and sends both ids
with the sockets over `control`, waits for a byte, and sends the exit status at the end. Standard
library alone: it runs on the interpreter of the sandboxes.
"""

import contextlib
import ctypes
import fcntl
import gc
import importlib
import json
import os
import random
import signal
import site
import socket
import struct
import sys
import traceback
from pathlib import Path
from typing import Any

NEW_MOUNTS, NEW_IPC, NEW_PIDS, NEW_NETWORK = 0x20000, 0x8000000, 0x20000000, 0x40000000
PRIVATE, RECURSIVE = 1 << 18, 1 << 14
GET_FLAGS, SET_FLAGS, UP = 0x8913, 0x8914, 1  # ioctls of a network interface
DEATH_SIGNAL = 1  # prctl
LIBC = ctypes.CDLL(None, use_errno=True)


def main(fd: int, modules: list[str]) -> None:
    """Import, then fork until the socket is closed."""
    for module in modules:
        with contextlib.suppress(ImportError):
            importlib.import_module(module)
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    requests = socket.socket(fileno=fd)
    while True:
        content, fds, *_ = socket.recv_fds(requests, 1 << 20, 3)
        if not content:
            return
        if os.fork() == 0:
            requests.close()
            ended = 1
            with contextlib.suppress(BaseException):
                ended = supervise(json.loads(content), *fds)
            os._exit(ended)
        for each in fds:
            os.close(each)


def supervise(request: dict[str, Any], control_fd: int, log: int, channel: int) -> int:
    """Start the program in namespaces of its own and report how it ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    LIBC.prctl(DEATH_SIGNAL, signal.SIGKILL)
    for target in (1, 2):
        os.dup2(log, target)
    os.setsid()
    control = socket.socket(fileno=control_fd)
    call("unshare", NEW_MOUNTS | NEW_IPC | NEW_PIDS | NEW_NETWORK)
    call("mount", None, b"/", None, PRIVATE | RECURSIVE, None)
    start_loopback()
    listening = [socket.create_server(("127.0.0.1", port)) for port in request["ports"]]
    first = os.fork()
    if first == 0:
        for each in listening:
            each.close()
        with contextlib.suppress(BaseException):
            os._exit(first_process(request, control, log, channel))
        os._exit(1)
    socket.send_fds(
        control, [f"{os.getpid()} {first}".encode()], [each.fileno() for each in listening]
    )
    for each in listening:
        each.close()
    os.close(channel)
    os.close(log)
    for target in (1, 2):
        os.close(target)
    _, status = os.waitpid(first, 0)
    with contextlib.suppress(OSError):
        control.send(str(os.waitstatus_to_exitcode(status)).encode())
    return 0


def first_process(request: dict[str, Any], control: socket.socket, log: int, channel: int) -> int:
    """Fork the program once the runner allows it; its end is that of all other processes."""
    LIBC.prctl(DEATH_SIGNAL, signal.SIGKILL)
    call("mount", b"proc", b"/proc", b"proc", 0, None)
    call("mount", b"tmpfs", b"/tmp", b"tmpfs", 0, b"mode=1777")
    if control.recv(1) != b"g":
        return 1
    control.close()
    program = os.fork()
    if program == 0:
        os.close(log)
        code = become(request, channel)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    os.close(channel)
    while True:
        ended, status = os.wait()
        if ended == program:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def become(request: dict[str, Any], channel: int) -> int:
    """Call the program's main() as the request's user with its variables."""
    os.dup2(channel, request["channel"])
    os.closerange(3, request["channel"])
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.environ.clear()
    os.environ.update(request["variables"])
    os.setgroups([])
    os.setgid(request["uid"])
    os.setuid(request["uid"])
    os.chdir(os.environ["HOME"])
    sys.path[:] = [request["app"], *sys.path[1:], *request["environment"]]
    sys.argv = [request["module"], *request["arguments"]]
    for folder in request["environment"]:
        sys.prefix = str(Path(folder).parent)  # as where the wheel's files are below the venv
    site.setquit()
    draw_again()
    try:
        # Not as __main__: what dill knows by that name is this module.
        path, channel_number, *rest = request["arguments"]
        importlib.import_module(request["module"]).main(path, int(channel_number), *rest)
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:  # noqa: BLE001 - as an interpreter does
        traceback.print_exc()
        return 1
    return 0


def draw_again() -> None:
    """Give the process random numbers of its own."""
    random.seed()
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed()


def start_loopback() -> None:
    """Set the interface of 127.0.0.1 up."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sH14s", b"lo", 0, b"")
        flags = struct.unpack("16sH14s", fcntl.ioctl(any_socket, GET_FLAGS, request))[1]
        fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sH14s", b"lo", flags | UP, b""))


def call(name: str, *arguments: object) -> None:
    """Call libc; raises OSError."""
    if getattr(LIBC, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
