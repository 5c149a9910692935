"""A hostile environment's module: makes every attempt and sends one event with the successes.

Never imported by the tests: it runs inside the sandbox. The file in HOST names what the host has to lose.
"""

# ruff: noqa
# mypy: ignore-errors

import ctypes
import fcntl
import json
import mmap
import os
import resource
import signal
import socket
import subprocess
import sys
import urllib.request

libc = ctypes.CDLL(None, use_errno=True)
attempts = {}
host = json.load(open(os.environ["HOST"]))


def attempt(name):
    def register(function):
        attempts[name] = function
        return function

    return register


def called(name, *arguments):
    """A C function's answer; its failure raised."""
    answer = getattr(libc, name)(*arguments)
    if answer < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return answer


def need(answer):
    """Turns "nothing was found" into a failed attempt."""
    if not answer:
        raise PermissionError("nothing")
    return answer


# the network
for label, address in {
    "internet tcp": ("1.1.1.1", 443),
    "cloud metadata": ("169.254.169.254", 80),
    "private network": ("10.0.0.1", 22),
    "a server on the host": ("127.0.0.1", host["port"]),
}.items():
    attempts[label] = lambda address=address: socket.create_connection(address, 1)


@attempt("internet udp")
def _():
    return socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("8.8.8.8", 53))


@attempt("internet ipv6")
def _():
    return socket.create_connection(("2606:4700:4700::1111", 443), 1)


@attempt("multicast")
def _():
    return socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("224.0.0.1", 5353))


@attempt("dns")
def _():
    return socket.getaddrinfo("example.org", 443)


@attempt("abstract unix socket of the host")
def _():
    return socket.socket(socket.AF_UNIX).connect("\0" + host["socket"]) or "connected"


SOCKET = {"x86_64": 41, "aarch64": 198}[os.uname().machine]
for family, kind in {16: 3, 17: 3, 29: 3, 31: 3, 38: 5, 40: 1, 44: 3, (1 << 32) + 40: 1}.items():
    attempts[f"socket family {family:#x}"] = lambda family=family, kind=kind: called(
        "syscall", SOCKET, ctypes.c_long(family), kind, 0
    )


@attempt("raw socket")
def _():
    return socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)


@attempt("socketpair of another family")
def _():
    return called("socketpair", 40, 1, 0, (ctypes.c_int * 2)())


@attempt("take the gateway's port")
def _():
    taken = socket.socket()
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    taken.bind(("0.0.0.0", 8000))
    taken.listen()
    return "bound"


# the host's files
for path in (
    *host["files"],
    "/root",
    "/home",
    "/srv",
    "/var",
    "/run",
    "/sys",
    "/boot",
    "/etc/shadow",
    "/etc/ssl/private",
    "/etc/hostname",
    "/etc/resolv.conf",
    "/proc/1/root/root",
    "/proc/kcore",
    "/proc/1/mem",
    "/dev/kmsg",
    "/dev/kvm",
    "/dev/vda",
    "/dev/sda",
    "/dev/mem",
    "/dev/fuse",
):
    attempts[f"open {path}"] = lambda path=path: need(
        os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(16)
    )
for path in (
    "/x",
    "/usr/x",
    "/usr/bin/x",
    "/venv/x",
    "/app/x",
    os.environ["HOST"],
    "/etc/passwd",
    "/dev/x",
    "/proc/sysrq-trigger",
    "/proc/sys/kernel/core_pattern",
):
    attempts[f"write {path}"] = lambda path=path: open(
        path, "r+b" if os.path.exists(path) else "wb"
    )
attempts["write the venv"] = lambda: open(os.path.join(os.path.dirname(__file__), "x"), "w")


# environment variables
@attempt("environ of the keeper")
def _():
    return need(open("/proc/1/environ", "rb").read())


@attempt("environ with more than was promised")
def _():
    promised = {"PATH", "HOME", "HOST", "CHANNEL_FD", "PWD", "LC_CTYPE"}
    promised |= {"OPENAI_BASE_URL", "OPENAI_API_BASE", "ANTHROPIC_BASE_URL"}
    promised |= {"PRIME_INFERENCE_URL", "OPENROUTER_API_BASE", "LITELLM_LOCAL_MODEL_COST_MAP"}
    promised |= {name for name in os.environ if name.startswith("HF_")} | {"DO_NOT_TRACK"}
    promised |= {"HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"}
    promised |= {"LITELLM_LOCAL_MODEL_COST_MAP", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"}
    promised |= {"REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"}
    return need(set(os.environ) - promised)


@attempt("host paths in the keeper's command line")
def _():
    return need(host["home"].encode() in open("/proc/1/cmdline", "rb").read())


# what the machine's kernel shows of the machine
for path in (
    "/proc/cmdline",
    "/proc/config.gz",
    "/proc/diskstats",
    "/proc/interrupts",
    "/proc/iomem",
    "/proc/ioports",
    "/proc/kallsyms",
    "/proc/key-users",
    "/proc/keys",
    "/proc/modules",
    "/proc/mtrr",
    "/proc/partitions",
    "/proc/swaps",
    "/proc/timer_list",
    "/proc/sys/kernel/random/boot_id",
    "/proc/acpi",
    "/proc/asound",
    "/proc/bus",
    "/proc/driver",
    "/proc/fs",
    "/proc/irq",
    "/proc/pressure",
    "/proc/scsi",
    "/proc/tty",
):
    attempts[f"read {path} of the host"] = lambda path=path: need(
        os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(16)
    )


@attempt("a file of the kernel that takes writes")
def _():
    own = {"/proc/self", "/proc/thread-self", "/proc/net", "/proc/mounts"}
    pids = {f"/proc/{name}" for name in os.listdir("/proc") if name.isdigit()}
    taken = []
    for folder, folders, files in os.walk("/proc"):
        folders[:] = [name for name in folders if f"{folder}/{name}" not in own | pids]
        taken += [f"{folder}/{name}" for name in files if opens(f"{folder}/{name}", os.O_WRONLY)]
    return need(taken)


# the keeper: bubblewrap's first process, which has fewer calls refused than any other
def opens(path, flags):
    try:
        os.close(os.open(path, flags | os.O_NONBLOCK))
    except OSError:
        return False
    return True


for name in ("mem", "maps", "auxv", "environ", "oom_score_adj", "task/1/mem", "ns/net", "stat"):
    attempts[f"open the keeper's {name}"] = lambda name=name: need(
        opens(f"/proc/1/{name}", os.O_RDONLY)
    )
attempts["write the keeper's memory"] = lambda: need(opens("/proc/1/mem", os.O_RDWR))
attempts["the keeper's descriptors"] = lambda: need(os.listdir("/proc/1/fd"))
attempts["the keeper's program"] = lambda: os.readlink("/proc/1/exe")


# other processes
@attempt("see other processes")
def _():
    return need(
        {p for p in os.listdir("/proc") if p.isdigit()} - {"1", str(os.getpid()), str(os.getppid())}
    )


attempts["signal the runner"] = lambda: os.kill(host["pid"], 0) or "reached"
attempts["ptrace the runner"] = lambda: called("ptrace", 16, host["pid"], 0, 0)
attempts["ptrace the keeper"] = lambda: called("ptrace", 16, 1, 0, 0)
attempts["seize the keeper"] = lambda: called("ptrace", 0x4206, 1, 0, 0)
attempts["ask to be traced"] = lambda: called("ptrace", 0, 0, 0, 0) or "traced"
attempts["read the keeper's memory"] = lambda: called("process_vm_readv", 1, 0, 0, 0, 0, 0)
attempts["limits of the runner"] = lambda: resource.prlimit(host["pid"], resource.RLIMIT_CPU)


@attempt("inherited descriptors")
def _():
    kept = {"0", "1", "2", os.environ["CHANNEL_FD"]}
    return need(
        {
            fd
            for fd in os.listdir("/proc/self/fd")
            if fd not in kept and os.path.exists(f"/proc/self/fd/{fd}")
        }
    )


# the kernel
attempts["become root"] = lambda: os.setuid(0) or "root"
attempts["change group"] = lambda: os.setgroups([0]) or "grouped"
attempts["mount"] = lambda: called("mount", b"x", b"/tmp", b"tmpfs", 0, 0)
attempts["remount writable"] = lambda: called("mount", b"x", b"/usr", b"", 0x1020, 0)
attempts["unmount"] = lambda: called("umount2", b"/usr", 2)
attempts["chroot"] = lambda: os.chroot("/tmp") or "rooted"
attempts["host name"] = lambda: called("sethostname", b"x", 1)
attempts["terminal injection"] = lambda: fcntl.ioctl(0, 0x5412, b"x")
attempts["terminal injection, high bits"] = lambda: called(
    "ioctl", 0, ctypes.c_ulong(0x5412 + (1 << 32)), b"x"
)
attempts["memfd"] = lambda: os.memfd_create("x")
attempts["shared anonymous memory"] = lambda: mmap.mmap(-1, 4096)
attempts["shared memory of System V"] = lambda: called("shmget", 0, 4096, 0o1600)
attempts["core dumps"] = lambda: resource.setrlimit(resource.RLIMIT_CORE, (1, 1)) or "set"
attempts["more processes"] = lambda: (
    resource.setrlimit(resource.RLIMIT_NPROC, (1 << 20,) * 2) or "set"
)
attempts["nested user namespace"] = lambda: subprocess.run(
    ["/usr/bin/unshare", "-Ur", "true"], check=True, stderr=-3
)
for flag in (0x20000, 0x2000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
    attempts[f"unshare {flag:#x}"] = lambda flag=flag: called("unshare", flag) or "unshared"
    attempts[f"clone {flag:#x}"] = lambda flag=flag: (
        called("syscall", 56, ctypes.c_ulong(flag | signal.SIGCHLD), 0, 0, 0, 0) or os._exit(0)
    )
if os.uname().machine == "x86_64":
    for name, arguments in {
        "keyctl": (250, 0, -3, 0),
        "bpf": (321, 0, ctypes.create_string_buffer(128), 128),
        "perf_event_open": (298, ctypes.create_string_buffer(128), 0, -1, -1, 0),
        "userfaultfd": (323, 0),
        "io_uring_setup": (425, 1, ctypes.create_string_buffer(120)),
        "open_tree": (428, -100, b"/", 1),
        "pidfd_getfd": (438, 0, 0, 0),
        "clone3": (435, ctypes.create_string_buffer(88), 88),
        "memfd_secret": (447, 0),
        "open_by_handle_at": (304, -100, ctypes.create_string_buffer(128), 0),
        "fsopen": (430, b"tmpfs", 0),
        "personality": (135, 0x40000),
        "add_key": (248, b"user", b"x", b"x", 1, -3),
    }.items():
        attempts[f"system call {name}"] = lambda arguments=arguments: called("syscall", *arguments)

# what must work, or the rest proves nothing
must = {
    "gateway": lambda: urllib.request.urlopen("http://127.0.0.1:8000/v1/models", timeout=5).read(),
    "write /tmp": lambda: open("/tmp/x", "w").write("x"),
    "write /dev/shm": lambda: open("/dev/shm/x", "w").write("x"),
    "localhost": lambda: socket.getaddrinfo("localhost", 80),
    "subprocess": lambda: subprocess.run([sys.executable, "-c", "print(1)"], check=True, stdout=-1),
    "job": lambda: host["task"],
}


def outcome(function):
    try:
        return ["reached", repr(function())[:100]]
    except BaseException as error:
        return ["refused", f"{type(error).__name__}: {error}"[:100]]


report = {"must": {name: outcome(f) for name, f in must.items()}}
report["attempts"] = {name: outcome(f) for name, f in attempts.items()}
report["ids"] = [os.getuid(), os.getgid(), os.getgroups(), socket.gethostname()]
os.write(int(os.environ["CHANNEL_FD"]), json.dumps(report).encode() + b"\n")
