"""The system-call filters: a deny list, plus an allow list of socket families.

Namespaces already hide the host; the filters close what they leave open: AF_VSOCK (no network
namespace covers it), ptrace of bubblewrap's own reaper, memory that no resident-set count sees
(memfd, SysV, shared anonymous maps), what the whole machine has one measure of (asynchronous I/O,
the page cache), and the kernel's larger attack surfaces. A foreign
architecture's calls (i386, x32) kill the caller, which is libseccomp's default.

There are two layers. Bubblewrap loads the base: what every program does by the way, refused without
a record. The launcher loads the rest before any code of the environment: refused by the runner,
which so records what was attempted (`refusals`), or by the kernel alone where that is impossible.
When the runner is gone the kernel refuses by itself (seccomp_unotify(2): ENOSYS).
"""

from __future__ import annotations

import errno
import functools
import os
import struct
from types import ModuleType
from typing import Any

from envyard_runner.sandbox.exit import SandboxError

DENIED = """
ptrace process_vm_readv process_vm_writev kcmp
keyctl add_key request_key bpf perf_event_open userfaultfd lookup_dcookie
mount umount2 pivot_root chroot setns unshare open_by_handle_at name_to_handle_at fanotify_init
init_module finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff acct
quotactl syslog settimeofday clock_settime clock_adjtime adjtimex iopl ioperm modify_ldt
personality nfsservctl vhangup uselib ustat sysfs sethostname setdomainname
memfd_create io_setup
shmget shmat shmctl shmdt semget semop semctl semtimedop
msgget msgsnd msgrcv msgctl mq_open mq_unlink
""".split()  # noqa: SIM905 - one per line would hide what belongs together

# Newer calls have one number on every architecture, so an old libseccomp need not know them.
DENIED_NUMBERS = {
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "fspick": 433,
    "pidfd_getfd": 438,
    "process_madvise": 440,
    "mount_setattr": 442,
    "quotactl_fd": 443,
    "memfd_secret": 447,
    "cachestat": 451,
    "statmount": 457,
    "listmount": 458,
    "open_tree_attr": 467,
}
CLONE3 = 435
# Where memory lies: numerical libraries ask for it by themselves. The newer call has one number.
PLACEMENT = ("mbind", "move_pages", "migrate_pages", "set_mempolicy")
SET_MEMPOLICY_HOME_NODE = 450

# CLONE_NEW{NS,CGROUP,UTS,IPC,USER,PID,NET}; NEWTIME is only reachable through clone3 and unshare.
NAMESPACE_FLAGS = (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000)
TERMINAL_INJECTION = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX
FAMILIES = (1, 2, 10)  # AF_UNIX, AF_INET, AF_INET6
NETLINK = 16  # every look-up of a name opens one
SHARED_ANONYMOUS = 0x21  # MAP_SHARED | MAP_ANONYMOUS
RAW, KIND = 3, 0xF  # SOCK_RAW, and the bits of a socket's type without its flags
LOW_BITS = 0xFFFFFFFF
HEADER = struct.Struct("=III")  # the seccomp call's number, the bytes of each program


@functools.cache
def base() -> bytes:
    """The filter that bubblewrap loads, as BPF bytes; raises SandboxError without libseccomp."""
    library = _library()
    rules = library.SyscallFilter(library.ALLOW)
    refuse = library.ERRNO(errno.EPERM)
    # A filter cannot read clone3's flags; "no such call" makes every libc fall back to clone.
    rules.add_rule(library.ERRNO(errno.ENOSYS), CLONE3)
    rules.add_rule(
        refuse, "mmap", library.Arg(3, library.MASKED_EQ, SHARED_ANONYMOUS, SHARED_ANONYMOUS)
    )
    rules.add_rule(refuse, "socket", library.Arg(0, library.EQ, NETLINK))
    for name in PLACEMENT:
        rules.add_rule(refuse, name)
    rules.add_rule(refuse, SET_MEMPOLICY_HOME_NODE)
    return _exported(rules)


@functools.cache
def launcher_filters() -> bytes:
    """The bytes for the launcher: HEADER, the filter that notifies the runner, the one that cannot.

    The first is empty where libseccomp is too old for it. Raises SandboxError without libseccomp.
    """
    library = _library()
    try:
        telling = _rest(library, library.NOTIFY, watched=True)
    except (OSError, RuntimeError, ValueError):
        telling = b""
    silent = _rest(library, library.ERRNO(errno.EPERM), watched=False)
    number = library.resolve_syscall(library.Arch.NATIVE, "seccomp")
    return HEADER.pack(number, len(telling), len(silent)) + telling + silent


@functools.cache
def names() -> dict[int, str]:
    """The calls that the telling filter hands to the runner, by number."""
    library = _library()
    known = (*DENIED, "clone", "ioctl", "socket", "socketpair", "connect", "sendto")
    numbers = {library.resolve_syscall(library.Arch.NATIVE, name): name for name in known}
    return numbers | {number: name for name, number in DENIED_NUMBERS.items()}


def _rest(library: ModuleType, refuse: Any, *, watched: bool) -> bytes:
    rules = library.SyscallFilter(library.ALLOW)
    for name in DENIED:
        number = library.resolve_syscall(library.Arch.NATIVE, name)
        if number >= 0:  # below zero: the architecture has no such call
            rules.add_rule(refuse, number)
    for number in DENIED_NUMBERS.values():
        rules.add_rule(refuse, number)
    for flag in NAMESPACE_FLAGS:
        rules.add_rule(refuse, "clone", library.Arg(0, library.MASKED_EQ, flag, flag))
    for request in TERMINAL_INJECTION:
        rules.add_rule(refuse, "ioctl", library.Arg(1, library.MASKED_EQ, LOW_BITS, request))
    # GT compares 64 bits: a family hidden under high bits that the kernel ignores is refused too.
    for family in set(range(max(FAMILIES))) - set(FAMILIES):
        rules.add_rule(refuse, "socket", library.Arg(0, library.EQ, family))
    rules.add_rule(refuse, "socket", library.Arg(0, library.GT, max(FAMILIES)))
    rules.add_rule(refuse, "socketpair", library.Arg(0, library.NE, FAMILIES[0]))
    for family in set(FAMILIES) - {1}:  # without a capability the kernel refuses them as well
        kind = library.Arg(1, library.MASKED_EQ, KIND, RAW)
        rules.add_rule(refuse, "socket", library.Arg(0, library.EQ, family), kind)
    if watched:  # these go on as they were: the namespace is what holds them
        rules.add_rule(refuse, "connect")
        rules.add_rule(refuse, "sendto", library.Arg(4, library.NE, 0))
    return _exported(rules)


def _exported(rules: Any) -> bytes:
    with os.fdopen(os.memfd_create("seccomp"), "rb") as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()


def _library() -> ModuleType:
    try:
        import pyseccomp
    except (ImportError, RuntimeError, OSError, AttributeError) as error:
        raise SandboxError(
            f"libseccomp cannot be loaded ({error}); install it: apt-get install libseccomp2"
        ) from error
    module: ModuleType = pyseccomp
    return module
