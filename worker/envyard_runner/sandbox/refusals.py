"""Answers the system calls that a sandbox may not make, and so records their names.

The kernel stops a caller until the runner has answered (seccomp_unotify(2)). A call that the filter
refuses is never let through; connections go on to the empty network as they were, with their target
noted. So a target read here is a hint and never a decision: a second thread may change it while it
is being read.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import ipaddress
import os
import select
import socket
import struct
from collections import Counter

from envyard_runner.sandbox import seccomp

RECEIVE, SEND = 0xC0502100, 0xC0182101  # SECCOMP_IOCTL_NOTIF_RECV and _SEND
CALL = struct.Struct("=QII iIQ 6Q")  # id, thread, flags; number, architecture, where, arguments
ANSWER = struct.Struct("=QqiI")  # id, value, error, flags
GO_ON = 1  # SECCOMP_USER_NOTIF_FLAG_CONTINUE
ADDRESS = 128  # bytes, of the longest socket address
MAX_NAMES = 100  # different things kept, of as many as somebody cares to try
DNS = 53
FAMILIES = {int(family): family.name for family in socket.AddressFamily}


class Refusals:
    """Answers one sandbox's refused calls for as long as it is open, and keeps their names.

    `calls` counts them by what was called, `targets` the addresses outside that were named.
    """

    def __init__(self, listener: int) -> None:
        self.calls: Counter[str] = Counter()
        self.targets: Counter[str] = Counter()
        self._fd = listener
        self._poll = select.poll()
        self._poll.register(listener, select.POLLIN)
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(listener, self._answer_one)

    def close(self) -> None:
        """Stop answering: from now on the kernel refuses by itself."""
        self._loop.remove_reader(self._fd)
        os.close(self._fd)

    def _answer_one(self) -> None:
        """One call a turn of the loop, so that who floods it waits with everybody else.

        Kernels before 6.11 wait for ever for a call where nobody is left to make one, so that is
        looked for first.
        """
        events = next((events for _, events in self._poll.poll(0)), 0)
        if not events & select.POLLIN:
            if events & select.POLLHUP:
                self._loop.remove_reader(self._fd)
            return
        buffer = bytearray(CALL.size)
        try:
            fcntl.ioctl(self._fd, RECEIVE, buffer)
        except FileNotFoundError:  # the caller was killed meanwhile
            return
        ident, thread, _, number, _, _, *arguments = CALL.unpack(buffer)
        name = seccomp.names().get(number, f"system call {number}")
        if name in ("connect", "sendto"):
            at, length = arguments[1:3] if name == "connect" else arguments[4:6]
            _count(self.targets, _target(thread, at, length))
            self._send(ident, 0, GO_ON)
        else:
            _count(self.calls, _described(name, arguments))
            self._send(ident, -errno.EPERM, 0)

    def _send(self, ident: int, error: int, flags: int) -> None:
        with contextlib.suppress(OSError):  # the caller was killed meanwhile
            fcntl.ioctl(self._fd, SEND, ANSWER.pack(ident, 0, error, flags))


def _count(counter: Counter[str], name: str) -> None:
    if name and (name in counter or len(counter) < MAX_NAMES):
        counter[name] += 1


def _described(name: str, arguments: list[int]) -> str:
    """The call in a reader's terms: what kind of socket, which namespaces."""
    if name in ("socket", "socketpair"):
        family = arguments[0] & 0xFFFFFFFF
        kind = FAMILIES.get(family, f"family {family}")
        raw = family in seccomp.FAMILIES and arguments[1] & seccomp.KIND == seccomp.RAW
        return f"{name} {kind}{' SOCK_RAW' if raw else ''}"
    if name == "clone":
        return "clone of a namespace"
    return "ioctl that types into a terminal" if name == "ioctl" else name


def _target(thread: int, at: int, length: int) -> str:
    """The address outside that a call names; empty for one inside, or one that cannot be read."""
    try:
        fd = os.open(f"/proc/{thread}/mem", os.O_RDONLY)
        try:
            raw = os.pread(fd, min(length, ADDRESS), at)
        finally:
            os.close(fd)
        return _outside(raw)
    except (OSError, ValueError, OverflowError, struct.error):
        return ""


def _outside(raw: bytes) -> str:
    family, port = struct.unpack_from("=H", raw)[0], struct.unpack_from("!H", raw, 2)[0]
    if family == socket.AF_INET:
        host: ipaddress.IPv4Address | ipaddress.IPv6Address = ipaddress.IPv4Address(raw[4:8])
    elif family == socket.AF_INET6:
        six = ipaddress.IPv6Address(raw[8:24])
        host = six.ipv4_mapped or six
    else:
        return ""
    if host.is_loopback or host.is_unspecified:
        return "a name server" if port == DNS else ""
    return f"{host}:{port}" if host.version == 4 else f"[{host}]:{port}"
