"""Reaches for the network, files, variables and processes outside the sandbox."""

# ruff: noqa
# mypy: ignore-errors

import os
import socket

from .common import HOST, attempts, need


def datagram(address, family=socket.AF_INET):
    return lambda: socket.socket(family, socket.SOCK_DGRAM).sendto(b"x", address)


def opened(path):
    """Whether a file, or a pipe behind a descriptor of another process, can be opened for writing."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
    except OSError:
        return False
    return True


attempts |= {
    "network: tcp": lambda: socket.create_connection(("93.184.215.14", 443), 1),
    "network: udp": datagram(("93.184.215.14", 9)),
    "network: name server": datagram(("8.8.8.8", 53)),
    "network: dns": lambda: socket.getaddrinfo("example.org", 443),
    "network: ipv6": datagram(("2001:db8::1", 9), socket.AF_INET6),
    "network: raw": lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1),
    "network: packet": lambda: socket.socket(17, 2),
    "network: vsock": lambda: socket.socket(40, 1),
    "network: bluetooth": lambda: socket.socket(31, 3),
    "network: a server of the host": lambda: socket.create_connection(
        ("127.0.0.1", HOST["port"]), 1
    ),
    "network: cloud metadata": lambda: socket.create_connection(("169.254.169.254", 80), 1),
    "network: unix socket of the host": lambda: (
        socket.socket(socket.AF_UNIX).connect(HOST["unix"]) or "connected"
    ),
    "network: abstract socket of the host": lambda: (
        socket.socket(socket.AF_UNIX).connect("\0" + HOST["abstract"]) or "connected"
    ),
    "files: the runner's secret": lambda: open(HOST["secret"]).read(),
    "files: other runs": lambda: need(os.listdir(HOST["runs"])),
    "files: other environments": lambda: need(os.listdir(HOST["environments"])),
    "files: shadow": lambda: open("/etc/shadow").read(),
    "files: root's home": lambda: os.listdir("/root"),
    "files: sys": lambda: os.listdir("/sys"),
    "files: left by the last run": lambda: need(os.listdir("/tmp/left")),
    "environment: the runner's variables": lambda: need(
        [v for v in os.environ if v.startswith(("HUB", "RUNNER", "AWS", "DATABASE"))]
    ),
    "proc: environ of the keeper": lambda: need(open("/proc/1/environ", "rb").read()),
    "proc: root of the keeper": lambda: os.listdir(f"/proc/1/root{HOST['runs']}"),
    "proc: memory of the keeper": lambda: open("/proc/1/mem", "r+b").read(1),
    "proc: descriptors of the keeper": lambda: need(os.listdir("/proc/1/fd")),
    "proc: memory of its parent": lambda: (
        os.open(f"/proc/{os.getppid()}/mem", os.O_RDWR) and "opened"
    ),
    "proc: memory of its threads": lambda: (
        os.open(f"/proc/{os.getppid()}/task/{os.getppid()}/mem", os.O_RDWR) and "opened"
    ),
    "proc: map of its parent": lambda: need(open(f"/proc/{os.getppid()}/maps").read()),
    "proc: environ of its parent": lambda: need(open(f"/proc/{os.getppid()}/environ", "rb").read()),
    "proc: descriptors of its parent": lambda: need(os.listdir(f"/proc/{os.getppid()}/fd")),
    "proc: pipes of its parent": lambda: need(
        [n for n in range(3, 512) if opened(f"/proc/{os.getppid()}/fd/{n}")]
    ),
    "proc: command line of the host": lambda: need(open("/proc/cmdline").read()),
    "proc: name of the host's start": lambda: need(open("/proc/sys/kernel/random/boot_id").read()),
    "proc: core of the kernel": lambda: open("/proc/kcore", "rb").read(1),
    "proc: settings of the kernel": lambda: open("/proc/sys/kernel/hostname", "w"),
    "proc: sysrq": lambda: open("/proc/sysrq-trigger", "w"),
    "proc: the runner": lambda: os.listdir(f"/proc/{HOST['pid']}"),
}
