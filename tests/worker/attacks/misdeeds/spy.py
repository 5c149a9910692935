"""Tries to reach, read, change and flood everything there is, once, and writes what came of it."""

# ruff: noqa
# mypy: ignore-errors

import ctypes
import fcntl
import json
import os
import socket
import stat
import sys
import threading
import time
import urllib.error
import urllib.request

HOST = json.loads("""@HOST@""")
DOOR = "http://127.0.0.1:8000"
libc = ctypes.CDLL(None, use_errno=True)
attempts = {}
done = threading.Lock()


def attempt(name):
    def register(function):
        attempts[name] = function
        return function

    return register


def called(name, *arguments):
    answer = getattr(libc, name)(*arguments)
    if answer < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return f"answered {answer}"


def need(answer):
    if not answer:
        raise PermissionError("nothing")
    return answer


def datagram(address, family=socket.AF_INET):
    return lambda: socket.socket(family, socket.SOCK_DGRAM).sendto(b"x", address)


def wanted(what):
    """What tells if the answer is no refusal, whatever the kernel's number for it."""
    return what or "done"


def opened(path):
    """Whether a file, or a pipe behind a descriptor of another process, can be opened for writing."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
    except OSError:
        return False
    return True


def in_a_child(code):
    """What a program says of code that may kill it."""
    import subprocess

    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return need(ended.returncode == 0 and ended.stdout)


# mov eax, 20 (getpid of i386); int 0x80; ret
FOREIGN = """
import ctypes, mmap
page = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 7)
page.write(bytes([0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xc3]))
at = ctypes.addressof(ctypes.c_char.from_buffer(page))
print(ctypes.CFUNCTYPE(ctypes.c_int)(at)(), flush=True)
"""
CRASH = """
import os, resource, signal
resource.setrlimit(resource.RLIMIT_CORE, (1 << 30, 1 << 30))
print("limits of core files can be raised")
"""
BUFFER = ctypes.create_string_buffer(256)


def writable(path):
    """A shared map of a cached file that takes writes."""
    import mmap

    fd = os.open(path, os.O_RDONLY)
    return wanted(mmap.mmap(fd, 0, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE))


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
    "proc: memory of the supervisor": lambda: (
        os.open(f"/proc/{os.getppid()}/mem", os.O_RDWR) and "opened"
    ),
    "proc: memory of its threads": lambda: (
        os.open(f"/proc/{os.getppid()}/task/{os.getppid()}/mem", os.O_RDWR) and "opened"
    ),
    "proc: map of the supervisor": lambda: need(open(f"/proc/{os.getppid()}/maps").read()),
    "proc: environ of the supervisor": lambda: need(
        open(f"/proc/{os.getppid()}/environ", "rb").read()
    ),
    "proc: descriptors of the supervisor": lambda: need(os.listdir(f"/proc/{os.getppid()}/fd")),
    "proc: pipes of the supervisor": lambda: need(
        [n for n in range(3, 512) if opened(f"/proc/{os.getppid()}/fd/{n}")]
    ),
    "proc: command line of the host": lambda: need(open("/proc/cmdline").read()),
    "proc: name of the host's start": lambda: need(open("/proc/sys/kernel/random/boot_id").read()),
    "proc: core of the kernel": lambda: open("/proc/kcore", "rb").read(1),
    "proc: settings of the kernel": lambda: open("/proc/sys/kernel/hostname", "w"),
    "proc: sysrq": lambda: open("/proc/sysrq-trigger", "w"),
    "proc: the runner": lambda: os.listdir(f"/proc/{HOST['pid']}"),
    "ptrace: the keeper": lambda: called("ptrace", 16, 1, 0, 0),
    "ptrace: the supervisor": lambda: called("ptrace", 16, os.getppid(), 0, 0),
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
    "calls: typing into a terminal": lambda: wanted(fcntl.ioctl(0, 0x5412, b"x")),
    "core: limit": lambda: in_a_child(CRASH),
    "core: where it goes": lambda: open("/proc/sys/kernel/core_pattern", "w"),
    "descriptors: inherited": lambda: need(
        [
            n
            for n in os.listdir("/proc/self/fd")
            if "/" in os.readlink(f"/proc/self/fd/{n}")
            and not os.readlink(f"/proc/self/fd/{n}").startswith(
                ("/dev/null", "/proc", "/tmp", "/venv")
            )
        ]
    ),
    "rights: last to die": lambda: wanted(
        open("/proc/self/oom_score_adj", "w", 1).write("-1000\n")
    ),
    "rights: priority": lambda: wanted(os.nice(-5)),
    "rights: real time": lambda: wanted(os.sched_setscheduler(0, 1, os.sched_param(1))),
    "venv: a map that writes": lambda: writable(sys.modules["verifiers"].__file__),
    "venv: a file without a name": lambda: os.open(
        os.path.dirname(__file__), os.O_TMPFILE | os.O_WRONLY
    ),
    "venv: attributes": lambda: wanted(os.setxattr(__file__, "user.x", b"x")),
    "venv: times": lambda: wanted(os.utime(__file__, (0, 0))),
    "rights: root": lambda: os.setuid(0) or "root",
    "rights: chroot": lambda: os.chroot("/tmp") or "rooted",
    "time: set": lambda: time.clock_settime(time.CLOCK_REALTIME, 0) or "set",
    "time: skew": lambda: called("syscall", 305, 0, ctypes.create_string_buffer(208)),
    "venv: new file": lambda: open(f"{os.path.dirname(__file__)}/../sitecustomize.py", "w"),
    "venv: the framework": lambda: open(sys.modules["verifiers"].__file__, "r+"),
    "venv: rights": lambda: os.chmod(sys.modules["verifiers"].__file__, 0o777) or "changed",
    "venv: rename": lambda: os.rename(__file__, __file__ + ".old") or "renamed",
    "venv: hard link": lambda: os.link(__file__, "/tmp/link") or "linked",
    "venv: inside programs": lambda: open("/inside/drive.py", "r+"),
    "venv: interpreter": lambda: open(sys.executable, "r+b"),
}


@attempt("symlinks: out of the outputs")
def _():
    for number, target in enumerate((HOST["secret"], "/etc/shadow", HOST["runs"])):
        os.symlink(target, f"/tmp/log{number}")
    return open("/tmp/log0").read()


def plan():
    with urllib.request.urlopen(f"{DOOR}/plan") as answer:
        return [one["rollout"] for group in json.load(answer) for one in group]


@attempt("policy: named anywhere inside")
def _():
    told = open("/job.json").read() + json.dumps(plan()) + json.dumps(dict(os.environ))
    told += urllib.request.urlopen(f"{DOOR}/rollouts/{plan()[0]}/v1/models").read().decode()
    return need([p for p in ("silent", "parrot", "oracle", "swapped", "probe") if p in told])


def asked(rollout, body):
    request = urllib.request.Request(f"{DOOR}/rollouts/{rollout}/v1/chat/completions", body)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


HELLO = json.dumps({"messages": [{"role": "user", "content": "hello"}]}).encode()


@attempt("gateway: more calls than a rollout may make")
def _():
    codes = [asked(plan()[-1], HELLO) for _ in range(HOST["calls"] + 20)]
    return need(codes[-1] == 200)


@attempt("gateway: a prompt without end")
def _():
    return need(asked(plan()[-2], HELLO.replace(b"hello", b"x" * (5 << 20))) == 200)


@attempt("gateway: json that nests without end")
def _():
    return need(asked(plan()[-2], b'{"messages": ' + b"[" * 100_000) == 200)


@attempt("gateway: json that is none")
def _():
    return need(asked(plan()[-2], b"\xff\xfe{}") == 200)


@attempt("gateway: slow clients that keep everybody else out")
def _():
    slow = [socket.create_connection(("127.0.0.1", 8000)) for _ in range(100)]
    for one in slow:
        one.send(b"POST /plan HTTP/1.1\r\nContent-Le")
    try:
        return need(not plan())
    finally:
        for one in slow:
            one.close()


@attempt("gateway: another policy's address")
def _():
    return need(asked("oracle/0/0", HELLO) == 200 or asked("..%2fplan", HELLO) == 200)


@attempt("gateway: the models of the host behind it")
def _():
    request = urllib.request.Request(f"{DOOR}/v1/models", headers={"Host": "localhost:8001"})
    return urllib.request.urlopen(request).read()


CALM = {"event": "rollout", "ok": True, "reward": 1.0, "seconds": 0.0}


@attempt("events: forged")
def _():
    lines = [
        {**CALM, "rollout": "model/0/0"},
        {**CALM, "rollout": "oracle/1/0"},
        {"event": "loaded", "tasks": []},
        {"event": "listed"},
    ]
    texts = [*map(json.dumps, lines), "x" * 700_000, "[" * 5000, '{"event": NaN']
    for name in os.listdir("/proc/self/fd"):
        try:
            writable = fcntl.fcntl(int(name), fcntl.F_GETFL) & os.O_ACCMODE == os.O_WRONLY
            if int(name) > 2 and writable and stat.S_ISFIFO(os.fstat(int(name)).st_mode):
                os.write(int(name), "".join(f"{text}\n" for text in texts).encode())
        except OSError:
            continue
    raise PermissionError("told outside")


@attempt("events: the supervisor's own pipe")
def _():
    parent = f"/proc/{os.getppid()}"
    given = open(f"{parent}/environ", "rb").read().split(b"\0")
    number = next(one for one in given if one.startswith(b"ENVYARD_EVENTS_FD=")).split(b"=")[1]
    os.write(os.open(f"{parent}/fd/{number.decode()}", os.O_WRONLY), b'{"event": "done"}\n')
    return "written"


@attempt("log: escape codes")
def _():
    print("\x1b[2J\x1b]0;owned\x07\x9b31m\r\x00end")
    raise PermissionError("told outside")


@attempt("time: clocks that stand still")
def _():
    time.monotonic = time.time = lambda: 0.0
    raise PermissionError("told outside")


def once():
    """Try everything, in the first rollout that is scored."""
    if not done.acquire(blocking=False):
        return
    for name, reach in attempts.items():
        try:
            print(f"TRIED {name} = REACHED: {reach()!r}"[:300])
        except BaseException as error:
            print(f"TRIED {name} = refused: {type(error).__name__}: {error}"[:200])
    os.makedirs("/tmp/left")
    open("/tmp/left/x", "w").close()
    open("/dev/shm/left", "w").close()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            while True:
                time.sleep(60)
        os._exit(0)
