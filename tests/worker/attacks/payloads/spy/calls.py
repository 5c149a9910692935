"""System calls that no environment needs, each made by its number or name."""

# ruff: noqa
# mypy: ignore-errors

import ctypes
import fcntl
import os
import stat

from .common import HOST, attempts, called, in_a_child, succeeded

# mov eax, 20 (getpid of i386); int 0x80; ret
FOREIGN = """
import ctypes, mmap
page = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 7)
page.write(bytes([0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xc3]))
at = ctypes.addressof(ctypes.c_char.from_buffer(page))
print(ctypes.CFUNCTYPE(ctypes.c_int)(at)(), flush=True)
"""
BUFFER = ctypes.create_string_buffer(256)

attempts |= {
    "ptrace: the keeper": lambda: called("ptrace", 16, 1, 0, 0),
    "ptrace: its parent": lambda: called("ptrace", 16, os.getppid(), 0, 0),
    "ptrace: its memory": lambda: called("process_vm_writev", os.getppid(), 0, 0, 0, 0, 0),
    "signals: the runner": lambda: os.kill(HOST["pid"], 0) or "signalled",
    "signals: the group of the runner": lambda: os.killpg(HOST["pid"], 0) or "signalled",
    "keyrings: read": lambda: called("syscall", 250, 0, -3, 0),
    "keyrings: add": lambda: called("syscall", 248, b"user", b"x", b"x", 1, -3),
    "mounts: new": lambda: called("mount", b"x", b"/tmp", b"tmpfs", 0, 0),
    "mounts: writable": lambda: called("mount", b"x", b"/usr", b"", 0x1020, 0),
    "mounts: newer calls": lambda: called("syscall", 428, -100, b"/", 1),
    "namespaces: unshare": lambda: called("unshare", 0x10000000),
    "namespaces: clone": lambda: called("syscall", 56, 0x10000011, 0, 0, 0, 0),
    "devices: make": lambda: os.mknod("/tmp/disk", stat.S_IFBLK | 0o666, os.makedev(254, 0)) or "x",
    "devices: kvm": lambda: open("/dev/kvm", "rb"),
    "devices: disk": lambda: open("/dev/vda", "rb"),
    "devices: log of the kernel": lambda: open("/dev/kmsg", "rb"),
    "calls: io_uring": lambda: called("syscall", 425, 1, ctypes.create_string_buffer(120)),
    "calls: bpf": lambda: called("syscall", 321, 0, ctypes.create_string_buffer(128), 128),
    "calls: perf": lambda: called("syscall", 298, ctypes.create_string_buffer(128), 0, -1, -1, 0),
    "calls: userfaultfd": lambda: called("syscall", 323, 0),
    "calls: memory without a name": lambda: os.memfd_create("x"),
    "calls: keys of others": lambda: called("syscall", 249, b"user", b"x", 0, -3),
    "calls: descriptors of others": lambda: called("syscall", 438, 1, 0, 0),
    "calls: memory of others": lambda: called("syscall", 310, 1, BUFFER, 1, BUFFER, 1, 0),
    "calls: compare with others": lambda: called("syscall", 312, 1, os.getpid(), 0, 0, 0),
    "calls: files by handle": lambda: called("syscall", 304, -100, BUFFER, 0),
    "calls: handle of a file": lambda: called("syscall", 303, -100, b"/tmp", BUFFER, BUFFER, 0),
    "calls: secret memory": lambda: called("syscall", 447, 0),
    "calls: what others read": lambda: called("syscall", 451, 0, BUFFER, BUFFER, 0),
    "calls: asynchronous I/O": lambda: called("syscall", 206, 64, ctypes.byref(ctypes.c_long())),
    "calls: clone3": lambda: called("syscall", 435, BUFFER, 88),
    "calls: namespaces of others": lambda: called("setns", os.open("/proc/self/ns/net", 0), 0),
    "calls: a file system": lambda: called("syscall", 430, b"tmpfs", 0),
    "calls: move a mount": lambda: called("syscall", 429, -100, b"/usr", -100, b"/tmp", 0),
    "calls: describe a mount": lambda: called("syscall", 457, BUFFER, BUFFER, 256, 0),
    "calls: list mounts": lambda: called("syscall", 458, BUFFER, BUFFER, 1, 0),
    "calls: rights of a mount": lambda: called("syscall", 442, -100, b"/usr", 0, BUFFER, 32),
    "calls: pivot": lambda: called("syscall", 155, b"/tmp", b"/tmp"),
    "calls: segments": lambda: called("syscall", 154, 0, BUFFER, 16),
    "calls: another kernel": lambda: called("syscall", 246, 0, 0, 0, 0),
    "calls: a kernel module": lambda: called("syscall", 313, 0, b"", 0),
    "calls: hang up": lambda: called("syscall", 153),
    "calls: memory of System V": lambda: called("syscall", 29, 0, 4096, 0o1600),
    "calls: semaphores of System V": lambda: called("syscall", 64, 0, 1, 0o1600),
    "calls: messages of System V": lambda: called("syscall", 68, 0, 0o1600),
    "calls: messages of POSIX": lambda: called("syscall", 240, b"x", 0o102, 0o600, 0),
    "calls: of x32": lambda: in_a_child(
        "import ctypes; print(ctypes.CDLL(None).syscall(0x40000000 + 39), flush=True)"
    ),
    "calls: of i386": lambda: in_a_child(FOREIGN),
    "calls: typing into a terminal": lambda: succeeded(fcntl.ioctl(0, 0x5412, b"x")),
}
