"""First program in the sandbox: opens the endpoints' sockets, sets its limits, becomes the program.

Started as `python -I -S -c SOURCE CONTROL_FD EVENTS_FD FILTERS_FD RLIMITS PORTS -- PROGRAM...`, so
that no code of the venv runs here. It listens on these ports of 127.0.0.1 in the sandbox's own
network, hands the listening descriptors out over the control socket and keeps no copy, so nothing
in the sandbox can close, steal or kill them. With them goes the descriptor by which the runner
answers refused system calls, where the kernel has such a thing; without any filter nothing is
started.
It then waits for one byte: the runner sets up the limits it holds from outside before sending it.
"""

import ctypes
import os
import resource
import socket
import struct
import sys

HEADER = struct.Struct("=III")  # as in sandbox/seccomp.py
INSTRUCTION = 8
SET_MODE_FILTER = 1
NEW_LISTENER, WAIT_KILLABLE = 8, 32  # the latter since Linux 5.19: no signal repeats a call


class Program(ctypes.Structure):
    """struct sock_fprog: how many instructions, and where."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def main(
    control_fd: int, events_fd: int, filters_fd: int, limits: str, ports: str, program: list[str]
) -> None:
    """Hand out the listening sockets, set the limits, exec the program; never returns."""
    control = socket.socket(fileno=control_fd)
    listening = [socket.create_server(("127.0.0.1", int(port))) for port in ports.split(",")]
    fds = [each.fileno() for each in listening]
    socket.send_fds(control, [b"L"], [*fds, *filter_calls(filters_fd)])
    for each in listening:
        each.close()
    if control.recv(1) != b"g":
        sys.exit("the runner went away before the program was started")
    control.close()
    os.closerange(3, events_fd)
    os.closerange(events_fd + 1, 1 << 16)
    for limit in limits.split(","):
        name, value = limit.split("=")
        set_limit(getattr(resource, f"RLIMIT_{name}"), int(value))
    os.execvp(program[0], program)


def set_limit(kind: int, value: int) -> None:
    """Set both limits; of open files the machine's own maximum where that is lower."""
    _, allowed = resource.getrlimit(kind)
    if kind == resource.RLIMIT_NOFILE and allowed != resource.RLIM_INFINITY:
        value = min(value, allowed)
    resource.setrlimit(kind, (value, value))


def filter_calls(filters_fd: int) -> list[int]:
    """Load the notifying filter, else the one that only refuses; the listener if any.

    The call is made by number because no libc wraps it.
    """
    content = os.pread(filters_fd, 1 << 20, 0)
    number, telling, _ = HEADER.unpack_from(content)
    first, second = HEADER.size, HEADER.size + telling
    libc = ctypes.CDLL(None, use_errno=True)
    for flags, code in (
        (NEW_LISTENER | WAIT_KILLABLE, content[first:second]),
        (NEW_LISTENER, content[first:second]),
        (0, content[second:]),
    ):
        loaded = Program(len(code) // INSTRUCTION, code)
        listener = libc.syscall(number, SET_MODE_FILTER, flags, ctypes.byref(loaded))
        if listener >= 0:
            return [listener] if flags else []
    sys.exit(f"the system-call filter was not taken: {os.strerror(ctypes.get_errno())}")


if __name__ == "__main__":
    control_fd, events_fd, filters_fd = map(int, sys.argv[1:4])
    main(control_fd, events_fd, filters_fd, sys.argv[4], sys.argv[5], sys.argv[7:])
